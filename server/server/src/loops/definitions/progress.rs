//! What the status of a definition becomes next.
//!
//! The names come first, together with what can be said of the definition alone; the kind is served after all of them have
//! been accepted and stored, and when it is, the definition is established.

use serde_json::Value;

use super::definition::{Condition, Definition};
use super::names::{self, Names, Used};
use crate::objects::set_condition;

const NAMES: &str = "NamesAccepted";
const ESTABLISHED: &str = "Established";
const STRUCTURE: &str = "NonStructuralSchema";

/// A change of the status.
#[derive(Debug, Default)]
pub(super) struct Step {
    pub(super) accepted: Option<Names>,
    conditions: Vec<Condition>,
    /// The type of a condition that goes.
    removed: Option<&'static str>,
}

/// The next change of a definition, where definitions of its group have names; `None` if it is as it should be. `is_judged` is whether this
/// server has already said what it has to say of the approval and the schemas: it is not repeated, so that servers that tell
/// it differently do not replace each other's words.
pub(super) fn next(definition: &Definition, used: &Used, is_judged: bool) -> Option<Step> {
    let mut step = Step::default();
    let Definition { asked, accepted, approval, structure, .. } = definition;
    let differs = |wanted: &Condition| definition.condition(&wanted.ty) != Some(wanted);
    if !is_judged {
        step.conditions.extend(approval.iter().filter(|wanted| differs(wanted)).cloned());
    }
    if asked != accepted {
        let found = names::accepted(asked, accepted, used);
        let condition = match found.conflict {
            None => Condition::new(NAMES, "True", "NoConflicts", "no conflicts found"),
            Some((reason, message)) => Condition::new(NAMES, "False", reason, message),
        };
        if found.names != *accepted || differs(&condition) {
            step.conditions.extend(established(definition, condition.status == "True"));
            // Conditions have the order in which upstream writes them first.
            let at = step
                .conditions
                .iter()
                .position(|other| other.ty == ESTABLISHED)
                .unwrap_or(step.conditions.len());
            step.conditions.insert(at, condition);
            step.accepted = Some(found.names);
        }
    }
    if !is_judged {
        step.conditions.extend(structure.iter().filter(|wanted| differs(wanted)).cloned());
        let is_stale = structure.is_none() && definition.condition(STRUCTURE).is_some();
        step.removed = is_stale.then_some(STRUCTURE);
    }
    if step.conditions.is_empty() && step.removed.is_none() {
        step.conditions.extend(serve(definition));
    }
    (!step.conditions.is_empty() || step.removed.is_some()).then_some(step)
}

/// What is said of a kind that is not served yet, when it is known whether its names are accepted.
fn established(definition: &Definition, are_accepted: bool) -> Option<Condition> {
    let condition = |reason, message| Some(Condition::new(ESTABLISHED, "False", reason, message));
    match definition.condition(ESTABLISHED) {
        Some(said) if said.status == "True" => None,
        _ if are_accepted => condition("Installing", "the initial names have been accepted"),
        Some(_) => None,
        None => condition("NotAccepted", "not all names are accepted"),
    }
}

/// Lets a kind be served whose names are accepted.
fn serve(definition: &Definition) -> Option<Condition> {
    if !definition.is(NAMES) || definition.is(ESTABLISHED) {
        return None;
    }
    let condition = match definition.has_wrong_certificates {
        false => {
            let message = "the initial names have been accepted";
            Condition::new(ESTABLISHED, "True", "InitialNamesAccepted", message)
        }
        true => {
            let message = "The conversion webhook CABundle is invalid";
            Condition::new(ESTABLISHED, "False", "InvalidCABundle", message)
        }
    };
    (definition.condition(ESTABLISHED) != Some(&condition)).then_some(condition)
}

impl Step {
    /// Whether clients that see this step expect that the kind is served.
    pub(super) fn establishes(&self) -> bool {
        self.conditions.iter().any(|condition| condition.ty == ESTABLISHED && condition.status == "True")
    }

