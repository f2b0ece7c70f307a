//! Makes published schemas of distilled ones.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::scalars::Scalar;
use super::{File, Library};
use crate::names;
use crate::release::Release;

const MAP_TYPE: &str = "x-kubernetes-map-type";

/// The published schemas of one distilled document.
pub(super) struct Renderer<'a> {
    library: &'a Library,
    file: &'a File,
}

impl<'a> Renderer<'a> {
    pub(super) fn new(library: &'a Library, file: &'a File) -> Self {
        Self { library, file }
    }

    /// The schema of a type. `of` are the group versions that the document is about: of a type that all groups share,
    /// such as `DeleteOptions`, it names the kinds of these only.
    pub(super) fn type_of(&self, name: &str, schema: &Value, of: &[(&str, &str)]) -> Value {
        let mut out = Map::new();
        let Some(members) = schema.as_object() else { return schema.clone() };
        let kinds: Vec<_> = super::kinds(schema).collect();
        let is_bare = members.get("x-bare").is_some();
        let mut properties: BTreeMap<&str, Value> = BTreeMap::new();
        if !kinds.is_empty() && (!is_bare || members.get("properties").is_none()) {
            properties.extend(["apiVersion", "kind"].map(|name| (name, json!({"type": "string"}))));
        }
        for (name, property) in members.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if self.is_published(property) {
                properties.insert(name, self.property(property));
            }
        }
        if let Some(kind) = members.get("type") {
            out.insert("type".to_owned(), kind.clone());
        }
        let required = members.get("required").and_then(Value::as_array).into_iter().flatten();
        let required: Vec<&Value> =
            required.filter(|name| name.as_str().is_some_and(|name| properties.contains_key(name))).collect();
        if !required.is_empty() {
            out.insert("required".to_owned(), json!(required));
        }
        if !properties.is_empty() {
            let properties: Map<String, Value> =
                properties.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
            out.insert("properties".to_owned(), properties.into());
        }
        let is_own =
            |group: &str, version: &str| of.contains(&(group, version)) || (group, version) == ("", "v1");
        let mut kinds: Vec<_> =
            kinds.iter().filter(|(group, version, _)| kinds.len() == 1 || is_own(group, version)).collect();
        kinds.sort();
        if !kinds.is_empty() {
            let kinds: Vec<Value> = kinds
                .into_iter()
                .map(|(group, version, kind)| json!({"group": group, "kind": kind, "version": version}))
                .collect();
            out.insert("x-kubernetes-group-version-kind".to_owned(), kinds.into());
        }
        if self.library.atomic.contains(&names::of_archive(self.file.group, self.file.version, name)) {
            out.insert(MAP_TYPE.to_owned(), "atomic".into());
        }
        out.into()
    }

    /// Whether the release has a field: that of the server, or the last one of a group version that ended before.
    fn is_published(&self, property: &Value) -> bool {
        let of = |key: &str| property.get(key).and_then(Value::as_str)?.parse::<Release>().ok();
        let is_there =
            self.library.release.is_none_or(|release| of("x-since").is_none_or(|since| since <= release));
        let last = match (self.library.release, self.file.until) {
            (Some(release), Some(until)) => Some(release.min(until)),
            (release, until) => release.or(until),
        };
        let remains = of("x-until").is_none_or(|until| last.is_some_and(|last| last <= until));
        is_there && remains
    }

    fn property(&self, property: &Value) -> Value {
        let mut out = self.value(property);
        let Some(members) = property.as_object() else { return out.into() };
        if let Some(default) = self.default(members, &out) {
            out.insert("default".to_owned(), default);
        }
        if !members.contains_key(MAP_TYPE)
            && self.file.until.is_none()
            && referenced(&out).is_some()
            && self.is_atomic(&out)
        {
            // Here the fields of the type are each replaced.
            out.insert(MAP_TYPE.to_owned(), "granular".into());
        }
        out.into()
    }

    /// Whether a published schema, or that of its items, refers to a type whose values are replaced as a whole.
    fn is_atomic(&self, published: &Map<String, Value>) -> bool {
        let items = published.get("items").and_then(Value::as_object);
        let name = referenced(published).or_else(|| items.and_then(referenced));
        name.is_some_and(|name| self.library.atomic.contains(name))
    }

    /// The zero that upstream publishes as the default of a field which is no pointer: of a text, a number or a boolean
    /// that is always written, and of an object.
    fn default(&self, distilled: &Map<String, Value>, published: &Map<String, Value>) -> Option<Value> {
        if distilled.contains_key("x-presence") || published.contains_key("default") {
            return None;
        }
        if let Some(name) = referenced(published) {
            return self.library.types.contains_key(name).then(|| json!({}));
        }
        if distilled.get("x-omit").and_then(Value::as_str) != Some("never") {
            return None;
        }
        match published.get("type").and_then(Value::as_str)? {
            "string" if published.get("format").is_none() => Some(json!("")),
            "integer" | "number" => Some(json!(0)),
            "boolean" => Some(json!(false)),
            _ => None,
        }
    }

    /// The schema of a value: of a property, of the items of a list, of the values of a map.
    fn value(&self, schema: &Value) -> Map<String, Value> {
        let Some(members) = schema.as_object() else { return Map::new() };
        let mut out = Map::new();
        if let Some(name) = self.name(members) {
            out.insert("allOf".to_owned(), json!([{"$ref": format!("{}{name}", names::SCHEMAS)}]));
        } else if members.get("x-raw").is_none() {
            for key in ["type", "format"] {
                out.extend(members.get(key).map(|value| (key.to_owned(), value.clone())));
            }
            for key in ["items", "additionalProperties"] {
                out.extend(members.get(key).map(|inner| {
                    let inner = self.value(inner);
                    (key.to_owned(), bare(inner))
                }));
            }
        }
        for (key, value) in members {
            let is_fact = match key.as_str() {
                "x-kubernetes-int-or-string" | "x-kubernetes-preserve-unknown-fields" => false,
                // What any object is like inside, nobody publishes; and of a type it is said there.
                MAP_TYPE => !members.contains_key("x-raw") && !self.is_atomic(&out),
                "type" | "format" | "items" | "additionalProperties" | "allOf" | "oneOf" | "$ref" => false,
                key => key.starts_with("x-kubernetes-") || !key.starts_with("x-"),
            };
            if is_fact {
                out.insert(key.clone(), value.clone());
            }
        }
        out
    }

    /// The published name of the type of a value, if it has one.
    fn name(&self, schema: &Map<String, Value>) -> Option<String> {
        if let Some(scalar) = Scalar::of(schema) {
            return Some(scalar.name());
        }
        if let Some(name) = name(self.file, schema) {
            return Some(name);
        }
        if schema.get("x-raw").and_then(Value::as_str) == Some("json") {
            let has_name = self.file.schemas.contains_key("JSONSchemaProps");
            return has_name.then(|| names::of_archive(self.file.group, self.file.version, "JSON"));
        }
        let [value, other] = schema.get("oneOf")?.as_array()?.as_slice() else { return None };
        let (group, version, name) = reference(self.file, value.as_object()?)?;
        let or = match (other.get("type")?.as_str()?, other.pointer("/items/type")) {
            ("boolean", _) => "OrBool",
            (_, Some(_)) => "OrStringArray",
            (_, None) => "OrArray",
        };
        Some(names::of_archive(group, version, &format!("{name}{or}")))
    }
}

