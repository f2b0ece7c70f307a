//! Whether two answers are the same.

use serde_json::{Value, json};

use super::listed;
use crate::differential::answers::Verdict;

/// Compares the answers to a request.
pub(super) fn judge(ask: &Value, theirs: &Value, ours: &Value) -> Verdict {
    let (theirs, ours) = (normal(theirs), normal(ours));
    if theirs == ours {
        return Verdict::Equal;
    }
    if let Some(name) = listed::listed(ask, &theirs, &ours) {
        return Verdict::Listed(name);
    }
    let mut place = String::new();
    let (theirs, ours) = first_difference(&theirs, &ours, &mut place);
    Verdict::Different(format!("{place}: there {}, here {}", shown(theirs), shown(ours)))
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), Value::to_string)
}

/// The first place where two values differ.
fn first_difference<'a>(
    theirs: &'a Value,
    ours: &'a Value,
    place: &mut String,
) -> (Option<&'a Value>, Option<&'a Value>) {
    match (theirs, ours) {
        (Value::Object(one), Value::Object(other)) => {
            let names = one.keys().chain(other.keys().filter(|name| !one.contains_key(*name)));
            for name in names {
                let found = (one.get(name), other.get(name));
                if found.0 != found.1 {
                    place.push('/');
                    place.push_str(name);
                    return match found {
                        (Some(theirs), Some(ours)) => first_difference(theirs, ours, place),
                        found => found,
                    };
                }
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            if let Some(at) = (0..one.len()).find(|at| one[*at] != other[*at]) {
                place.push_str(&format!("/{at}"));
                return first_difference(&one[at], &other[at], place);
            }
        }
        _ => {}
    }
    (Some(theirs), Some(ours))
}

/// An answer without what every server has its own of: identities, revisions and times; and with the causes of errors in order,
/// of which the message is made.
fn normal(answer: &Value) -> Value {
    if answer.get("error").is_some() {
        return json!({"error": true});
    }
    let mut out = answer.clone();
    let is_error = answer["code"].as_u64().is_some_and(|code| code >= 400);
    let body = &mut out["body"];
    // Upstream walks through maps in an order by chance.
    if is_error
        && let Some((what, errors)) = body["message"].as_str().and_then(|told| told.split_once("errors:\n"))
    {
        let mut errors: Vec<&str> = errors.split('\n').collect();
        errors.sort_unstable();
        body["message"] = format!("{what}errors:\n{}", errors.join("\n")).into();
    }
    if body["kind"] == "APIResourceList" {
        // Neither the resources nor their verbs have an order.
        let resources = body.get_mut("resources").and_then(Value::as_array_mut);
        for resource in resources.into_iter().flatten() {
            if let Some(verbs) = resource.get_mut("verbs").and_then(Value::as_array_mut) {
                verbs.sort_by_key(Value::to_string);
            }
        }
        if let Some(resources) = body.get_mut("resources").and_then(Value::as_array_mut) {
            resources.sort_by_key(|resource| resource["name"].to_string());
        }
    }
    if let Some(details) = body.get_mut("details").and_then(Value::as_object_mut) {
        details.shift_remove("uid");
    }
    let is_table = body["kind"] == "Table";
    if is_table {
        without_ages(body);
    }
    anonymize(body.get_mut("metadata"));
    for list in ["items", "rows"] {
        for item in body.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            let object = if is_table { item.get_mut("object") } else { Some(item) };
            anonymize(object.and_then(|object| object.get_mut("metadata")));
        }
    }
    if is_error {
        if let Some(message) = body.get_mut("message") {
            *message = without_identities(message.as_str().unwrap_or_default()).into();
        }
        let causes = body.pointer_mut("/details/causes").and_then(Value::as_array_mut);
        let several = causes.is_some_and(|causes| {
            for cause in causes.iter_mut() {
                if let Some(message) = cause.get_mut("message") {
                    *message = without_identities(message.as_str().unwrap_or_default()).into();
                }
            }
            causes.sort_by_key(Value::to_string);
            causes.len() > 1
        });
        if several {
            body["message"] = json!("of the causes");
        }
    }
    out
}

