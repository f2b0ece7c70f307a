//! Compiles a schema, and checks that the API server would accept it: that it is structural, that it has no keyword that
//! is refused, and that defaults are valid.

mod completeness;
mod defaults;
mod keywords;
mod lists;
mod metadata;
mod nested;

use serde_json::{Map, Value};

use self::keywords::{FLAGS, Keywords};
use crate::error::{FieldError, FieldErrors};
use crate::findings::{Findings, Limits};
use crate::node::{Additional, Node, Type};
use crate::unchecked::Unchecked;

/// The root of paths in a schema.
pub(crate) const ROOT: &str = "openAPIV3Schema";

/// Compiles a schema. The second result lists what validation does not check.
pub(crate) fn compile(schema: &Value) -> Result<(Node, Vec<Unchecked>), FieldErrors> {
    let mut compiler = Compiler { found: Findings::new(Limits::NONE), unchecked: Vec::new() };
    let root = compiler.structural(schema, ROOT, Level::Root);
    if compiler.found.is_empty() {
        completeness::check(&root, ROOT, &mut compiler.found);
    }
    // Defaults are only checked by schemas that are right.
    if compiler.found.is_empty() {
        defaults::check(&root, ROOT, &mut compiler.found);
    }
    compiler.found.remove_repeated();
    compiler.found.into_result()?;
    Ok((root, compiler.unchecked))
}

/// Where a structural schema is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Field,
    Item,
}

struct Compiler {
    found: Findings,
    unchecked: Vec<Unchecked>,
}

impl Compiler {
    /// Compiles a schema that determines the structure of a value.
    fn structural(&mut self, json: &Value, path: &str, level: Level) -> Node {
        let Some(members) = self.members(json, path) else { return Node::default() };
        let mut node = self.keywords(members, path);
        self.structure(members, &mut node, path, level);
        if level == Level::Root && node.nullable {
            self.found.add(FieldError::forbidden(
                format!("{path}.nullable"),
                "nullable cannot be true at the root",
            ));
        }
        if level == Level::Root || node.embedded {
            self.metadata(members, path, level);
        }
        self.list_type(members, &mut node, path);
        node.default = members.get("default").filter(|default| !default.is_null()).map(keywords::stored);

        // `anyOf: [{type: integer}, {type: string}]` is allowed beside `x-kubernetes-int-or-string`.
        let all_of = keywords::list(members, "allOf");
        let is_first = nested::is_int_or_string(all_of.first().and_then(|first| first.get("anyOf")));
        self.alternatives(members, &mut node, path, nested::is_int_or_string(members.get("anyOf")), is_first);

        for (name, json) in keywords::object(members, "properties") {
            // The API server knows the metadata of every object.
            let path = format!("{path}.properties[{name}]");
            let property = match level == Level::Root && name == "metadata" {
                true => self.root_metadata(json, &path),
                false => self.structural(json, &path, Level::Field),
            };
            node.has_rules |= property.has_rules;
            node.properties.insert(name.clone(), property);
        }
        if let Some(json) = members.get("items").filter(|items| items.is_object()) {
            let items = self.structural(json, &format!("{path}.items"), Level::Item);
            node.has_rules |= items.has_rules;
            node.items = Some(Box::new(items));
        }
        node.additional = match members.get("additionalProperties") {
            Some(Value::Bool(false)) => Some(Additional::Forbidden),
            Some(Value::Bool(true)) => Some(Additional::Any),
            Some(json @ Value::Object(_)) => {
                let values = self.structural(json, &format!("{path}.additionalProperties"), Level::Field);
                node.has_rules |= values.has_rules;
                Some(Additional::Values(Box::new(values)))
            }
            _ => None,
        };
        node
    }

    /// Checks `type` and what depends on it.
    fn structure(&mut self, members: &Map<String, Value>, node: &mut Node, path: &str, level: Level) {
        let ty = members.get("type").and_then(Value::as_str).unwrap_or_default();
        let path_of = |keyword: &str| format!("{path}.{keyword}");
        let invalid = |why: &str| FieldError::invalid_text(path_of("type"), ty, why);
        self.keywords_that_agree(members, path);
        if ty == "array" && members.get("items").is_none_or(Value::is_null) {
            self.found.add(FieldError::required(path_of("items"), "must be specified"));
        }
        if node.embedded && ty != "object" {
            let why = "must be object if x-kubernetes-embedded-resource is true";
            self.found.add(if ty.is_empty() {
                FieldError::required(path_of("type"), why)
            } else {
                invalid(why)
            });
        } else if ty.is_empty() && !node.int_or_string && !node.preserves {
            let of_what = match level {
                Level::Root => "at the root",
                Level::Item => "for specified array items",
                Level::Field => "for specified object fields",
            };
            self.found.add(FieldError::required(path_of("type"), &format!("must not be empty {of_what}")));
        }
        if level == Level::Root && !ty.is_empty() && ty != "object" {
            self.found.add(invalid("must be object at the root"));
        }
        let has_properties = !keywords::object(members, "properties").is_empty();
        if members.get("additionalProperties").is_some_and(|value| !value.is_null()) {
            let mut forbid = |why: &str| {
                self.found.add(FieldError::forbidden(format!("{path}.additionalProperties"), why));
            };
            if level == Level::Root {
                forbid("must not be used at the root");
            }
            if node.embedded {
                forbid("must not be used if x-kubernetes-embedded-resource is set");
            }
        }
        for (is_set, keyword) in [(node.preserves, FLAGS.preserves), (node.embedded, FLAGS.embedded)] {
            if node.int_or_string && is_set {
                let why = "must be false if x-kubernetes-int-or-string is true";
                self.found.add(FieldError::invalid(path_of(keyword), &true.into(), why));
            }
        }
        if node.embedded && !node.preserves && !has_properties {
            let why = "must not be empty if x-kubernetes-embedded-resource is true without \
                       x-kubernetes-preserve-unknown-fields";
            self.found.add(FieldError::required(path_of("properties"), why));
        }
    }

    /// Checks that keywords do not exclude each other, and that the type exists. Nested schemas have to fulfil it, too.
    fn keywords_that_agree(&mut self, members: &Map<String, Value>, path: &str) {
        let ty = members.get("type").and_then(Value::as_str).unwrap_or_default();
        let path_of = |keyword: &str| format!("{path}.{keyword}");
        if ty == "null" {
            let why = "type cannot be set to null, use nullable as an alternative";
            self.found.add(FieldError::forbidden(path_of("type"), why));
        }
        if !ty.is_empty() && Type::of(ty).is_none() {
            self.found.add(FieldError::not_supported(path_of("type"), &ty.into(), Type::NAMES));
        }
        let additional = members.get("additionalProperties").unwrap_or(&Value::Null);
        let is_exclusive = !additional.is_null() && additional != &Value::Bool(true);
        if is_exclusive && !keywords::object(members, "properties").is_empty() {
            let why = "additionalProperties and properties are mutual exclusive";
            self.found.add(FieldError::forbidden(path_of("additionalProperties"), why));
        }
    }

    /// The members of a schema, which must be an object.
    fn members<'j>(&mut self, json: &'j Value, path: &str) -> Option<&'j Map<String, Value>> {
        let members = json.as_object();
        if members.is_none() {
            self.found.add(FieldError::type_invalid(
                path,
                keywords::kind(json),
                "a schema must be an object",
            ));
        }
        members
    }
}
