//! Makes objects with one mistake of a valid one.

use serde_json::{Value, json};

/// All mutations of an object: what was changed, and the object.
pub fn all(json: &Value, object: &Value) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    walk(json, object, String::new(), &mut |path, what, replacement| {
        let mut changed = object.clone();
        match replacement {
            Some(value) => *changed.pointer_mut(path).unwrap() = value,
            None => {
                let (parent, name) = path.rsplit_once('/').unwrap();
                let name = name.replace("~1", "/").replace("~0", "~");
                changed.pointer_mut(parent).unwrap().as_object_mut().unwrap().shift_remove(&name);
            }
        }
        if changed != *object {
            found.push((format!("{path} {what}"), changed));
        }
    });
    found
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
