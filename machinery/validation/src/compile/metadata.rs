//! Checks `apiVersion`, `kind` and `metadata` in the schemas of objects that have them.

use serde_json::{Map, Value};

use super::keywords::{self, Keywords};
use super::{Compiler, Level};
use crate::error::FieldError;
use crate::node::Node;

impl Compiler {
    pub(super) fn metadata(&mut self, members: &Map<String, Value>, path: &str, level: Level) {
        for (name, needed) in [("kind", "string"), ("apiVersion", "string"), ("metadata", "object")] {
            let Some(property) = keywords::object(members, "properties").get(name) else { continue };
            let ty = property.get("type").and_then(Value::as_str).unwrap_or_default();
            if ty != needed {
                let path = format!("{path}.properties[{name}].type");
                let error = FieldError::invalid_text(path, ty, &format!("must be {needed}"));
                self.refuse(error, format!("write `type: {needed}`"));
            }
            if level == Level::Root && property.get("default").is_some_and(|default| !default.is_null()) {
                let path = format!("{path}.properties[{name}].default");
                let why = format!("must not be set in top-level {name}");
                self.refuse(FieldError::forbidden(path, &why), "remove it: every object has its own");
            }
        }
    }

    /// Compiles the schema of `metadata` at the root, which can only restrict names.
    pub(super) fn root_metadata(&mut self, json: &Value, path: &str) -> Node {
        let Some(members) = self.members(json, path) else { return Node::default() };
        let properties = keywords::object(members, "properties");
        let only_names = properties.keys().all(|name| name == "name" || name == "generateName");
        let is_allowed = |name: &str| matches!(name, "type" | "properties" | "default" | "description");
        let is_empty = |value: &Value| matches!(value, Value::Null | Value::Bool(false));
        let others = members.iter().any(|(name, value)| !is_allowed(name) && !is_empty(value));
        if !only_names || others {
            let why = "must not specify anything other than name and generateName, but metadata is implicitly specified";
            let help = "restrict only `name` and `generateName`: all objects have the same metadata";
            self.refuse(FieldError::forbidden(path, why), help);
        }
        let mut node = self.keywords(members, path);
        for (name, json) in properties {
            let property = self.structural(json, &format!("{path}.properties[{name}]"), Level::Field);
            node.has_rules |= property.has_rules;
            node.properties.insert(name.clone(), property.into());
        }
        node
    }
}
