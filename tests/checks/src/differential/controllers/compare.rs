//! Whether two servers come to the same.

use serde_json::{Map, Value, json};

use super::listed::listed;
use crate::differential::answers::Verdict;

/// Compares a recorded answer with ours, both as they are compared.
pub fn judge(line: &Value, ours: &Value) -> Verdict {
    let theirs = &line["answer"];
    if theirs == ours {
        return Verdict::Equal;
    }
    match listed(line, theirs, ours) {
        Some(name) => Verdict::Listed(name),
        None => Verdict::Different(format!("there {theirs}, here {ours}")),
    }
}

/// What is compared of an answer: of a request the code and the error, and of objects what controllers change.
pub fn normal(answer: &Value, slug: &str) -> Value {
    if let Some(objects) = answer["objects"].as_object() {
        let found: Map<String, Value> =
            objects.iter().map(|(name, found)| (name.clone(), object(found, slug))).collect();
        return json!({"objects": found});
    }
    let body = &answer["body"];
    if answer["code"].as_u64().is_none_or(|code| code < 400) {
        return json!({"code": answer["code"]});
    }
    let causes = body["details"]["causes"].as_array().into_iter().flatten();
    let causes: Vec<Value> = causes
        .map(|cause| {
            json!({
                "reason": cause["reason"], "message": text(&cause["message"], slug), "field": cause["field"],
            })
        })
        .collect();
    json!({
        "code": answer["code"], "reason": body["reason"], "message": text(&body["message"], slug), "causes": causes,
        "about": text(&body["details"]["name"], slug), "kind": body["details"]["kind"],
    })
}

fn object(object: &Value, slug: &str) -> Value {
    let metadata = &object["metadata"];
    let mut kept = json!({});
    let mut keep = |name: &str, value: Value| {
        if !value.is_null() {
            kept[name] = value;
        }
    };
    keep("finalizers", metadata["finalizers"].clone());
    keep("deleted", metadata["deletionTimestamp"].is_string().then_some(true).into());
    keep("grace", metadata["deletionGracePeriodSeconds"].clone());
    keep("generation", metadata["generation"].clone());
    let owner = |owner: &Value| {
        let mut owner = owner.clone();
        owner["name"] = text(&owner["name"], slug);
        owner["apiVersion"] = text(&owner["apiVersion"], slug);
        owner["uid"] = text(&owner["uid"], slug);
        owner
    };
    let owners = metadata["ownerReferences"].as_array();
    keep("owners", owners.map(|all| all.iter().map(owner).collect::<Vec<_>>()).into());
    match object["kind"].as_str() {
        Some("Namespace") => {
            keep("phase", object["status"]["phase"].clone());
            keep("kept by", object["spec"]["finalizers"].clone());
            let condition = |condition: &Value| {
                json!({
                    "type": condition["type"], "status": condition["status"], "reason": condition["reason"],
                    "message": text(&condition["message"], slug),
                })
            };
            let conditions = object["status"]["conditions"].as_array();
            keep("conditions", conditions.map(|all| all.iter().map(condition).collect::<Vec<_>>()).into());
        }
        Some("Event") => {
            for member in ["type", "reason", "source", "reportingComponent", "count"] {
                keep(member, object[member].clone());
            }
            keep("message", text(&object["message"], slug));
            keep("about", text(&object["involvedObject"]["name"], slug));
        }
        _ => {}
    }
    kept
}

/// A text without what every run has of its own: uids, and what its names begin with.
fn text(text: &Value, slug: &str) -> Value {
    let Some(text) = text.as_str() else { return text.clone() };
    uids(&text.replace(&format!("{slug}-"), "").replace(slug, "SCENARIO")).into()
}

/// Replaces uids, but the one of nobody.
fn uids(text: &str) -> String {
    const LENGTH: usize = 36;
    let is_uid = |text: &[u8]| {
        text.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
    };
    let mut out = text.to_owned();
    while let Some(at) = out.as_bytes().windows(LENGTH).position(is_uid) {
        let by = if out[at..].starts_with("00000000-") { "NOBODY" } else { "UID" };
        out.replace_range(at..at + LENGTH, by);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_a_runs_own_is_replaced() {
        let found = text(&"a-b-c has a9bdffd1-ecda-4e69-bf1e-6885d9147db1 of x.a-b".into(), "a-b");
        assert_eq!(found, "c has UID of x.SCENARIO");
    }

    #[test]
    fn another_end_is_noticed() {
        let line =
            |finalizers: Value| json!({"answer": {"objects": {"ConfigMap a/o": {"finalizers": finalizers}}}});
        assert_eq!(judge(&line(json!(["f"])), &line(json!(["f"]))["answer"]), Verdict::Equal);
        assert!(matches!(judge(&line(json!(["f"])), &line(json!([]))["answer"]), Verdict::Different(_)));
    }
}
