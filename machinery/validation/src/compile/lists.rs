//! Checks `x-kubernetes-list-type`, its keys, and `x-kubernetes-map-type`.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Compiler, keywords};
use crate::error::FieldError;
use crate::mistake::Mistake;
use crate::node::{ListType, Node};

pub(crate) const LIST_TYPE: &str = "x-kubernetes-list-type";
pub(crate) const MAP_TYPE: &str = "x-kubernetes-map-type";
pub(crate) const KEYS: &str = "x-kubernetes-list-map-keys";

impl Compiler {
    pub(super) fn list_type(&mut self, members: &Map<String, Value>, node: &mut Node, path: &str) {
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        let ty = text("type").unwrap_or_default();
        let list_type = text(LIST_TYPE);
        for (keyword, value, needed, known, help) in [
            (MAP_TYPE, text(MAP_TYPE), "object", &["atomic", "granular"][..], "write atomic or granular"),
            (LIST_TYPE, list_type, "array", &["atomic", "set", "map"][..], "write atomic, set or map"),
        ] {
            let Some(value) = value else { continue };
            if ty != needed {
                let why = format!("must be {needed} if {keyword} is specified");
                let path = format!("{path}.type");
                let error = match ty {
                    "" => FieldError::required(path, &why),
                    _ => FieldError::invalid_text(path, ty, &why),
                };
                self.refuse(error, format!("remove `{keyword}`, or write `type: {needed}`"));
            }
            if !known.contains(&value) {
                let path = format!("{path}.{keyword}");
                let error = FieldError::not_supported(path, &value.into(), known.iter().copied());
                self.refuse(error, help);
            }
        }
        let keys = self.keys(members, path);
        if !keys.is_empty() && list_type != Some("map") {
            let path = format!("{path}.{LIST_TYPE}");
            let why = "must be map if x-kubernetes-list-map-keys is non-empty";
            let error = match list_type {
                None => FieldError::required(path, why),
                Some(value) => FieldError::invalid_text(path, value, why),
            };
            self.refuse(error, "write `x-kubernetes-list-type: map`");
        }
        let items = members.get("items").and_then(Value::as_object);
        match list_type {
            Some("set") => {
                if ty == "array" {
                    self.items_of_set(items, path);
                }
                node.list = ListType::Set;
            }
            Some("map") => {
                self.items_of_map(items, &keys, path);
                node.list = ListType::Map(keys);
            }
            Some("atomic") => node.list = ListType::Atomic,
            _ => {}
        }
        if matches!(list_type, Some("set" | "map"))
            && items.and_then(|items| items.get("nullable")) == Some(&Value::Bool(true))
        {
            let why = format!(
                "cannot be nullable when x-kubernetes-list-type is {}",
                list_type.unwrap_or_default()
            );
            self.refuse(FieldError::forbidden(format!("{path}.items.nullable"), &why), "remove it");
        }
    }

    fn keys(&mut self, members: &Map<String, Value>, path: &str) -> Vec<String> {
        let keys = keywords::list(members, KEYS);
        let names: Vec<String> = keys.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        if names.len() < keys.len() {
            let wrong = Mistake::wrong_type(&format!("{path}.{KEYS}"), &members[KEYS], "a list of names");
            self.mistakes.push(wrong);
        }
        names
    }

    /// Items of a set that are lists or objects must be atomic.
    fn items_of_set(&mut self, items: Option<&Map<String, Value>>, path: &str) {
        let Some(items) = items else { return };
        let text = |name: &str| items.get(name).and_then(Value::as_str);
        let list_type = text(LIST_TYPE);
        let why = "must be atomic as item of a list with x-kubernetes-list-type=set";
        let shown = list_type.map_or(Value::Null, Value::from);
        let keyword = match text("type") {
            Some("array") if list_type.is_some_and(|list_type| list_type != "atomic") => LIST_TYPE,
            Some("object") if text(MAP_TYPE) != Some("atomic") => MAP_TYPE,
            _ => return,
        };
        let error = FieldError::invalid(format!("{path}.items.{keyword}"), &shown, why);
        self.refuse(error, format!("write `{keyword}: atomic`"));
    }

    /// The keys of a map must be scalar properties of its items, which every item has.
    fn items_of_map(&mut self, items: Option<&Map<String, Value>>, keys: &[String], path: &str) {
        let path_of_keys = format!("{path}.{KEYS}");
        if keys.is_empty() {
            let why = "must not be empty if x-kubernetes-list-type is map";
            self.refuse(FieldError::required(&path_of_keys, why), "write `x-kubernetes-list-map-keys`");
        }
        let Some(items) = items else {
            let why = "must have a schema if x-kubernetes-list-type is map";
            let error = FieldError::required(format!("{path}.items"), why);
            self.refuse(error, "describe the items of the list");
            return;
        };
        let ty = items.get("type").and_then(Value::as_str).unwrap_or_default();
        if ty != "object" {
            let why = "must be object if parent array's x-kubernetes-list-type is map";
            let error = FieldError::invalid_text(format!("{path}.items.type"), ty, why);
            self.refuse(error, "write `type: object`, or another type of list");
            return;
        }
        let required = keywords::list(items, "required");
        let mut seen = BTreeSet::new();
        for key in keys {
            let path = format!("{path}.items.properties[{key}]");
            match keywords::object(items, "properties").get(key) {
                None => {
                    let why = "entries must all be names of item properties";
                    let error = FieldError::invalid(&path_of_keys, &keys.into(), why);
                    self.refuse(error, "use properties of the items as keys");
                }
                Some(property) => {
                    if matches!(property.get("type").and_then(Value::as_str), Some("array" | "object")) {
                        let why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                        let error = FieldError::invalid_text(format!("{path}.type"), ty, why);
                        self.refuse(error, "use properties that are texts, numbers or booleans as keys");
                    }
                    let has_default = property.get("default").is_some_and(|default| !default.is_null());
                    if !has_default && !required.iter().any(|name| name.as_str() == Some(key)) {
                        let why = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a \
                                   required property";
                        let error = FieldError::required(format!("{path}.default"), why);
                        self.refuse(
                            error,
                            "write a default, or list the property under `required` of the items",
                        );
                    }
                    if property.get("nullable") == Some(&Value::Bool(true)) {
                        let why = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
                        let error = FieldError::forbidden(format!("{path}.nullable"), why);
                        self.refuse(error, "remove it");
                    }
                }
            }
            if !seen.insert(key) {
                let error =
                    FieldError::invalid(&path_of_keys, &keys.into(), "must not contain duplicate entries");
                self.refuse(error, "list each key once");
            }
        }
    }
}
