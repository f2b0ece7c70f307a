//! Generates valid objects of a schema.

use hubgen_validation::Schema;
use serde_json::{Map, Value, json};

/// Texts that fit most patterns and formats.
const TEXTS: [&str; 29] = [
    "a",
    "example.com",
    "a-b",
    "A",
    "Abc",
    "1",
    "10",
    "100m",
    "1Gi",
    "10s",
    "1h",
    "5%",
    "/",
    "/a",
    "a/b",
    "a.b/c",
    "#a",
    "https://example.com",
    "10.0.0.1",
    "10.0.0.0/8",
    "2024-01-01T00:00:00Z",
    "YQ==",
    "a=b",
    "*.example.com",
    "a@example.com",
    "::1",
    "sha256:0123456789012345678901234567890123456789012345678901234567890123",
    "",
    "aaaaaaaaaaaaaaaaaaaa",
];

/// Objects without metadata: one with as many fields as fit together, and one with only required ones.
pub fn objects(schema: &Schema, json: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    for is_full in [true, false] {
        let mut content = value(json, is_full, 0).unwrap_or_default();
        let Some(members) = content.as_object_mut() else { continue };
        for name in ["apiVersion", "kind", "metadata"] {
            members.shift_remove(name);
        }
        if schema.validate(&content).is_ok() && !found.contains(&content) {
            found.push(content);
        }
    }
    found
}

/// Whether a value is valid by a part of a schema.
fn fits(json: &Value, value: &Value) -> bool {
    let root = json!({"type": "object", "properties": {"v": json}});
    Schema::compile(&root).is_ok_and(|schema| schema.validate(&json!({"v": value})).is_ok())
}

fn value(json: &Value, is_full: bool, depth: usize) -> Option<Value> {
    if let Some(first) = json.get("enum").and_then(Value::as_array).and_then(|words| words.first()) {
        return Some(first.clone());
    }
    let flag = |name: &str| json.get(name) == Some(&Value::Bool(true));
    if flag("x-kubernetes-int-or-string") {
        return [json!(1), json!("1"), json!("5%"), json!("1Gi")].into_iter().find(|value| fits(json, value));
    }
    if flag("x-kubernetes-embedded-resource") {
        return Some(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}));
    }
    match json.get("type").and_then(Value::as_str) {
        Some("boolean") => Some(true.into()),
        Some("integer" | "number") => {
            let limits = ["minimum", "maximum", "multipleOf"].map(|name| json.get(name).cloned());
            let candidates = [json!(1), json!(100), json!(0), json!(1000), json!(8080)];
            candidates.into_iter().chain(limits.into_iter().flatten()).find(|value| fits(json, value))
        }
        Some("string") => TEXTS.into_iter().map(Value::from).find(|value| fits(json, value)),
        Some("array") => {
            let least = json.get("minItems").and_then(Value::as_u64).unwrap_or(0).max(1);
            let item = value(&json["items"], is_full, depth + 1)?;
            let list = Value::Array(vec![item; usize::try_from(least).ok()?]);
            fits(json, &list).then_some(list)
        }
        Some("object") => object(json, is_full, depth),
        _ => Some(json!({"any": [1, {"x": "y"}]})),
    }
}

/// An object with its required properties, and as many others as fit.
fn object(json: &Value, is_full: bool, depth: usize) -> Option<Value> {
    let required: Vec<&str> = json
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut members = Map::new();
    let mut optional = Map::new();
    for (name, property) in json.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let is_required = required.contains(&name.as_str());
        if !is_required && depth > 0 && !is_full && name != "spec" {
            continue;
        }
        match value(property, is_full, depth + 1) {
            Some(value) if is_required || depth == 0 => drop(members.insert(name.clone(), value)),
            Some(value) => drop(optional.insert(name.clone(), value)),
            None if is_required => return None,
            None => {}
        }
    }
    if let Some(values) = json.get("additionalProperties").filter(|values| values.is_object()) {
        members.insert("a".to_owned(), value(values, is_full, depth + 1)?);
    }
    let all: Map<String, Value> =
        members.iter().chain(&optional).map(|(name, value)| (name.clone(), value.clone())).collect();
    let all = Value::Object(all);
    if depth == 0 || fits(json, &all) {
        return Some(all);
    }
    // Alternatives exclude each other: take what fits, one after the other.
    let mut found = fits(json, &Value::Object(members.clone())).then(|| members.clone());
    for (name, value) in optional {
        let mut with = found.clone().unwrap_or_else(|| members.clone());
        with.insert(name, value);
        if fits(json, &Value::Object(with.clone())) {
            found = Some(with);
        }
    }
    found.map(Value::Object)
}
