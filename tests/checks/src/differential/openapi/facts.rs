//! What clients read of a document: each schema and each operation, without prose, and in one form where there are two.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// The facts of a document, by what they are about: `schema io.k8s.api.core.v1.Pod`, `get /api/v1/pods`.
#[derive(Debug, Default, PartialEq)]
pub struct Facts(pub BTreeMap<String, Value>);

impl Facts {
    /// The facts of a document of OpenAPI v2 or v3.
    pub fn of(document: &Value) -> Self {
        let mut facts = BTreeMap::new();
        let schemas = document.pointer("/components/schemas").or_else(|| document.get("definitions"));
        for (name, value) in members(schemas) {
            facts.insert(format!("schema {name}"), schema(value));
        }
        let shared = document.get("parameters");
        for (path, item) in members(document.get("paths")) {
            for (method, operation) in members(Some(item)).filter(|(method, _)| *method != "parameters") {
                facts.insert(format!("{method} {path}"), self::operation(item, operation, shared));
            }
        }
        Self(facts)
    }

    /// The names of schemas and of their fields only.
    pub fn names(document: &Value) -> Self {
        let all = Self::of(document).0.into_iter().filter(|(name, _)| name.starts_with("schema "));
        let names = |schema: Value| -> Map<String, Value> {
            members(schema.get("properties")).map(|(name, _)| (name.clone(), Value::Bool(true))).collect()
        };
        Self(all.map(|(name, schema)| (name, names(schema).into())).collect())
    }
}

fn members(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}

/// A schema without descriptions. A reference is the same whether it is alone in an `allOf` or not.
fn schema(value: &Value) -> Value {
    let Some(members) = value.as_object() else { return value.clone() };
    let mut out = Map::new();
    for (key, value) in members {
        match (key.as_str(), value) {
            ("description", _) => {}
            ("allOf", Value::Array(all)) if all.len() == 1 => {
                out.extend(
                    all[0].as_object().into_iter().flatten().map(|(key, value)| (key.clone(), value.clone())),
                );
            }
            ("properties", Value::Object(properties)) => {
                let properties = properties.iter().map(|(name, value)| (name.clone(), schema(value)));
                out.insert(key.clone(), properties.collect::<Map<_, _>>().into());
            }
            ("items" | "additionalProperties" | "not", value) => {
                out.insert(key.clone(), schema(value));
            }
            ("allOf" | "oneOf" | "anyOf", Value::Array(all)) => {
                out.insert(key.clone(), all.iter().map(schema).collect());
            }
            ("x-kubernetes-group-version-kind", Value::Array(kinds)) => {
                let mut kinds: Vec<_> = kinds.iter().map(kind).collect();
                kinds.sort();
                out.insert(key.clone(), kinds.into());
            }
            _ => drop(out.insert(key.clone(), value.clone())),
        }
    }
    out.into()
}

/// A kind as one text.
fn kind(value: &Value) -> String {
    let part = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    format!("{}/{} {}", part("group"), part("version"), part("kind"))
}

/// An operation: its name, action and kind; parameters with their types, those of the path included; what it receives and
/// answers, by media type.
fn operation(item: &Value, operation: &Value, shared: Option<&Value>) -> Value {
    let mut parameters = Map::new();
    let mut receives = Map::new();
    let listed = |of: &Value| of["parameters"].as_array().cloned().unwrap_or_default();
    for parameter in listed(item).into_iter().chain(listed(operation)) {
        let name = parameter["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
        let parameter = name.and_then(|name| shared?.get(name)).cloned().unwrap_or(parameter);
        let (name, place) = (text(&parameter, "name"), text(&parameter, "in"));
        let required = parameter["required"] == true;
        if place == "body" {
            receives.insert("required".to_owned(), required.into());
            receives.insert("schema".to_owned(), reference(&parameter["schema"]));
            continue;
        }
        let kind = parameter.pointer("/schema/type").or_else(|| parameter.get("type"));
        parameters.insert(format!("{place} {name}"), json!({"required": required, "type": kind}));
    }
    if let Some(body) = operation.get("requestBody") {
        receives.insert("required".to_owned(), (body["required"] == true).into());
        receives.extend(content(body));
    }
    let answers: Map<String, Value> = members(operation.get("responses"))
        .map(|(code, response)| {
            let answer = match response.get("schema") {
                Some(schema) => json!({"schema": reference(schema)}),
                None => content(response).into(),
            };
            (code.clone(), answer)
        })
        .collect();
    json!({
        "id": operation["operationId"],
        "tags": operation["tags"],
        "action": operation["x-kubernetes-action"],
        "kind": operation.get("x-kubernetes-group-version-kind").map(kind),
        "parameters": parameters,
        "consumes": media(&operation["consumes"]),
        "produces": media(&operation["produces"]),
        "receives": receives,
        "answers": answers,
    })
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// Media types, each as a member, so that one more is one difference.
fn media(list: &Value) -> Value {
    let names = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    names.map(|name| (name.to_owned(), Value::Bool(true))).collect::<Map<_, _>>().into()
}

/// The schema of each media type.
fn content(of: &Value) -> Map<String, Value> {
    members(of.get("content")).map(|(media, value)| (media.clone(), reference(&value["schema"]))).collect()
}

/// The last part of a reference, or a schema that is none.
fn reference(value: &Value) -> Value {
    match value["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
        Some(name) => name.into(),
        None => schema(value),
    }
}
