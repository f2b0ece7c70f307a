//! Kinds that come from CustomResourceDefinitions, whose schemas are published as they are written there.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::names;

/// The schemas of kinds from definitions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Definitions {
    /// By group, version and kind. As text, which takes less memory than values.
    schemas: BTreeMap<(String, String, String), Arc<str>>,
}

impl Definitions {
    /// Adds the kinds of a definition, at each of its versions.
    pub(crate) fn add(&mut self, definition: &Value) {
        let text = |value: &Value, at: &str| {
            value.pointer(at).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let (group, kind) = (text(definition, "/spec/group"), text(definition, "/spec/names/kind"));
        let shared = definition.pointer("/spec/validation/openAPIV3Schema");
        for version in definition.pointer("/spec/versions").and_then(Value::as_array).into_iter().flatten() {
            if let Some(schema) = version.pointer("/schema/openAPIV3Schema").or(shared) {
                self.insert(&group, &text(version, "/name"), &kind, schema);
            }
        }
    }

    /// Adds the schema of a kind at a version.
    pub(crate) fn insert(&mut self, group: &str, version: &str, kind: &str, schema: &Value) {
        self.insert_text(group, version, kind, schema.to_string().into());
    }

    /// Adds the schema of a kind at a version, in JSON.
    pub(crate) fn insert_text(&mut self, group: &str, version: &str, kind: &str, schema: Arc<str>) {
        self.schemas.insert((group.to_owned(), version.to_owned(), kind.to_owned()), schema);
    }

    pub(crate) fn remove(&mut self, group: &str, version: &str, kind: &str) {
        self.schemas.remove(&(group.to_owned(), version.to_owned(), kind.to_owned()));
    }

    /// The published schema of a kind: that of its definition, with the fields that every object has.
    pub(crate) fn schema(&self, group: &str, version: &str, kind: &str) -> Option<Value> {
        let text = self.schemas.get(&(group.to_owned(), version.to_owned(), kind.to_owned()))?;
        Some(object(serde_json::from_str(text).ok()?, group, version, kind))
    }
}

/// The schema of a kind about which nothing is known but its name.
pub(crate) fn any(group: &str, version: &str, kind: &str) -> Value {
    object(json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}), group, version, kind)
}

/// The schema of lists of a kind.
pub(crate) fn list(name: &str, group: &str, version: &str, kind: &str) -> Value {
    let list = format!("{kind}List");
    json!({
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": {"type": "string"},
            "items": {"type": "array", "items": {"$ref": format!("{}{name}", names::SCHEMAS)}},
            "kind": {"type": "string"},
            "metadata": {"allOf": [{"$ref": format!("{}{}", names::SCHEMAS, names::of_meta("ListMeta"))}]},
        },
        "x-kubernetes-group-version-kind": [{"group": group, "kind": list, "version": version}],
    })
}

fn object(mut schema: Value, group: &str, version: &str, kind: &str) -> Value {
    let Some(members) = schema.as_object_mut() else { return json!({"type": "object"}) };
    let properties = members.entry("properties").or_insert_with(|| Map::new().into());
    if let Some(properties) = properties.as_object_mut() {
        properties.entry("apiVersion").or_insert_with(|| json!({"type": "string"}));
        properties.entry("kind").or_insert_with(|| json!({"type": "string"}));
        let metadata = json!({"$ref": format!("{}{}", names::SCHEMAS, names::of_meta("ObjectMeta"))});
        properties.insert("metadata".to_owned(), json!({"allOf": [metadata]}));
        properties.sort_keys();
    }
    let kinds = json!([{"group": group, "kind": kind, "version": version}]);
    members.insert("x-kubernetes-group-version-kind".to_owned(), kinds);
    schema
}
