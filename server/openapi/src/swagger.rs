//! Makes a document of OpenAPI v2 of those of OpenAPI v3.

use std::collections::BTreeMap;

use openapiv3::OpenAPI;
use serde_json::{Map, Value, json};

use crate::names;

/// Keywords of schemas that OpenAPI v2 does not have, or that upstream does not publish there.
const V3_ONLY: [&str; 5] = ["default", "nullable", "oneOf", "anyOf", "not"];

/// A document of OpenAPI v2 while it is made, as text.
pub(crate) struct Swagger {
    info: Value,
    paths: BTreeMap<String, String>,
    definitions: BTreeMap<String, String>,
    token: Value,
}

impl Swagger {
    /// A document without paths.
    pub(crate) fn new(version: &str) -> Self {
        let info = json!({"title": "Kubernetes", "version": version});
        Self { info, paths: BTreeMap::new(), definitions: BTreeMap::new(), token: json!({}) }
    }

    /// Adds what a document of OpenAPI v3 contains.
    pub(crate) fn add(&mut self, document: &OpenAPI) {
        for (path, item) in &document.paths.paths {
            self.paths.insert(path.clone(), path_item(json!(item)).to_string());
        }
        let Some(components) = &document.components else { return };
        for (name, schema) in &components.schemas {
            if !self.definitions.contains_key(name) {
                self.definitions.insert(name.clone(), self::schema(json!(schema)).to_string());
            }
        }
        self.token = json!(components.security_schemes);
    }

    /// The document in JSON.
    pub(crate) fn finish(self) -> String {
        let Self { info, paths, definitions, token } = self;
        let (paths, definitions) = (joined(paths), joined(definitions));
        format!(
            r#"{{"swagger":"2.0","info":{info},"paths":{paths},"definitions":{definitions},"securityDefinitions":{token},"security":[{{"BearerToken":[]}}]}}"#
        )
    }
}

/// An object of members whose values are JSON.
fn joined(members: BTreeMap<String, String>) -> String {
    let mut out = String::from("{");
    for (name, value) in members {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&format!("{}:{value}", Value::from(name)));
    }
    out.push('}');
    out
}

