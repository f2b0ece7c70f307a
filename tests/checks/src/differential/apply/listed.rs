//! How the answers of another server differ from ours, and why. docs/server.md explains each reason.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::differential::owners::listed::{self as of_owners, BEHAVIOR, NO_DEFAULTS, is_inside};

const KEPT: &str = "Fields that strategies keep or fill are as the patch leaves them";
const NO_GENERATION: &str = "A CSIDriver has no generation";
const ANY_JSON: &str = "A patch leaves any JSON as it is";
const NO_ADMISSION: &str = "No admission changes objects";
const ALLOCATED: &str = "Addresses and ports of Services are not allocated";
const GIVEN_UP: &str = "What a manager gives up at one version goes at all";
const NO_TEMPLATE_GENERATION: &str = "A DaemonSet has no template generation";
const EMPTY: &str = "An empty list in the place of none is no change";
const CONVERTED: &str = "A conversion adds no zeros";
const STASHED: &str = "An annotation has what a version cannot represent";

/// Fields that differ besides those of updates: by kind, the field with what is inside, and why.
const FIELDS: [(&str, &str, &str); 22] = [
    ("CSIDriver", "f:metadata/f:generation", NO_GENERATION),
    ("DaemonSet", "f:metadata/f:generation", NO_TEMPLATE_GENERATION),
    ("DeviceClass", "f:metadata/f:generation", ANY_JSON),
    ("DeviceTaintRule", "f:metadata/f:generation", KEPT),
    ("HorizontalPodAutoscaler", "f:metadata/f:generation", NO_DEFAULTS),
    ("HorizontalPodAutoscaler", "f:metadata/f:annotations/f:conversion.hubgen.dev/kept", STASHED),
    ("Job", "f:metadata/f:generation", KEPT),
    ("Job", "f:spec/f:selector", KEPT),
    ("Job", "f:spec/f:scheduling", KEPT),
    ("Lease", "f:spec/f:preferredHolder", KEPT),
    ("Lease", "f:spec/f:strategy", KEPT),
    ("Namespace", "f:metadata/f:labels/f:kubernetes.io/metadata.name", KEPT),
    ("PersistentVolumeClaim", "f:spec/f:dataSourceRef", KEPT),
    ("Pod", "f:metadata/f:generation", KEPT),
    ("Pod", "f:spec/f:preemptionPolicy", NO_ADMISSION),
    ("Pod", "f:spec/f:priority", NO_ADMISSION),
    ("Pod", "f:spec/f:resources", KEPT),
    ("Pod", "f:spec/f:schedulingGroup", KEPT),
    ("Pod", "f:status/f:phase", KEPT),
    ("ResourceSlice", "f:spec/f:partitionTypeAttribute", KEPT),
    ("Service", "f:spec/f:healthCheckNodePort", ALLOCATED),
    ("ValidatingWebhookConfiguration", "f:metadata/f:generation", EMPTY),
];

/// Fields that differ if managers have written at several versions.
const AT_VERSIONS: [(&str, &str, &str); 4] = [
    (
        "HorizontalPodAutoscaler",
        "f:metadata/f:annotations/f:autoscaling.alpha.kubernetes.io/metrics",
        GIVEN_UP,
    ),
    ("HorizontalPodAutoscaler", "f:spec/f:metrics", GIVEN_UP),
    ("HorizontalPodAutoscaler", "f:spec/f:targetCPUUtilizationPercentage", GIVEN_UP),
    ("HorizontalPodAutoscaler", "f:status/f:currentMetrics", CONVERTED),
];

/// What a sequence is about: a kind, and the versions at which its objects are written.
#[derive(Clone, Copy)]
pub struct Of<'a> {
    pub kind: &'a Value,
    /// The steps so far.
    pub steps: &'a [Value],
}

impl Of<'_> {
    /// The listed fields, and why they differ.
    fn fields(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let versions: BTreeSet<&str> =
            self.steps.iter().filter_map(|step| step["version"].as_str()).collect();
        let at_versions = if versions.len() > 1 { &AT_VERSIONS[..] } else { &[] };
        let kind = self.kind.as_str().unwrap_or_default().to_owned();
        // At its older version the annotation is a field like others.
        let annotation = (kind == "HorizontalPodAutoscaler").then_some((BEHAVIOR, NO_DEFAULTS));
        let all = of_owners::FIELDS.iter().chain(&FIELDS).chain(at_versions).copied();
        all.filter(move |(of, ..)| *of == kind).map(|(_, field, why)| (field, why)).chain(annotation)
    }

    /// Why a field differs; `None` if it should not.
    fn why(self, place: &str) -> Option<&'static str> {
        // That there are annotations at all follows from those that are listed.
        let is_around = |field: &str| place == "f:metadata/f:annotations" && is_inside(field, place);
        let mut fields = self.fields();
        fields.find(|(field, _)| is_inside(place, field) || is_around(field)).map(|(_, why)| why)
    }

    /// Whether the last step is about a listed field, and why it differs.
    fn mentioned(self) -> Option<&'static str> {
        let step = self.steps.last()?;
        self.fields().find(|(field, _)| mentions(step, field)).map(|(_, why)| why)
    }
}

