//! Whether a schema is structural: whether it tells by itself which fields there are, and of which types.

use serde_json::Value;

use super::completeness;
use super::nested::Nested;
use crate::compile::keywords::FLAGS;
use crate::compile::nested::is_int_or_string;
use crate::definition::checks::props::{Additional, Items, Props};
use crate::error::FieldError;

/// Why a schema cannot be a structural one at all: the first keyword that the API server does not support.
pub(crate) fn unsupported(schema: Props<'_>) -> Option<String> {
    let named = |keyword: &str| Some(format!("OpenAPIV3Schema '{keyword}' is not supported"));
    for (keyword, member) in [("id", "id"), ("schema", "$schema"), ("$ref", "$ref")] {
        if !schema.text(member).is_empty() {
            return named(keyword);
        }
    }
    for keyword in ["patternProperties", "dependencies"] {
        if schema.has_members(keyword) {
            return named(keyword);
        }
    }
    if schema.has("additionalItems") {
        return named("additionalItems");
    }
    if schema.has_members("definitions") {
        return named("definitions");
    }
    let lists = ["allOf", "anyOf", "oneOf"];
    let nested = schema.not().and_then(unsupported).or_else(|| {
        lists.iter().find_map(|key| schema.schemas(key).find_map(|(_, schema)| unsupported(schema)))
    });
    if nested.is_some() {
        return nested;
    }
    if schema.get(FLAGS.preserves) == Some(&Value::Bool(false)) {
        return Some(format!("internal error: '{}' must be true or undefined", FLAGS.preserves));
    }
    let items = match schema.items() {
        Items::Absent => None,
        Items::One(item) => unsupported(item),
        Items::Many(_) => Some("OpenAPIV3Schema 'items' must be a schema, but is an array".to_owned()),
    };
    items.or_else(|| schema.members("properties").find_map(|(_, schema)| unsupported(schema))).or_else(|| {
        match schema.additional() {
            Additional::Schema(schema) => unsupported(schema),
            Additional::Absent | Additional::Flag(_) => None,
        }
    })
}

/// What is not structural in a schema that is at `path`, sorted.
pub(crate) fn violations(schema: Props<'_>, path: &str) -> Vec<FieldError> {
    let mut found = Vec::new();
    Structural { found: &mut found }.check(schema, path, Level::Root);
    completeness::check(schema, path, &mut found);
    found.sort_by_cached_key(ToString::to_string);
    found
}

/// Where a structural schema is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Field,
    Item,
}

struct Structural<'f> {
    found: &'f mut Vec<FieldError>,
}

impl Structural<'_> {
    fn check(&mut self, schema: Props<'_>, path: &str, level: Level) {
        let at = |keyword: &str| format!("{path}.{keyword}");
        let ty = schema.ty();
        if ty == "array" && !schema.has("items") {
            self.found.push(FieldError::required(at("items"), "must be specified"));
        }
        if let Some(item) = schema.item() {
            self.check(item, &at("items"), Level::Item);
        }
        for (name, property) in schema.members("properties") {
            self.check(property, &format!("{path}.properties[{name}]"), Level::Field);
        }
        let additional = schema.additional();
        if level == Level::Root && !matches!(additional, Additional::Absent) {
            self.forbid(&at("additionalProperties"), "must not be used at the root");
        }
        if let Additional::Schema(values) = additional {
            self.check(values, &at("additionalProperties"), Level::Field);
        }
        self.flags(schema, path);
        // `anyOf: [{type: integer}, {type: string}]` is allowed, alone or in the first schema of `allOf`.
        let skips = is_int_or_string(schema.get("anyOf"));
        let first = schema.schemas("allOf").next();
        let skips_first = first.is_some_and(|(_, first)| is_int_or_string(first.get("anyOf")));
        Nested { found: self.found }.alternatives(schema, path, skips, skips_first);
        self.ty(schema, path, level);
        self.metadata(schema, path, level);
        if schema.is_embedded() && !schema.preserves() && !schema.has_members("properties") {
            let why = "must not be empty if x-kubernetes-embedded-resource is true without \
                       x-kubernetes-preserve-unknown-fields";
            self.found.push(FieldError::required(at("properties"), why));
        }
    }

    fn forbid(&mut self, path: &str, why: &str) {
        self.found.push(FieldError::forbidden(path, why));
    }

    fn flags(&mut self, schema: Props<'_>, path: &str) {
        let flags = [(schema.preserves(), FLAGS.preserves), (schema.is_embedded(), FLAGS.embedded)];
        for (_, flag) in flags.into_iter().filter(|(is_set, _)| *is_set && schema.is_int_or_string()) {
            let why = "must be false if x-kubernetes-int-or-string is true";
            self.found.push(FieldError::invalid(format!("{path}.{flag}"), &true.into(), why));
        }
        if schema.is_embedded() && schema.has("additionalProperties") {
            let why = "must not be used if x-kubernetes-embedded-resource is set";
            self.forbid(&format!("{path}.additionalProperties"), why);
        }
    }

    fn ty(&mut self, schema: Props<'_>, path: &str, level: Level) {
        let (path, ty) = (format!("{path}.type"), schema.ty());
        if schema.is_embedded() && ty != "object" {
            self.found.push(needed(
                path.clone(),
                ty,
                "must be object if x-kubernetes-embedded-resource is true",
            ));
        } else if ty.is_empty() && !schema.is_int_or_string() && !schema.preserves() {
            let of_what = match level {
                Level::Root => "at the root",
                Level::Item => "for specified array items",
                Level::Field => "for specified object fields",
            };
            self.found.push(FieldError::required(path.clone(), &format!("must not be empty {of_what}")));
        }
        if level == Level::Root && !ty.is_empty() && ty != "object" {
            self.found.push(FieldError::invalid_text(path, ty, "must be object at the root"));
        }
    }

    /// Checks what an object has of itself, at the root and in embedded resources.
    fn metadata(&mut self, schema: Props<'_>, path: &str, level: Level) {
        let is_resource = level == Level::Root || schema.is_embedded();
        for (name, needed) in [("kind", "string"), ("apiVersion", "string"), ("metadata", "object")] {
            let Some(property) = schema.property(name) else { continue };
            if is_resource && property.ty() != needed {
                let path = format!("{path}.properties[{name}].type");
                self.found.push(FieldError::invalid_text(path, property.ty(), &format!("must be {needed}")));
            }
        }
        if level == Level::Root
            && let Some(metadata) = schema.property("metadata")
            && restricts_metadata(metadata)
        {
            let why = "must not specify anything other than name and generateName, but metadata is implicitly specified";
            self.forbid(&format!("{path}.properties[metadata]"), why);
        }
    }
}

/// Whether the schema of the metadata at the root restricts more than names.
fn restricts_metadata(metadata: Props<'_>) -> bool {
    let is_name = |name: &str| matches!(name, "name" | "generateName");
    let of_names = metadata.members("properties").all(|(name, _)| is_name(name));
    let members = metadata.0.as_object().into_iter().flatten();
    let is_empty = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    let mut others = members.filter(|(name, value)| {
        !matches!(name.as_str(), "type" | "default" | "properties") && !is_empty(value)
    });
    !of_names || others.next().is_some() || metadata.has("additionalProperties")
}

/// The error of a type that is not the one that is needed.
pub(super) fn needed(path: String, ty: &str, why: &str) -> FieldError {
    if ty.is_empty() { FieldError::required(path, why) } else { FieldError::invalid_text(path, ty, why) }
}