fn members(value: Value) -> impl Iterator<Item = (String, Value)> {
    let members = match value {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    members.into_iter()
}

fn path_item(item: Value) -> Value {
    let converted = members(item).map(|(key, value)| match key.as_str() {
        "parameters" => (key, parameters(value)),
        _ => (key, operation(value)),
    });
    converted.collect::<Map<_, _>>().into()
}

fn parameters(list: Value) -> Value {
    let parameter = |value: Value| -> Value {
        let flat = members(value).flat_map(|(key, value)| match key.as_str() {
            // Here the type is not in a schema.
            "schema" => members(value).collect::<Vec<_>>(),
            "style" => Vec::new(),
            _ => vec![(key, value)],
        });
        flat.collect::<Map<_, _>>().into()
    };
    match list {
        Value::Array(list) => list.into_iter().map(parameter).collect(),
        _ => json!([]),
    }
}

fn operation(operation: Value) -> Value {
    let mut out = Map::new();
    let mut all = json!([]);
    let mut body = None;
    for (key, value) in members(operation) {
        match key.as_str() {
            "parameters" => all = parameters(value),
            "requestBody" => body = Some(value),
            "responses" => {
                let (produces, responses) = responses(value);
                out.insert("produces".to_owned(), produces);
                out.insert(key, responses);
            }
            _ => drop(out.insert(key, value)),
        }
    }
    // What is not about objects has the media types of its answer here, too.
    let consumes = out.get("produces").filter(|_| !out.contains_key("x-kubernetes-action"));
    let mut consumes = consumes.cloned().unwrap_or_else(|| json!(["*/*"]));
    if let Some(body) = body {
        let required = body.get("required").cloned();
        let mut content = members(body.get("content").cloned().unwrap_or_default()).peekable();
        if let Some((_, media)) = content.peek() {
            let mut parameter =
                json!({"name": "body", "in": "body", "schema": schema(media["schema"].clone())});
            if let Some(required) = required {
                parameter["required"] = required;
            }
            if let Some(list) = all.as_array_mut() {
                list.insert(0, parameter);
            }
        }
        consumes = content.map(|(media, _)| Value::from(media)).collect();
    }
    out.insert("consumes".to_owned(), consumes);
    if all.as_array().is_some_and(|list| !list.is_empty()) {
        out.insert("parameters".to_owned(), all);
    }
    out.into()
}

/// The media types of answers, and the answers.
fn responses(responses: Value) -> (Value, Value) {
    let mut produces = json!([]);
    let converted = members(responses).map(|(code, response)| {
        let mut out = json!({"description": response["description"]});
        let content: Vec<_> = members(response.get("content").cloned().unwrap_or_default()).collect();
        if let Some((_, media)) = content.first() {
            out["schema"] = schema(media["schema"].clone());
            produces = content.iter().map(|(media, _)| Value::from(media.as_str())).collect();
        }
        (code, out)
    });
    let converted: Map<String, Value> = converted.collect();
    (produces, converted.into())
}

/// Removes facts that would let clients of v2 refuse what a definition allows, such as null, as upstream does.
fn drop_what_old_clients_misread(members: &mut Map<String, Value>) {
    let is_set =
        |members: &Map<String, Value>, keyword: &str| members.get(keyword) == Some(&Value::Bool(true));
    let is_nullable = |schema: &Value| schema["nullable"] == true;
    let allows_all = is_set(members, "x-kubernetes-preserve-unknown-fields");
    if is_set(members, "nullable") || members.contains_key("x-kubernetes-int-or-string") {
        members.remove("type");
    }
    // Fields would be all that there are.
    if is_set(members, "nullable") || allows_all {
        members.remove("items");
        members.remove("properties");
    }
    if allows_all && members.get("type").is_some_and(|ty| ty == "object")
        || members.get("type").is_some_and(|ty| ty == "array") && !members.contains_key("items")
    {
        members.remove("type");
    }
    // A required field could not be null.
    let nullable = match members.get("properties") {
        Some(Value::Object(properties)) => {
            let nullable = properties.iter().filter(|(_, schema)| is_nullable(schema));
            nullable.map(|(name, _)| name.clone()).collect()
        }
        _ => Vec::new(),
    };
    if let Some(Value::Array(required)) = members.get_mut("required") {
        required.retain(|name| nullable.iter().all(|nullable| name != nullable.as_str()));
        if required.is_empty() {
            members.remove("required");
        }
    }
    if members.get("additionalProperties").is_some_and(is_nullable) {
        members.remove("required");
    }
}

/// A schema without what OpenAPI v2 does not have. A reference can have facts beside it there.
fn schema(schema: Value) -> Value {
    let Value::Object(mut members) = schema else { return schema };
    if members.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(true))
        && let Some(kinds) = members.remove("x-kubernetes-group-version-kind")
    {
        // Upstream tells nothing else of a kind that may have anything.
        return json!({"type": "object", "x-kubernetes-group-version-kind": kinds});
    }
    if members.get("oneOf").is_some() && members.get("type").is_none() {
        members.insert("type".to_owned(), "string".into());
    }
    drop_what_old_clients_misread(&mut members);
    V3_ONLY.iter().for_each(|keyword| drop(members.remove(*keyword)));
    let mut out = Map::new();
    for (key, value) in members {
        match (key.as_str(), value) {
            ("$ref", Value::String(reference)) => {
                out.insert(key, reference.replace(names::SCHEMAS, names::DEFINITIONS).into());
            }
            ("allOf", Value::Array(all)) if all.len() == 1 => {
                out.extend(self::members(self::schema(all.into_iter().next().unwrap_or_default())));
            }
            ("allOf", Value::Array(all)) => {
                out.insert(key, all.into_iter().map(self::schema).collect());
            }
            ("items" | "additionalProperties", value) => {
                out.insert(key, self::schema(value));
            }
            ("properties", value) => {
                let properties = self::members(value).map(|(name, value)| (name, self::schema(value)));
                out.insert(key, properties.collect::<Map<_, _>>().into());
            }
            (_, value) => drop(out.insert(key, value)),
        }
    }
    out.into()
}