    /// Changes a definition in JSON.
    pub(super) fn apply(&self, document: &mut Value, now: &str) {
        let status = &mut document["status"];
        if let Some(names) = &self.accepted {
            status["acceptedNames"] = names.json();
        }
        for condition in &self.conditions {
            set_condition(status, condition.json(), now);
        }
        if let (Some(removed), Some(all)) = (self.removed, status["conditions"].as_array_mut()) {
            all.retain(|condition| condition["type"] != removed);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document(spec: Value) -> Value {
        let mut document = json!({
            "metadata": {"name": "widgets.example.com", "uid": "1", "generation": 1},
            "spec": {
                "group": "example.com",
                "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
                "versions": [{"name": "v1", "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}],
            },
        });
        for (key, value) in spec.as_object().into_iter().flatten() {
            document["spec"][key] = value.clone();
        }
        document
    }

    /// Lets a definition come to rest. Returns `type=status reason` of its conditions after each step.
    fn steps(document: &mut Value, used: &Used) -> Vec<Vec<String>> {
        let mut all = Vec::new();
        while let Some(step) = next(&Definition::of(document), used, false) {
            step.apply(document, "2026-01-01T00:00:00Z");
            let conditions = Definition::of(document).conditions;
            let text = |Condition { ty, status, reason, .. }: &Condition| format!("{ty}={status} {reason}");
            all.push(conditions.iter().map(text).collect());
            assert!(all.len() < 10, "it does not come to rest: {all:?}");
        }
        all
    }

    #[test]
    fn a_kind_is_served_after_its_names_are_accepted() {
        let mut definition = document(json!({}));
        assert_eq!(
            steps(&mut definition, &Used::default()),
            [
                ["NamesAccepted=True NoConflicts", "Established=False Installing"],
                ["NamesAccepted=True NoConflicts", "Established=True InitialNamesAccepted"],
            ]
        );
        // Its names may change, and it stays served.
        definition["spec"]["names"]["shortNames"] = json!(["w"]);
        assert_eq!(
            steps(&mut definition, &Used::default()),
            [["NamesAccepted=True NoConflicts", "Established=True InitialNamesAccepted"]]
        );
        assert_eq!(definition["status"]["acceptedNames"]["shortNames"], json!(["w"]));
    }

    #[test]
    fn a_kind_waits_for_names_in_use() {
        let mut used = Used::default();
        used.add(&Names { kind: "Widget".to_owned(), ..Names::default() });
        let mut definition = document(json!({}));
        assert_eq!(
            steps(&mut definition, &used),
            [["NamesAccepted=False KindConflict", "Established=False NotAccepted"]]
        );
        assert_eq!(definition["status"]["acceptedNames"]["plural"], "widgets");
        assert_eq!(
            steps(&mut definition, &Used::default()),
            [
                ["NamesAccepted=True NoConflicts", "Established=False Installing"],
                ["NamesAccepted=True NoConflicts", "Established=True InitialNamesAccepted"],
            ]
        );
    }

    #[test]
    fn schemas_and_approvals_are_judged() {
        let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"a": {}}}});
        let mut definition = document(json!({
            "group": "widgets.k8s.io",
            "versions": [{"name": "v1", "storage": true, "schema": schema}],
        }));
        let all = steps(&mut definition, &Used::default());
        assert_eq!(
            all.last().unwrap()[..],
            [
                "KubernetesAPIApprovalPolicyConformant=False MissingAnnotation",
                "NamesAccepted=True NoConflicts",
                "Established=True InitialNamesAccepted",
                "NonStructuralSchema=True Violations",
            ]
        );
        assert_eq!(
            definition["status"]["conditions"][3]["message"],
            "spec.versions[0].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified \
             object fields"
        );
        definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"] = json!({});
        definition["metadata"]["annotations"] = json!({"api-approved.kubernetes.io": "https://a.b"});
        let all = steps(&mut definition, &Used::default());
        assert_eq!(
            all.last().unwrap()[..],
            [
                "KubernetesAPIApprovalPolicyConformant=True ApprovedAnnotation",
                "NamesAccepted=True NoConflicts",
                "Established=True InitialNamesAccepted",
            ]
        );
        // What was said is not repeated.
        definition["status"]["conditions"][0]["message"] = "another server's words".into();
        assert!(next(&Definition::of(&definition), &Used::default(), true).is_none());
        assert!(next(&Definition::of(&definition), &Used::default(), false).is_some());
    }

    #[test]
    fn a_kind_is_not_served_with_wrong_certificates() {
        let webhook = json!({"clientConfig": {"caBundle": "YWJj"}});
        let mut definition = document(json!({"conversion": {"strategy": "Webhook", "webhook": webhook}}));
        let all = steps(&mut definition, &Used::default());
        assert_eq!(
            all.last().unwrap()[..],
            ["NamesAccepted=True NoConflicts", "Established=False InvalidCABundle"]
        );
    }
}
