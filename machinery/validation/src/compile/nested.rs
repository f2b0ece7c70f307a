//! Schemas below `allOf`, `anyOf`, `oneOf` and `not`. They may restrict values, and not describe their structure.

use serde_json::{Map, Value};

use super::Compiler;
use super::keywords::{self, FLAGS, Keywords};
use crate::error::FieldError;
use crate::node::Node;
use crate::rule::RULES;

/// Keywords that must not be in a nested schema, and what the API server requires of each.
pub(crate) const STRUCTURE: [(&str, &str); 11] = [
    ("type", "empty"),
    ("default", "undefined"),
    ("title", "empty"),
    ("description", "empty"),
    ("nullable", "false"),
    (FLAGS.preserves, "false"),
    (FLAGS.embedded, "false"),
    (FLAGS.int_or_string, "false"),
    ("x-kubernetes-list-map-keys", "empty"),
    ("x-kubernetes-list-type", "undefined"),
    ("x-kubernetes-map-type", "undefined"),
];

/// What to do with what must not be in a nested schema.
const OUTSIDE: &str = "specify it in the schema outside, which determines the structure";

/// Whether these alternatives are those of `x-kubernetes-int-or-string`.
pub(crate) fn is_int_or_string(any_of: Option<&Value>) -> bool {
    let is_type = |json: &Value, ty: &str| {
        json.as_object().is_some_and(|members| {
            members.get("type").and_then(Value::as_str) == Some(ty)
                && members.iter().all(|(name, value)| name == "type" || value.is_null())
        })
    };
    let any_of = any_of.and_then(Value::as_array).map(Vec::as_slice);
    matches!(any_of, Some([one, other]) if is_type(one, "integer") && is_type(other, "string"))
}

/// The error of a keyword that must not be in a nested schema, or not so.
pub(crate) fn not_structural(path: &str, keyword: &str, required: &str) -> FieldError {
    FieldError::forbidden(format!("{path}.{keyword}"), &format!("must be {required} to be structural"))
}

/// The error of metadata in a nested schema.
pub(crate) fn nested_metadata(path: &str) -> FieldError {
    FieldError::forbidden(path, "must not be specified in a nested context")
}

impl Compiler {
    /// Compiles the alternatives of a schema. `skip` means that `anyOf` may contain types, `skip_first` that the
    /// `anyOf` of the first schema in `allOf` may.
    pub(super) fn alternatives(
        &mut self,
        members: &Map<String, Value>,
        node: &mut Node,
        path: &str,
        skip: bool,
        skip_first: bool,
    ) {
        for (at, json) in keywords::list(members, "anyOf").iter().enumerate() {
            let path = format!("{path}.anyOf[{at}]");
            node.any_of.push(self.nested(json, &path, skip, false));
        }
        for (at, json) in keywords::list(members, "allOf").iter().enumerate() {
            let path = format!("{path}.allOf[{at}]");
            node.all_of.push(self.nested(json, &path, false, skip_first && at == 0));
        }
        for (at, json) in keywords::list(members, "oneOf").iter().enumerate() {
            let path = format!("{path}.oneOf[{at}]");
            node.one_of.push(self.nested(json, &path, false, false));
        }
        if let Some(json) = members.get("not").filter(|json| json.is_object()) {
            node.not = Some(Box::new(self.nested(json, &format!("{path}.not"), false, false)));
        }
    }

    /// Compiles a nested schema. It may contain a type if `skip_type`, and types below `anyOf` if `skip_any_of`.
    fn nested(&mut self, json: &Value, path: &str, skip_type: bool, skip_any_of: bool) -> Node {
        let Some(members) = self.members(json, path) else { return Node::default() };
        let mut node = self.keywords(members, path);
        self.keywords_that_agree(members, path);
        self.list_type(members, &mut Node::default(), path);
        let is_set = |value: &Value| match value {
            Value::Null | Value::Bool(false) => false,
            Value::String(text) => !text.is_empty(),
            Value::Array(items) => !items.is_empty(),
            _ => true,
        };
        for (keyword, required) in STRUCTURE {
            if members.get(keyword).is_some_and(is_set) && !(skip_type && keyword == "type") {
                self.refuse(not_structural(path, keyword, required), OUTSIDE);
            }
        }
        if members.get(RULES).is_some_and(is_set) {
            self.refuse(not_structural(path, RULES, "empty"), OUTSIDE);
        }
        if members.get("additionalProperties").is_some_and(is_set) {
            self.refuse(not_structural(path, "additionalProperties", "undefined"), OUTSIDE);
        }
        self.alternatives(members, &mut node, path, skip_any_of, false);
        for (name, json) in keywords::object(members, "properties") {
            let path = format!("{path}.properties[{name}]");
            if name == "metadata" {
                self.refuse(nested_metadata(&path), OUTSIDE);
            }
            let property = self.nested(json, &path, false, false);
            node.properties.insert(name.clone(), property.into());
        }
        if let Some(json) = members.get("items").filter(|items| items.is_object()) {
            node.items = Some(Box::new(self.nested(json, &format!("{path}.items"), false, false)));
        }
        node
    }
}
