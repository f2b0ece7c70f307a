//! The rules of roles and bindings, with upstream's messages in upstream's order: what is required comes last.

use hubgen_machinery::Str;
use hubgen_meta::v1::LabelSelector;
use hubgen_rbac::v1::{ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef, Subject};
use hubgen_validation::names;
use serde_json::{Value, json};

use super::{Violation, Violations, Written};

const GROUP: &str = "rbac.authorization.k8s.io";

/// What is wrong with a role or a binding at its hub, apart from its metadata; `None` if the object is neither.
pub(super) fn violations(&Written { object, old, .. }: &Written<'_>) -> Option<Violations> {
    let mut found = Violations::default();
    if let Some(role) = object.downcast_ref::<Role>() {
        rules(&role.rules, true, &mut found);
    } else if let Some(role) = object.downcast_ref::<ClusterRole>() {
        rules(&role.rules, false, &mut found);
        aggregation(role, old.and_then(|old| old.downcast_ref()), &mut found);
    } else if let Some(binding) = object.downcast_ref::<RoleBinding>() {
        let old = old.and_then(|old| old.downcast_ref::<RoleBinding>());
        role_ref(&binding.role_ref, &["Role", "ClusterRole"], &mut found);
        subjects(&binding.subjects, true, &mut found);
        immutable(&binding.role_ref, old.map(|old| &old.role_ref), &mut found);
        required(&binding.subjects, &binding.role_ref, &mut found);
    } else {
        let binding = object.downcast_ref::<ClusterRoleBinding>()?;
        let old = old.and_then(|old| old.downcast_ref::<ClusterRoleBinding>());
        role_ref(&binding.role_ref, &["ClusterRole"], &mut found);
        subjects(&binding.subjects, false, &mut found);
        immutable(&binding.role_ref, old.map(|old| &old.role_ref), &mut found);
        required(&binding.subjects, &binding.role_ref, &mut found);
    }
    Some(found)
}

fn rules(rules: &[PolicyRule], is_namespaced: bool, found: &mut Violations) {
    for (index, rule) in rules.iter().enumerate() {
        let at = |field: &str| format!("rules[{index}].{field}");
        if rule.non_resource_urls.is_empty() {
            if rule.api_groups.is_empty() {
                let why = "resource rules must supply at least one api group";
                found.add(|| Violation::required(at("apiGroups"), why));
            }
            if rule.resources.is_empty() {
                let why = "resource rules must supply at least one resource";
                found.add(|| Violation::required(at("resources"), why));
            }
            continue;
        }
        let urls: Vec<&str> = rule.non_resource_urls.iter().map(|url| &**url).collect();
        let mut wrong =
            |why: &str| found.add(|| Violation::invalid_json(at("nonResourceURLs"), &json!(urls), why));
        if is_namespaced {
            wrong("namespaced rules cannot apply to non-resource URLs");
        }
        if !(rule.api_groups.is_empty() && rule.resources.is_empty() && rule.resource_names.is_empty()) {
            wrong("rules cannot apply to both regular resources and non-resource URLs");
        }
    }
    for (index, _) in rules.iter().enumerate().filter(|(_, rule)| rule.verbs.is_empty()) {
        found.add(|| Violation::required(format!("rules[{index}].verbs"), ""));
    }
}

fn aggregation(role: &ClusterRole, old: Option<&ClusterRole>, found: &mut Violations) {
    let Some(rule) = &role.aggregation_rule else { return };
    if rule.cluster_role_selectors.is_empty() {
        let why = "at least one clusterRoleSelector required if aggregationRule is non-nil";
        found.add(|| Violation::required("aggregationRule.clusterRoleSelectors", why));
    }
    // Objects from before values were checked may keep theirs.
    let had_wrong_values = old.and_then(|old| old.aggregation_rule.as_ref()).is_some_and(|rule| {
        let mut before = Violations::default();
        for one in &rule.cluster_role_selectors {
            selector("", one, true, &mut before);
        }
        !before.is_empty()
    });
    for (index, one) in rule.cluster_role_selectors.iter().enumerate() {
        let path = format!("aggregationRule.clusterRoleSelectors[{index}]");
        selector(&path, one, !had_wrong_values, found);
        let mut strictly = Violations::default();
        selector(&path, one, true, &mut strictly);
        if !strictly.is_empty() {
            found.add(|| Violation::invalid_json(path, &Value::Null, "invalid label selector."));
        }
    }
}

