//! CustomResourceDefinitions: our own, of `definitions.yaml`, and others.

use std::path::Path;

use hubgen_machinery::yaml;
use hubgen_validation::Schema;
use serde_json::{Value, json};

use super::here;

/// One version of a definition.
pub struct Definition {
    /// The whole definition, as it is installed.
    pub whole: Value,
    pub group: String,
    pub version: String,
    pub kind: String,
    pub plural: String,
    pub is_namespaced: bool,
    pub json: Value,
    pub schema: Schema,
    /// Whether there is a subresource `status`, so that the status of a new object is dropped.
    pub has_status: bool,
    /// A valid spec, and others.
    pub valid: Option<Value>,
    pub more: Vec<Value>,
    pub is_own: bool,
}

const GROUP: &str = "validation.example.com";

pub fn documents(text: &str) -> Vec<Value> {
    text.split("\n---\n")
        .filter(|text| text.lines().any(|line| !line.is_empty() && !line.starts_with('#')))
        .map(|text| serde_json::from_slice(&yaml::to_json(text).unwrap()).unwrap())
        .collect()
}

fn file(name: &str) -> Value {
    documents(&std::fs::read_to_string(here(name)).unwrap()).remove(0)
}

/// Our own definitions.
pub fn own() -> Vec<Definition> {
    let mut definitions: Vec<Definition> =
        file("definitions.yaml").as_array().unwrap().iter().map(of_short).collect();
    definitions.push(of_short(&formats()));
    definitions.push(of_short(&patterns()));
    definitions
}

/// A list of texts for each format.
fn formats() -> Value {
    let samples = file("samples.yaml");
    let names = samples.as_object().unwrap();
    let list = |name: &String| json!({"type": "array", "items": {"type": "string", "format": name}});
    let more: Vec<Value> = names.iter().flat_map(|(name, texts)| spread(name, texts)).collect();
    let properties: serde_json::Map<_, _> = names.keys().map(|name| (name.clone(), list(name))).collect();
    json!({"kind": "Format", "schema": {"properties": properties}, "more": more})
}

/// The samples of a format as they are, and changed in one character.
fn spread(name: &str, texts: &Value) -> Vec<Value> {
    let texts: Vec<&str> = texts.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    let mut changed: Vec<String> = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        for (at, c) in text.char_indices() {
            let (before, after) = (&text[..at], &text[at + c.len_utf8()..]);
            changed.push(format!("{before}{after}"));
            changed.push(format!("{before}{c}{c}{after}"));
            for (turn, other) in "0aZ-. :/@%\"(<[é,?9_+\\".chars().enumerate() {
                // Not all for each, which would be too many.
                if (turn + at + number) % 4 == 0 {
                    changed.push(format!("{before}{other}{after}"));
                    changed.push(format!("{before}{other}{c}{after}"));
                }
            }
        }
    }
    // A later release of Go takes hardware addresses without separators.
    changed.retain(|text| name != "mac" || text.contains([':', '-', '.']));
    changed.sort();
    changed.dedup();
    let mut all = vec![json!({name: texts})];
    all.extend(changed.chunks(500).map(|texts| json!({name: texts})));
    all
}

/// A list of texts for each pattern.
fn patterns() -> Value {
    let patterns = file("patterns.yaml");
    let (mut properties, mut spec) = (serde_json::Map::new(), serde_json::Map::new());
    for (number, (pattern, texts)) in patterns.as_object().unwrap().iter().enumerate() {
        let items = json!({"type": "string", "pattern": pattern});
        properties.insert(format!("p{number}"), json!({"type": "array", "items": items}));
        let mut texts = texts.clone();
        let others = ["", "a", "é", "\n", "-", "1", "A", "{", "ſ", "K", "a\n", " ", "]", "\u{85}", "aaaa"];
        texts.as_array_mut().unwrap().extend(others.map(Value::from));
        spec.insert(format!("p{number}"), texts);
    }
    json!({"kind": "Pattern", "schema": {"properties": properties}, "more": [spec]})
}

