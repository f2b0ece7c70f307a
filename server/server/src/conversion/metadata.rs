//! What a conversion must not change of an object: who it is.
//!
//! A webhook answers with labels and annotations; everything else of the metadata is that of the object that it was sent. The
//! rules and texts are upstream's.

use std::collections::BTreeSet;

use hubgen_machinery::convert::MAX_ANNOTATIONS;
use hubgen_patch::typed::type_of;
use hubgen_validation::names;
use serde_json::{Map, Value};

/// Checks that an object is the one that was sent.
///
/// # Errors
/// If it is another one.
pub(super) fn check_identity(sent: &Value, converted: &Value) -> Result<(), String> {
    for (what, field) in [("name", "name"), ("namespace", "namespace"), ("UID", "uid")] {
        let text = |object: &Value| object["metadata"][field].as_str().unwrap_or_default().to_owned();
        let (sent, found) = (text(sent), text(converted));
        if sent != found {
            return Err(format!("must have the same {what}: {sent} != {found}"));
        }
    }
    Ok(())
}

/// Gives a converted object the metadata of the one that was sent, but for its own labels and annotations.
///
/// # Errors
/// If these, or its metadata, are not what they must be.
pub(super) fn restore(sent: &Value, converted: &mut Value) -> Result<(), String> {
    let answered = match converted.get("metadata") {
        None => return Err("missing metadata in converted object".to_owned()),
        Some(Value::Object(answered)) => answered.clone(),
        Some(other) => {
            return Err(format!("invalid metadata of type {} in converted object", type_of(other)));
        }
    };
    let mut metadata = sent["metadata"].as_object().cloned().unwrap_or_default();
    for field in ["labels", "annotations"] {
        let texts = match answered.get(field) {
            None | Some(Value::Null) => {
                metadata.shift_remove(field);
                continue;
            }
            Some(Value::Object(texts)) => texts,
            Some(other) => {
                let found = type_of(other);
                return Err(format!("invalid metadata.{field} of type {found} in converted object"));
            }
        };
        if let Some((key, value)) = texts.iter().find(|(_, value)| !value.is_string()) {
            let found = type_of(value);
            return Err(format!(
                "metadata.{field}[{key}] must be a string, but is {found} in converted object"
            ));
        }
        if metadata.get(field).and_then(Value::as_object) != Some(texts) {
            let mistakes = if field == "labels" { of_labels(texts) } else { of_annotations(texts) };
            match mistakes.as_slice() {
                [] => {}
                [one] => return Err(one.clone()),
                all => return Err(format!("[{}]", all.join(", "))),
            }
        }
        metadata.insert(field.to_owned(), Value::Object(texts.clone()));
    }
    converted["metadata"] = Value::Object(metadata);
    Ok(())
}

fn of_labels(labels: &Map<String, Value>) -> Vec<String> {
    let invalid = |text: &str, why: String| format!("metadata.labels: Invalid value: {text:?}: {why}");
    let mut mistakes = Vec::new();
    for (key, value) in labels {
        let value = value.as_str().unwrap_or_default();
        mistakes.extend(names::label_key_mistakes(key).into_iter().map(|why| invalid(key, why)));
        mistakes.extend(names::label_value_mistakes(value).into_iter().map(|why| invalid(value, why)));
    }
    once(mistakes)
}

fn of_annotations(annotations: &Map<String, Value>) -> Vec<String> {
    const PATH: &str = "metadata.annotation";
    let mut mistakes = Vec::new();
    let mut size = 0;
    for (key, value) in annotations {
        size += key.len() + value.as_str().map_or(0, str::len);
        let of_key = names::label_key_mistakes(&key.to_lowercase()).into_iter();
        mistakes.extend(of_key.map(|why| format!("{PATH}: Invalid value: {key:?}: {why}")));
    }
    if size > MAX_ANNOTATIONS {
        mistakes.push(format!("{PATH}: Too long: may not be more than {MAX_ANNOTATIONS} bytes"));
    }
    once(mistakes)
}

/// Several errors in one text are each told once.
fn once(mut mistakes: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    mistakes.retain(|mistake| seen.insert(mistake.clone()));
    mistakes
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sent() -> Value {
        json!({"metadata": {
            "name": "a", "namespace": "n", "uid": "u", "generation": 1,
            "labels": {"not a label": "kept"}, "annotations": {"k": "v"},
        }})
    }

    #[test]
    fn only_labels_and_annotations_change() {
        let mut converted = json!({"metadata": {
            "name": "a", "generation": 2, "finalizers": ["x/y"], "labels": {"a": "b"}, "annotations": null,
        }});
        restore(&sent(), &mut converted).unwrap();
        let expected =
            json!({"name": "a", "namespace": "n", "uid": "u", "generation": 1, "labels": {"a": "b"}});
        assert_eq!(converted, json!({"metadata": expected}));
        // What is wrong already is no mistake of the webhook.
        let mut same = sent();
        restore(&sent(), &mut same).unwrap();
        assert_eq!(same, sent());
    }

    #[test]
    fn identity_is_kept() {
        for (field, why) in [
            ("name", "must have the same name: a != x"),
            ("namespace", "must have the same namespace: n != x"),
            ("uid", "must have the same UID: u != x"),
        ] {
            let mut converted = sent();
            converted["metadata"][field] = "x".into();
            assert_eq!(check_identity(&sent(), &converted), Err(why.to_owned()));
        }
        assert_eq!(check_identity(&sent(), &sent()), Ok(()));
    }

    #[test]
    fn wrong_metadata_is_refused() {
        for (metadata, why) in [
            (json!(null), "invalid metadata of type <nil> in converted object"),
            (json!([]), "invalid metadata of type []interface {} in converted object"),
            (json!({"labels": 1.5}), "invalid metadata.labels of type float64 in converted object"),
            (
                json!({"labels": {"a": 5}}),
                "metadata.labels[a] must be a string, but is int64 in converted object",
            ),
            (
                json!({"annotations": {"a": {}}}),
                "metadata.annotations[a] must be a string, but is map[string]interface {} in converted object",
            ),
            (
                json!({"annotations": {"a": "x".repeat(262_144)}}),
                "metadata.annotation: Too long: may not be more than 262144 bytes",
            ),
        ] {
            let mut converted = json!({"metadata": metadata});
            assert_eq!(restore(&sent(), &mut converted), Err(why.to_owned()));
        }
        assert_eq!(restore(&sent(), &mut json!({})), Err("missing metadata in converted object".to_owned()));
        let two = restore(&sent(), &mut json!({"metadata": {"labels": {"a b": "c d"}}})).unwrap_err();
        assert!(two.starts_with("[metadata.labels: Invalid value: \"a b\": name part must"), "{two}");
        assert!(two.contains(", metadata.labels: Invalid value: \"c d\": a valid label must"), "{two}");
    }
}