/// Removes from metadata what every server has its own of.
fn anonymize(metadata: Option<&mut Value>) {
    let Some(metadata) = metadata.and_then(Value::as_object_mut) else { return };
    for name in ["uid", "resourceVersion", "creationTimestamp", "deletionTimestamp"] {
        metadata.shift_remove(name);
    }
    let owners = metadata.get_mut("managedFields").and_then(Value::as_array_mut);
    if let Some(owners) = owners {
        for owner in owners.iter_mut().filter_map(Value::as_object_mut) {
            owner.shift_remove("time");
        }
        // Their order is that of the times.
        owners.sort_by_key(|owner| {
            ["manager", "operation", "subresource", "apiVersion"].map(|name| owner[name].to_string())
        });
    }
}

/// Replaces ages in the cells of a table, which depend on when it is made, and the times at which objects were created.
fn without_ages(table: &mut Value) {
    let columns = table["columnDefinitions"].as_array().into_iter().flatten();
    let of_dates: Vec<usize> =
        columns.enumerate().filter(|(_, column)| column["type"] == "date").map(|(at, _)| at).collect();
    for row in table.get_mut("rows").and_then(Value::as_array_mut).into_iter().flatten() {
        let created = row["object"]["metadata"]["creationTimestamp"].clone();
        for cell in row["cells"].as_array_mut().into_iter().flatten() {
            if cell.is_string() && *cell == created {
                *cell = json!("a time");
            }
        }
        for at in &of_dates {
            let Some(cell) = row["cells"].get_mut(*at) else { continue };
            if cell.as_str().is_some_and(|cell| cell.starts_with(|first: char| first.is_ascii_digit())) {
                *cell = json!("an age");
            }
        }
    }
}

/// The text of an error without identities, revisions and times of an object that is in it, in JSON in quotes.
fn without_identities(text: &str) -> String {
    let mut out = text.to_owned();
    for name in ["uid", "resourceVersion", "creationTimestamp", "time"] {
        let begin = format!("\\\"{name}\\\":\\\"");
        let mut from = 0;
        while let Some(at) = out[from..].find(&begin) {
            let start = from + at + begin.len();
            let Some(length) = out[start..].find("\\\"") else { break };
            out.replace_range(start..start + length, "");
            from = start;
        }
    }
    // The uid of the stored object, at the end of the message about another one.
    if let Some(at) = out.find(", UID in object meta: ") {
        out.truncate(at);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_identities_and_the_order_of_causes_are_free() {
        let object = |uid: &str, size: u32| json!({"code": 200, "body": {"metadata": {"uid": uid}, "spec": {"size": size}}});
        assert_eq!(judge(&Value::Null, &object("a", 1), &object("b", 1)), Verdict::Equal);
        let different = judge(&Value::Null, &object("a", 1), &object("a", 2));
        assert_eq!(different, Verdict::Different("/body/spec/size: there 1, here 2".to_owned()));
        let refused = |message: &str, causes: [u32; 2]| json!({"code": 422, "body": {"message": message, "details": {"causes": causes}}});
        assert_eq!(judge(&Value::Null, &refused("a, b", [1, 2]), &refused("b, a", [2, 1])), Verdict::Equal);
        assert_ne!(judge(&Value::Null, &refused("a, b", [1, 2]), &refused("a, b", [1, 1])), Verdict::Equal);
    }

    #[test]
    fn identities_in_texts_are_free() {
        let text = |uid: &str, name: &str| {
            format!(r#"patch: Invalid value: "{{\"name\":\"{name}\",\"uid\":\"{uid}\"}}": b"#)
        };
        let refused = |text: String| json!({"code": 422, "body": {"message": text}});
        assert_eq!(judge(&Value::Null, &refused(text("a", "b")), &refused(text("c", "b"))), Verdict::Equal);
        assert_ne!(judge(&Value::Null, &refused(text("a", "b")), &refused(text("a", "c"))), Verdict::Equal);
    }

    #[test]
    fn ages_are_free_and_other_cells_are_not() {
        let table = |age: &str, name: &str| {
            let columns = [json!({"name": "Name", "type": "string"}), json!({"name": "Age", "type": "date"})];
            json!({"code": 200, "body": {"kind": "Table", "columnDefinitions": columns, "rows": [{"cells": [name, age]}]}})
        };
        assert_eq!(judge(&Value::Null, &table("1s", "a"), &table("3m", "a")), Verdict::Equal);
        assert_ne!(judge(&Value::Null, &table("1s", "a"), &table("<unknown>", "a")), Verdict::Equal);
        assert_ne!(judge(&Value::Null, &table("1s", "1s"), &table("1s", "2s")), Verdict::Equal);
    }
}