/// A definition of which only the schema of the spec is written.
fn of_short(short: &Value) -> Definition {
    let kind = short["kind"].as_str().unwrap();
    let plural = format!("{}s", kind.to_lowercase());
    let mut spec = short["schema"].clone();
    spec["type"] = "object".into();
    let mut schema = json!({"type": "object", "properties": {"spec": spec, "status": {"type": "object", "properties": {
        "phase": {"type": "string", "enum": ["Ready"]}
    }}}});
    for (name, property) in short.get("root").and_then(Value::as_object).into_iter().flatten() {
        schema["properties"][name] = property.clone();
    }
    let mut version = json!({
        "name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema},
    });
    if short.get("status").is_some() {
        version["subresources"] = json!({"status": {}});
    }
    let whole = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{GROUP}")},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural},
            "versions": [version],
        },
    });
    let mut definition = versions(&whole).remove(0);
    definition.is_own = true;
    definition.valid = short.get("valid").cloned();
    definition.more = short.get("more").and_then(Value::as_array).cloned().unwrap_or_default();
    definition
}

/// Each served version of a definition.
fn versions(whole: &Value) -> Vec<Definition> {
    let spec = &whole["spec"];
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let versions = spec["versions"].as_array().unwrap().iter().filter(|version| version["served"] == true);
    versions
        .map(|version| {
            let json = version["schema"]["openAPIV3Schema"].clone();
            let name = format!("{} {}", whole["metadata"]["name"], version["name"]);
            let schema = Schema::compile(&json).unwrap_or_else(|errors| panic!("{name}: {errors}"));
            Definition {
                whole: whole.clone(),
                group: text(&spec["group"]),
                version: text(&version["name"]),
                kind: text(&spec["names"]["kind"]),
                plural: text(&spec["names"]["plural"]),
                is_namespaced: spec["scope"] == "Namespaced",
                json,
                schema,
                has_status: version["subresources"].get("status").is_some(),
                valid: None,
                more: Vec::new(),
                is_own: false,
            }
        })
        .collect()
}

/// Reads all definitions in a file, or below a folder.
pub fn read(path: &Path, out: &mut Vec<Definition>) {
    if path.is_dir() {
        let mut paths: Vec<_> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths.iter().for_each(|path| read(path, out));
        return;
    }
    let text = std::fs::read_to_string(path).unwrap();
    for mut whole in documents(&text) {
        if whole["kind"] != "CustomResourceDefinition" || whole["apiVersion"] != "apiextensions.k8s.io/v1" {
            continue;
        }
        if !whole["spec"]["group"].as_str().unwrap_or_default().contains('.') {
            continue;
        }
        // The server would call a webhook, which is not there, and would refuse groups of Kubernetes.
        whole["spec"].as_object_mut().unwrap().remove("conversion");
        let annotation = "api-approved.kubernetes.io";
        whole["metadata"]["annotations"][annotation] =
            "https://github.com/kubernetes/kubernetes/pull/1".into();
        whole.as_object_mut().unwrap().remove("status");
        out.extend(apart(&whole).iter().flat_map(versions));
    }
}

/// A definition for each version, in a group of its own. The API server would otherwise convert every object to the
/// storage version, and drop what that does not have.
fn apart(whole: &Value) -> Vec<Value> {
    let spec = &whole["spec"];
    let versions = spec["versions"].as_array().unwrap();
    let alone = |version: &Value| {
        let mut whole = whole.clone();
        let group = format!("{}.{}", version["name"].as_str().unwrap(), spec["group"].as_str().unwrap());
        whole["metadata"]["name"] = format!("{}.{group}", spec["names"]["plural"].as_str().unwrap()).into();
        whole["spec"]["group"] = group.into();
        let mut version = version.clone();
        (version["served"], version["storage"]) = (true.into(), true.into());
        whole["spec"]["versions"] = json!([version]);
        whole
    };
    versions.iter().map(alone).collect()
}

/// Schemas that the API server refuses.
pub fn refused() -> Vec<Value> {
    let fields = file("refused.yaml");
    let of_field = |field: &Value| json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": field}}}});
    let mut schemas: Vec<Value> = fields.as_array().unwrap().iter().map(of_field).collect();
    schemas.extend([
        json!({}),
        json!({"type": "string"}),
        json!({"type": "object", "nullable": true}),
        json!({"type": "object", "additionalProperties": {"type": "string"}}),
        json!({"type": "object", "properties": {"kind": {"type": "integer"}, "metadata": {"type": "string"}}}),
        json!({"type": "object", "properties": {"metadata": {"type": "object", "properties": {"labels": {"type": "object"}}}}}),
        json!({"type": "object", "properties": {"metadata": {"type": "object", "nullable": true}}}),
        json!({"type": "object", "properties": {"kind": {"type": "string", "default": "A"}}}),
        json!({"type": "object", "anyOf": [{"properties": {"a": {"items": {"minLength": 1}}}}]}),
        json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}},
               "not": {"properties": {"a": {"items": {"properties": {"b": {}}}}}}}),
    ]);
    schemas
}