/// Why the answers to the last of the steps differ, one reason for each difference.
///
/// # Errors
/// A difference that is not listed.
pub fn whys(of: Of<'_>, theirs: &Value, ours: &Value) -> Result<BTreeSet<&'static str>, String> {
    let mut found = BTreeSet::new();
    let mut list =
        |what: &str, why: Option<&'static str>| why.map(|why| found.insert(why)).ok_or(what.to_owned());
    if theirs["code"] != ours["code"] {
        list("code", of_codes(of, theirs, ours))?;
        return Ok(found);
    }
    // What a strategy has kept from a client leaves an object without owners, which gets some only by its first apply.
    let had_none = |answer: &Value| {
        let all = answer["owners"].as_array();
        all.is_some_and(|all| all.is_empty() || all.iter().any(|one| one["manager"] == "before-first-apply"))
    };
    let are_gone = of.kind == "CertificateSigningRequest" && had_none(theirs) && !had_none(ours);
    if are_gone && theirs["owners"] != ours["owners"] {
        list("owners", Some(KEPT))?;
    }
    let alike = if are_gone { theirs_owners(theirs, ours) } else { ours.clone() };
    for place in places(theirs, &alike) {
        list(&place, of.why(&place))?;
    }
    if theirs["reason"] != ours["reason"] {
        list("reason", None)?;
    }
    let (their_conflicts, our_conflicts) = (conflicts(theirs), conflicts(ours));
    for (_, field) in their_conflicts.symmetric_difference(&our_conflicts) {
        list("causes", of.why(field))?;
    }
    let is_conflict = theirs["code"] == 409;
    if is_conflict && their_conflicts == our_conflicts && theirs["message"] != ours["message"] {
        list("message", None)?;
    }
    // Whether anything changes, and so the time, depends on what the objects have in listed fields.
    let differs = |name: &str| theirs[name] != ours[name];
    if found.is_empty() && (differs("owners") || differs("is unsorted")) {
        found.insert(of_times(of).filter(|_| differs_in_times(theirs, ours)).ok_or("owners")?);
    }
    Ok(found)
}

/// Why the answers have different codes.
fn of_codes(of: Of<'_>, theirs: &Value, ours: &Value) -> Option<&'static str> {
    let step = of.steps.last()?;
    // Only one side knows a conflict, and each of its fields is listed.
    for (refusal, success) in [(theirs, ours), (ours, theirs)] {
        let is_conflict = refusal["code"] == 409 && step["verb"] == "apply" && success["code"] == 200;
        let conflicts = conflicts(refusal);
        if is_conflict && !conflicts.is_empty() {
            let whys: Option<Vec<&str>> = conflicts.iter().map(|(_, field)| of.why(field)).collect();
            return whys?.first().copied();
        }
    }
    // A client that tests a field that is listed, or what it is in, cannot go on.
    if ours["code"] == 0 && theirs["code"] == 200 {
        let tested = |operation: &Value| {
            let path = operation["path"].as_str().unwrap_or_default().replace('/', "/f:");
            let path = path.trim_start_matches('/').to_owned();
            of.fields()
                .find(|(field, _)| is_inside(&path, field) || is_inside(field, &path))
                .map(|(_, why)| why)
        };
        let mut operations = step["change"].as_array().into_iter().flatten();
        return operations.find_map(tested);
    }
    let is_refused = theirs["code"] == 200 && ours["code"] == 422;
    of_owners::of_codes(of.kind, step, theirs, ours).or_else(|| of.mentioned().filter(|_| is_refused))
}

/// Who conflicts, and in which field.
fn conflicts(answer: &Value) -> BTreeSet<(String, String)> {
    let causes = answer["causes"].as_array().into_iter().flatten();
    let text = |cause: &Value, name: &str| cause[name].as_str().unwrap_or_default().to_owned();
    causes.map(|cause| (text(cause, "message"), place_of(&text(cause, "field")))).collect()
}

/// The place of a path in a message: `.spec.ports[port=80].nodePort` is `f:spec/f:ports/f:nodePort`. Names with dots become
/// several members, which only makes a place longer.
fn place_of(path: &str) -> String {
    let mut place = String::new();
    let mut depth = 0;
    for c in path.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ if depth > 0 => {}
            '.' => place.push_str(if place.is_empty() { "f:" } else { "/f:" }),
            c => place.push(c),
        }
    }
    // Annotations have dots in their names.
    match place.split_once("f:metadata/f:annotations/f:") {
        Some(("", name)) => format!("f:metadata/f:annotations/f:{}", name.replace("/f:", ".")),
        _ => place,
    }
}