/// A reference without facts beside it.
fn bare(schema: Map<String, Value>) -> Value {
    match schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([reference]) if schema.len() == 1 => reference.clone(),
        _ => schema.into(),
    }
}

/// The published name to which a published schema refers.
fn referenced(published: &Map<String, Value>) -> Option<&str> {
    let inner = || published.get("allOf")?.get(0)?.get("$ref");
    published.get("$ref").or_else(inner)?.as_str()?.strip_prefix(names::SCHEMAS)
}

/// Group, version and name of the type to which a distilled schema refers. The group without a name is `core`.
fn reference<'a>(file: &'a File, schema: &'a Map<String, Value>) -> Option<(&'a str, &'a str, &'a str)> {
    let inner = || schema.get("allOf")?.get(0)?.get("$ref");
    let text = schema.get("$ref").or_else(inner)?.as_str()?;
    let (path, name) = text.split_once("#/components/schemas/")?;
    if path.is_empty() {
        return Some((file.group, file.version, name));
    }
    let path = path.strip_suffix(".json")?;
    match path.strip_prefix("../") {
        Some(other) => other.split_once('/').map(|(group, version)| (group, version, name)),
        // Another version of the same group.
        None => Some((file.group, path, name)),
    }
}

/// The types of a type's fields whose values are replaced as a whole. Upstream states that at the type, distilled schemas at
/// each field that has it, or a list of it.
pub(super) fn atomic(file: &File, schema: &Value) -> Vec<String> {
    // Of group versions that ended, nothing was known of it.
    let properties = schema.get("properties").and_then(Value::as_object).filter(|_| file.until.is_none());
    let properties = properties.into_iter().flat_map(Map::values).filter_map(Value::as_object);
    let atomic =
        properties.filter(|property| property.get(MAP_TYPE).and_then(Value::as_str) == Some("atomic"));
    let of_items = |property: &'_ Map<String, Value>| {
        property.get("items").and_then(Value::as_object).and_then(|items| name(file, items))
    };
    atomic.filter_map(|property| name(file, property).or_else(|| of_items(property))).collect()
}

/// The published name of the type to which a distilled schema refers.
fn name(file: &File, schema: &Map<String, Value>) -> Option<String> {
    reference(file, schema).map(|(group, version, name)| names::of_archive(group, version, name))
}
