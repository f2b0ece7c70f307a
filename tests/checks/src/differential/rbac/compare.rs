//! Whether two answers are the same.

use serde_json::Value;

use super::oracle::Oracle;

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Equal,
    /// Several bindings allow it, and the reasons name two of them.
    OtherBinding,
    Different,
}

/// Compares the answers to a question.
pub fn questions(oracle: &Oracle, spec: &Value, theirs: &Value, ours: &Value) -> Verdict {
    if sorted(theirs) == sorted(ours) {
        return Verdict::Equal;
    }
    let (mut theirs, mut ours) = (theirs.clone(), ours.clone());
    let reasons = [&mut theirs, &mut ours].map(|answer| answer["reason"].take());
    let known = oracle.reasons(spec);
    let are_known = reasons.iter().all(|reason| known.iter().any(|known| *reason == **known));
    if theirs == ours && theirs["allowed"] == true && are_known {
        Verdict::OtherBinding
    } else {
        Verdict::Different
    }
}

/// Compares the answers to a request of a user: who is refused is refused with the same sentence. Nobody compares what
/// others get.
pub fn requests(theirs: &Value, ours: &Value) -> Verdict {
    let is_refused = |answer: &Value| answer["code"] == 403;
    let same = match (is_refused(theirs), is_refused(ours)) {
        (false, false) => true,
        (true, true) => sorted(theirs) == sorted(ours),
        _ => false,
    };
    if same { Verdict::Equal } else { Verdict::Different }
}

/// Compares the answers to a write.
pub fn writes(theirs: &Value, ours: &Value) -> Verdict {
    if sorted(theirs) == sorted(ours) { Verdict::Equal } else { Verdict::Different }
}

/// Compares lists of rules, whose order is that of bindings.
pub fn rules(theirs: &Value, ours: &Value) -> Verdict {
    let in_order = |status: &Value| {
        let mut status = sorted(status);
        for list in ["resourceRules", "nonResourceRules"] {
            if let Some(rules) = status[list].as_array_mut() {
                rules.sort_by_key(Value::to_string);
            }
        }
        status
    };
    if in_order(theirs) == in_order(ours) { Verdict::Equal } else { Verdict::Different }
}

/// An answer, whose messages list roles that do not exist in the order of their names: the other server has none.
fn sorted(answer: &Value) -> Value {
    match answer {
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, value)| (name.clone(), sorted(value))).collect())
        }
        Value::String(text) => Value::String(with_sorted_list(text)),
        other => other.clone(),
    }
}

/// The list is in brackets, and each of its elements ends with `not found`.
fn with_sorted_list(text: &str) -> String {
    let Some(end) = text.rfind("not found]") else { return text.to_owned() };
    let end = end + "not found".len();
    let Some(start) = text[..end].rfind('[').map(|start| start + 1) else { return text.to_owned() };
    let mut elements: Vec<&str> = text[start..end].split(", ").collect();
    if !elements.iter().all(|element| element.ends_with("not found")) {
        return text.to_owned();
    }
    elements.sort_unstable();
    format!("{}{}{}", &text[..start], elements.join(", "), &text[end..])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_order_of_what_is_not_found_is_free() {
        let refused = |message: &str| json!({"code": 403, "message": message});
        let (a, b) = (
            r#"x: RBAC: [a "1" not found, a "2" not found]"#,
            r#"x: RBAC: [a "2" not found, a "1" not found]"#,
        );
        assert_eq!(requests(&refused(a), &refused(b)), Verdict::Equal);
        for other in [
            r#"x: RBAC: [a "2" not found, a "3" not found]"#,
            r#"y: RBAC: [a "2" not found, a "1" not found]"#,
            "x",
        ] {
            assert_eq!(requests(&refused(a), &refused(other)), Verdict::Different, "{other}");
            assert_eq!(writes(&refused(a), &refused(other)), Verdict::Different, "{other}");
        }
        assert_eq!(requests(&refused(a), &json!({"code": 200})), Verdict::Different);
        assert_eq!(requests(&json!({"code": 404}), &json!({"code": 200})), Verdict::Equal);
        let a = r#"held: {A:["x"]}; resolution errors: [[a "1" not found, a "2" not found]]"#;
        let b = r#"held: {A:["x"]}; resolution errors: [[a "2" not found, a "1" not found]]"#;
        assert_eq!(writes(&refused(a), &refused(b)), Verdict::Equal);
    }

    #[test]
    fn another_binding_has_to_allow_it_as_well() {
        let rule = json!({"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]});
        let role = |name: &str, rules: Value| json!({"kind": "clusterroles", "metadata": {"name": name}, "rules": rules});
        let binding = |name: &str, role: &str| {
            json!({
                "kind": "clusterrolebindings", "metadata": {"name": name},
                "roleRef": {"kind": "ClusterRole", "name": role}, "subjects": [{"kind": "User", "name": "u"}],
            })
        };
        let objects = vec![
            role("r", json!([rule])),
            role("none", json!([])),
            binding("a", "r"),
            binding("b", "r"),
            binding("c", "none"),
        ];
        let oracle = Oracle::new(objects);
        let spec = json!({"user": "u", "resourceAttributes": {"verb": "get", "resource": "pods"}});
        let by = |name: &str, role: &str| {
            let reason = format!(
                "RBAC: allowed by ClusterRoleBinding \"{name}\" of ClusterRole \"{role}\" to User \"u\""
            );
            json!({"allowed": true, "reason": reason})
        };
        assert_eq!(questions(&oracle, &spec, &by("a", "r"), &by("b", "r")), Verdict::OtherBinding);
        assert_eq!(questions(&oracle, &spec, &by("c", "none"), &by("b", "r")), Verdict::Different);
        assert_eq!(questions(&oracle, &spec, &by("a", "r"), &json!({"allowed": false})), Verdict::Different);
    }

    #[test]
    fn rules_are_compared_as_a_set() {
        let status =
            |rules: Value| json!({"resourceRules": rules, "nonResourceRules": [], "incomplete": false});
        assert_eq!(rules(&status(json!([1, 2])), &status(json!([2, 1]))), Verdict::Equal);
        assert_eq!(rules(&status(json!([1, 2])), &status(json!([2, 2]))), Verdict::Different);
    }
}
