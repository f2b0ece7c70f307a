//! Makes objects with one mistake of a valid one.

use serde_json::{Value, json};

/// At most `most` mutations of an object, evenly spread over it: what was changed, and the object.
pub fn some(json: &Value, object: &Value, most: usize) -> Vec<(String, Value)> {
    let mut changes = Vec::new();
    walk(json, object, String::new(), &mut |path, what, replacement| {
        if object.pointer(path) != replacement.as_ref() {
            changes.push((path.to_owned(), what.to_owned(), replacement));
        }
    });
    let count = most.min(changes.len());
    let chosen = (0..count).map(|at| &changes[at * changes.len() / count]);
    chosen
        .map(|(path, what, replacement)| (format!("{path} {what}"), changed(object, path, replacement)))
        .collect()
}

/// The object with another value at the path, or without one.
fn changed(object: &Value, path: &str, replacement: &Option<Value>) -> Value {
    let mut changed = object.clone();
    match replacement {
        Some(value) => *changed.pointer_mut(path).unwrap() = value.clone(),
        None => {
            let (parent, name) = path.rsplit_once('/').unwrap();
            let name = name.replace("~1", "/").replace("~0", "~");
            changed.pointer_mut(parent).unwrap().as_object_mut().unwrap().shift_remove(&name);
        }
    }
    changed
}

/// Calls `found` with each replacement of a value at or below the path, or without one to remove it.
fn walk(json: &Value, value: &Value, path: String, found: &mut dyn FnMut(&str, &str, Option<Value>)) {
    if !path.is_empty() {
        for other in [json!(null), json!(1), json!(1.5), json!("x"), json!(true), json!([]), json!({})] {
            found(&path, &format!("is {other}"), Some(other.clone()));
        }
    }
    let number = |name: &str| json.get(name).and_then(Value::as_i64);
    match value {
        Value::String(text) => {
            if let Some(max) = number("maxLength") {
                found(&path, "is too long", Some("é".repeat(usize::try_from(max + 1).unwrap()).into()));
            }
            if let Some(min) = number("minLength").filter(|min| *min > 0) {
                found(
                    &path,
                    "is too short",
                    Some(text.chars().take(usize::try_from(min - 1).unwrap()).collect::<String>().into()),
                );
            }
            for other in ["", "!!", "\n", "é\u{1f600}<&>\"", "UPPER lower"] {
                found(&path, &format!("is {other:?}"), Some(other.into()));
            }
        }
        Value::Number(_) => {
            for other in [json!(-1), json!(0), json!(i64::MAX), json!(i64::MIN), json!(1e21), json!(-0.25)] {
                found(&path, &format!("is {other}"), Some(other.clone()));
            }
            for name in ["minimum", "maximum"] {
                for step in [-1, 0, 1] {
                    if let Some(limit) = number(name) {
                        found(&path, &format!("is {name} {step}"), Some(limit.saturating_add(step).into()));
                    }
                }
            }
        }
        Value::Array(items) => {
            let least = usize::try_from(number("maxItems").unwrap_or(1)).unwrap().min(200) + 1;
            let many: Vec<Value> = items.iter().cycle().take(least.max(items.len() * 2)).cloned().collect();
            found(&path, "has many items", Some(many.into()));
            for other in [json!(null), json!("x"), json!({}), json!([])] {
                let mut items = items.clone();
                items.push(other.clone());
                found(&path, &format!("has another {other}"), Some(items.into()));
            }
            for (at, item) in items.iter().enumerate() {
                walk(&json["items"], item, format!("{path}/{at}"), found);
            }
        }
        Value::Object(members) => {
            for (name, other) in [("unknown", json!({"a": 1})), ("unknown", json!(null)), ("a.b/c", json!(1))]
            {
                let mut members = members.clone();
                members.insert(name.to_owned(), other.clone());
                if !path.is_empty() {
                    found(&path, &format!("has {name} {other}"), Some(members.into()));
                }
            }
            for (name, member) in members {
                let path = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
                found(&path, "is absent", None);
                let below = json.get("properties").and_then(|properties| properties.get(name));
                let below = below.or(json.get("additionalProperties")).unwrap_or(&Value::Null);
                walk(below, member, path, found);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}