/// Whether the change of a step has a field.
fn mentions(step: &Value, field: &str) -> bool {
    let mut at = &step["change"];
    for name in field.split('/') {
        at = &at[name.trim_start_matches("f:")];
    }
    !at.is_null()
}

/// Why times may differ: a step about a listed field may change an object in one server and not in the other.
/// Owners keep their times, so that each step so far counts.
fn of_times(of: Of<'_>) -> Option<&'static str> {
    let has = |field: &str| of.steps.iter().any(|step| mentions(step, field));
    of.fields().find(|(field, _)| has(field)).map(|(_, why)| why)
}

/// Whether the owners differ in nothing but times.
fn differs_in_times(theirs: &Value, ours: &Value) -> bool {
    let timeless = |answer: &Value| {
        let mut owners = answer["owners"].clone();
        for owner in owners.as_array_mut().into_iter().flatten() {
            owner["time"] = Value::Null;
        }
        owners
    };
    timeless(theirs) == timeless(ours) && theirs["is unsorted"] == ours["is unsorted"]
}

/// An answer with the owners of another one.
fn theirs_owners(theirs: &Value, ours: &Value) -> Value {
    let mut ours = ours.clone();
    ours["owners"] = theirs["owners"].clone();
    ours
}

/// The places that differ in owners and in objects.
fn places(theirs: &Value, ours: &Value) -> BTreeSet<String> {
    let mut found = of_owners::places(theirs, ours).unwrap_or_default();
    differ(&theirs["object"], &ours["object"], "", &mut found);
    found
}

/// Adds the places in two objects that differ. Lists of the same length are compared item by item, without a place of each.
fn differ(theirs: &Value, ours: &Value, path: &str, found: &mut BTreeSet<String>) {
    match (theirs, ours) {
        (Value::Object(one), Value::Object(other)) => {
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for name in names {
                let slash = if path.is_empty() { "" } else { "/" };
                differ(&theirs[name], &ours[name], &format!("{path}{slash}f:{name}"), found);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            one.iter().zip(other).for_each(|(one, other)| differ(one, other, path, found));
        }
        // Where one side lacks an object, only its listed members may be in it.
        (Value::Object(only), Value::Null) | (Value::Null, Value::Object(only)) if !only.is_empty() => {
            for (name, value) in only {
                differ(value, &Value::Null, &format!("{path}/f:{name}"), found);
            }
        }
        (one, other) if one == other => {}
        _ => drop(found.insert(path.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(
        kind: &str,
        step: &Value,
        theirs: &Value,
        ours: &Value,
    ) -> Result<BTreeSet<&'static str>, String> {
        whys(Of { kind: &kind.into(), steps: std::slice::from_ref(step) }, theirs, ours)
    }

    #[test]
    fn fields_of_versions_are_listed_only_if_there_are_several() {
        let answer = |spec: Value| json!({"code": 200, "object": {"spec": spec}, "owners": []});
        let (theirs, ours) = (answer(json!({"metrics": [1]})), answer(json!({})));
        let judged = |versions: &[&str]| {
            let steps: Vec<Value> = versions.iter().map(|version| json!({"version": version})).collect();
            whys(Of { kind: &"HorizontalPodAutoscaler".into(), steps: &steps }, &theirs, &ours)
        };
        assert_eq!(judged(&["autoscaling/v1", "autoscaling/v2"]), Ok([GIVEN_UP].into()));
        assert!(judged(&["autoscaling/v2", "autoscaling/v2"]).is_err());
    }

    #[test]
    fn each_reason_is_explained() {
        let docs = include_str!("../../../../../docs/server.md");
        for (.., why) in FIELDS.iter().chain(&AT_VERSIONS) {
            assert!(docs.contains(&format!("\n| {why} |")), "{why}");
        }
    }

    #[test]
    fn a_field_beyond_a_listed_one_is_refused() {
        let answer = |spec: Value| json!({"code": 200, "object": {"spec": spec}, "owners": []});
        let listed = judged("Job", &json!({}), &answer(json!({"selector": {"a": 1}})), &answer(json!({})));
        assert_eq!(listed, Ok([KEPT].into()));
        for (kind, theirs, ours) in [
            ("Pod", json!({"selector": {"a": 1}}), json!({})),
            ("Job", json!({"selectors": {"a": 1}}), json!({})),
            ("Job", json!({"selector": {"a": 1}, "parallelism": 1}), json!({})),
            ("Job", json!({"selector": {"a": 1}, "parallelism": 1}), json!({"parallelism": 2})),
        ] {
            assert!(judged(kind, &json!({}), &answer(theirs), &answer(ours)).is_err(), "{kind}");
        }
    }

    #[test]
    fn a_conflict_beyond_a_listed_field_is_refused() {
        let apply = json!({"verb": "apply"});
        let accepted = json!({"code": 200, "owners": [], "object": {}});
        let refused = |field: &str| {
            let cause = json!({"message": "conflict with \"a\"", "field": field});
            json!({"code": 409, "reason": "Conflict", "message": field, "causes": [cause]})
        };
        let listed = [".spec.clusterIP", ".spec.ports[port=80,protocol=\"TCP\"].nodePort"];
        for field in listed {
            assert_eq!(judged("Service", &apply, &accepted, &refused(field)), Ok([ALLOCATED].into()));
            assert_eq!(judged("Service", &apply, &refused(field), &accepted), Ok([ALLOCATED].into()));
            assert_eq!(
                judged("Service", &apply, &refused(field), &refused(listed[0])),
                Ok(if field == listed[0] { BTreeSet::new() } else { [ALLOCATED].into() })
            );
            assert!(judged("Pod", &apply, &accepted, &refused(field)).is_err());
            assert!(judged("Service", &json!({"verb": "update"}), &accepted, &refused(field)).is_err());
        }
        assert!(judged("Service", &apply, &accepted, &refused(".spec.selector")).is_err());
        assert!(judged("Service", &apply, &refused(".spec.clusterIP"), &refused(".spec.selector")).is_err());
        let annotation = refused(".metadata.annotations.deprecated.daemonset.template.generation");
        assert!(judged("DaemonSet", &apply, &accepted, &annotation).is_ok());
        let mut reworded = refused(".spec.selector");
        reworded["message"] = "another".into();
        assert_eq!(
            judged("Service", &apply, &refused(".spec.selector"), &reworded),
            Err("message".to_owned())
        );
    }

    #[test]
    fn times_may_differ_only_where_a_listed_field_is_applied() {
        let answer =
            |time: Value| json!({"code": 200, "owners": [{"manager": "a", "time": time}], "object": {}});
        let (changed, same) = (answer("now".into()), answer(Value::Null));
        let applied = |spec: Value| json!({"verb": "apply", "change": {"spec": spec}});
        assert!(judged("Node", &applied(json!({"taints": []})), &changed, &same).is_ok());
        for (kind, spec, theirs) in [
            ("Node", json!({"podCIDR": "x"}), &changed),
            ("Pod", json!({"taints": []}), &changed),
            (
                "Node",
                json!({"taints": []}),
                &json!({"code": 200, "owners": [{"manager": "b"}], "object": {}}),
            ),
        ] {
            assert!(judged(kind, &applied(spec), theirs, &same).is_err(), "{kind}");
        }
    }

    #[test]
    fn only_requests_for_certificates_lose_all_owners() {
        let owned = json!([{"manager": "a", "fieldsV1": {"f:metadata": {"f:labels": {}}}}]);
        let answer = |owners: Value| json!({"code": 200, "owners": owners, "object": {}});
        let (none, one) = (answer(json!([])), answer(owned));
        assert_eq!(judged("CertificateSigningRequest", &json!({}), &none, &one), Ok([KEPT].into()));
        assert!(judged("CertificateSigningRequest", &json!({}), &one, &none).is_err());
        assert!(judged("ConfigMap", &json!({}), &none, &one).is_err());
        let mut other = one.clone();
        other["object"]["spec"]["x"] = 1.into();
        assert!(judged("CertificateSigningRequest", &json!({}), &none, &other).is_ok(), "its spec is listed");
        other["object"]["metadata"]["x"] = 1.into();
        assert!(judged("CertificateSigningRequest", &json!({}), &none, &other).is_err());
    }

    #[test]
    fn a_test_of_another_field_is_no_excuse() {
        let (theirs, ours) = (json!({"code": 200}), json!({"code": 0}));
        let test = |path: &str| json!({"verb": "update", "change": [{"op": "test", "path": path}]});
        assert!(judged("Service", &test("/spec"), &theirs, &ours).is_ok());
        assert!(judged("Service", &test("/spec/clusterIP"), &theirs, &ours).is_ok());
        assert!(judged("Service", &test("/spec/selector"), &theirs, &ours).is_err());
        assert!(judged("ConfigMap", &test("/data"), &theirs, &ours).is_err());
    }
}