/// The rules of a selector of labels.
fn selector(path: &str, selector: &LabelSelector, checks_values: bool, found: &mut Violations) {
    for (name, value) in selector.match_labels.iter() {
        key(&format!("{path}.matchLabels"), name, found);
        if checks_values {
            for why in names::label_value_mistakes(value) {
                found.add(|| Violation::invalid(format!("{path}.matchLabels"), value, why));
            }
        }
    }
    for (index, requirement) in selector.match_expressions.iter().enumerate() {
        let path = format!("{path}.matchExpressions[{index}]");
        match (&*requirement.operator, requirement.values.is_empty()) {
            ("In" | "NotIn", true) => {
                let why = "must be specified when `operator` is 'In' or 'NotIn'";
                found.add(|| Violation::required(format!("{path}.values"), why));
            }
            ("Exists" | "DoesNotExist", false) => {
                let why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                found.add(|| Violation::forbidden(format!("{path}.values"), why));
            }
            ("In" | "NotIn" | "Exists" | "DoesNotExist", _) => {}
            (operator, _) => {
                let why = "not a valid selector operator";
                found.add(|| Violation::invalid(format!("{path}.operator"), operator, why));
            }
        }
        key(&format!("{path}.key"), &requirement.key, found);
        if checks_values {
            for (index, value) in requirement.values.iter().enumerate() {
                for why in names::label_value_mistakes(value) {
                    found.add(|| Violation::invalid(format!("{path}.values[{index}]"), value, why));
                }
            }
        }
    }
}

fn key(path: &str, key: &str, found: &mut Violations) {
    for why in names::label_key_mistakes(key) {
        found.add(|| Violation::invalid(path, key, why));
    }
}

fn role_ref(role: &RoleRef, kinds: &[&str], found: &mut Violations) {
    if role.api_group != GROUP {
        found.add(|| Violation::not_supported("roleRef.apiGroup", &role.api_group, &[GROUP]));
    }
    if !kinds.contains(&&*role.kind) {
        found.add(|| Violation::not_supported("roleRef.kind", &role.kind, kinds));
    }
    for why in names::path_segment_mistakes(&role.name) {
        found.add(|| Violation::invalid("roleRef.name", &role.name, why));
    }
}

fn immutable(role: &RoleRef, old: Option<&RoleRef>, found: &mut Violations) {
    if old.is_some_and(|old| old != role) {
        let RoleRef { api_group, kind, name } = role;
        // The names are those of upstream's internal type.
        let shown = json!({"APIGroup": &**api_group, "Kind": &**kind, "Name": &**name});
        found.add(|| Violation::invalid_json("roleRef", &shown, "field is immutable"));
    }
}

fn subjects(subjects: &[Subject], is_namespaced: bool, found: &mut Violations) {
    for (index, subject) in subjects.iter().enumerate() {
        let at = |field: &str| format!("subjects[{index}].{field}");
        let group = |expected: &'static str, found: &mut Violations| {
            if subject.api_group != expected {
                found.add(|| Violation::not_supported(at("apiGroup"), &subject.api_group, &[expected]));
            }
        };
        match &*subject.kind {
            "ServiceAccount" => {
                account_name(&at("name"), &subject.name, found);
                group("", found);
                if !is_namespaced && subject.namespace.is_empty() {
                    found.add(|| Violation::required(at("namespace"), ""));
                }
            }
            "User" | "Group" => group(GROUP, found),
            kind => {
                let kinds = ["ServiceAccount", "User", "Group"];
                found.add(|| Violation::not_supported(at("kind"), kind, &kinds));
            }
        }
    }
}

fn required(subjects: &[Subject], role: &RoleRef, found: &mut Violations) {
    for (index, _) in subjects.iter().enumerate().filter(|(_, subject)| subject.name.is_empty()) {
        found.add(|| Violation::required(format!("subjects[{index}].name"), ""));
    }
    if role.name.is_empty() {
        found.add(|| Violation::required("roleRef.name", ""));
    }
}

fn account_name(path: &str, name: &Str, found: &mut Violations) {
    if !name.is_empty() {
        for why in names::subdomain_mistakes(name) {
            found.add(|| Violation::invalid(path, name, why));
        }
    }
}
