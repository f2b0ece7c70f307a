//! Compiles a schema, and checks that the API server would accept it: that it is structural, that it has no keyword
//! that is refused, and that defaults are valid.

mod completeness;
mod defaults;
pub(crate) mod keywords;
pub(crate) mod lists;
mod metadata;
pub(crate) mod nested;

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};

pub use self::keywords::RULE_KEYS;
use self::keywords::{FLAGS, Keywords};
use crate::error::FieldError;
use crate::mistake::{Mistake, type_name};
use crate::node::{Additional, Node};
use crate::unchecked::Unchecked;
use crate::value_type::Type;

/// The root of paths in a schema of which nobody knows the definition.
pub(crate) const ROOT: &str = "openAPIV3Schema";

/// A schema, and what was found in it.
pub(crate) struct Compiled {
    pub(crate) root: Node,
    /// What the API server refuses.
    pub(crate) mistakes: Vec<Mistake>,
    /// What validation does not check.
    pub(crate) unchecked: Vec<Unchecked>,
}

/// Compiles a schema, which is at `path` in its definition.
pub(crate) fn compile(schema: &Value, path: &str) -> Compiled {
    let mut compiler = Compiler { mistakes: Vec::new(), unchecked: Vec::new() };
    let root = compiler.structural(schema, path, Level::Root);
    let Compiler { mut mistakes, unchecked } = compiler;
    if mistakes.is_empty() {
        completeness::check(&root, path, &mut mistakes);
    }
    // Defaults are only checked by schemas that are right.
    if mistakes.is_empty() {
        defaults::check_root(&root, path, true, &mut mistakes);
    }
    // Two parts of a schema may require the same.
    let mut seen = HashSet::new();
    mistakes.retain(|mistake| seen.insert(mistake.error.clone()));
    Compiled { root, mistakes, unchecked }
}

/// What is wrong with the defaults of a structural schema, which is at `path`. Those that are not `pruned` may have
/// unknown fields.
pub(crate) fn default_errors(schema: &Value, path: &str, pruned: bool) -> Vec<FieldError> {
    let mut mistakes = Vec::new();
    defaults::check_root(&node(schema, path), path, pruned, &mut mistakes);
    mistakes.into_iter().map(|mistake| mistake.error).collect()
}

/// Whether a default of a structural schema has unknown fields.
pub(crate) fn has_unpruned_defaults(schema: &Value) -> bool {
    defaults::have_unknown_fields(&node(schema, ROOT))
}

fn node(schema: &Value, path: &str) -> Node {
    let mut compiler = Compiler { mistakes: Vec::new(), unchecked: Vec::new() };
    compiler.structural(schema, path, Level::Root)
}

/// Where a structural schema is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Field,
    Item,
}

struct Compiler {
    mistakes: Vec<Mistake>,
    unchecked: Vec<Unchecked>,
}

impl Compiler {
    fn refuse(&mut self, error: FieldError, help: impl Into<Cow<'static, str>>) {
        self.mistakes.push(Mistake::new(error, help));
    }

    /// Compiles a schema that determines the structure of a value.
    fn structural(&mut self, json: &Value, path: &str, level: Level) -> Node {
        let Some(members) = self.members(json, path) else { return Node::default() };
        let mut node = self.keywords(members, path);
        self.structure(members, &mut node, path, level);
        if level == Level::Root && node.nullable {
            let why = "nullable cannot be true at the root";
            self.refuse(FieldError::forbidden(format!("{path}.nullable"), why), "remove it");
        }
        if level == Level::Root || node.embedded {
            self.metadata(members, path, level);
        }
        self.list_type(members, &mut node, path);
        node.default = members
            .get("default")
            .filter(|default| !default.is_null())
            .map(|default| keywords::stored(default).into());

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
            node.properties.insert(name.clone(), property.into());
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
            let error = FieldError::required(path_of("items"), "must be specified");
            self.refuse(error, "describe the items of the list");
        }
        if node.embedded && ty != "object" {
            let why = "must be object if x-kubernetes-embedded-resource is true";
            let error = if ty.is_empty() { FieldError::required(path_of("type"), why) } else { invalid(why) };
            self.refuse(error, "an embedded resource has `type: object`");
        } else if ty.is_empty() && !node.int_or_string && !node.preserves {
            let of_what = match level {
                Level::Root => "at the root",
                Level::Item => "for specified array items",
                Level::Field => "for specified object fields",
            };
            let error = FieldError::required(path_of("type"), &format!("must not be empty {of_what}"));
            self.refuse(error, "the schema must be structural: write a `type`");
        }
        if level == Level::Root && !ty.is_empty() && ty != "object" {
            self.refuse(invalid("must be object at the root"), "write `type: object`");
        }
        for (keyword, needed) in
            [("properties", "object"), ("additionalProperties", "object"), ("items", "array")]
        {
            if !ty.is_empty() && ty != needed && members.get(keyword).is_some_and(|value| !value.is_null()) {
                let (path, ty) = (path_of(keyword), ty.to_owned());
                self.unchecked.push(Unchecked::Misplaced { path, ty });
            }
        }
        let has_properties = !keywords::object(members, "properties").is_empty();
        if members.get("additionalProperties").is_some_and(|value| !value.is_null()) {
            let mut forbid = |why: &str, help: &'static str| {
                self.refuse(FieldError::forbidden(format!("{path}.additionalProperties"), why), help);
            };
            if level == Level::Root {
                forbid("must not be used at the root", "describe the fields under `properties`");
            }
            if node.embedded {
                forbid("must not be used if x-kubernetes-embedded-resource is set", "keep one of the two");
            }
        }
        for (is_set, keyword) in [(node.preserves, FLAGS.preserves), (node.embedded, FLAGS.embedded)] {
            if node.int_or_string && is_set {
                let why = "must be false if x-kubernetes-int-or-string is true";
                self.refuse(FieldError::invalid(path_of(keyword), &true.into(), why), "keep one of the two");
            }
        }
        if node.embedded && !node.preserves && !has_properties {
            let why = "must not be empty if x-kubernetes-embedded-resource is true without \
                       x-kubernetes-preserve-unknown-fields";
            let help =
                "describe the fields of the resource, or write `x-kubernetes-preserve-unknown-fields: true`";
            self.refuse(FieldError::required(path_of("properties"), why), help);
        }
    }

    /// Checks that keywords do not exclude each other, and that the type exists. Nested schemas have to fulfil it, too.
    fn keywords_that_agree(&mut self, members: &Map<String, Value>, path: &str) {
        let ty = members.get("type").and_then(Value::as_str).unwrap_or_default();
        let path_of = |keyword: &str| format!("{path}.{keyword}");
        if ty == "null" {
            let why = "type cannot be set to null, use nullable as an alternative";
            self.refuse(FieldError::forbidden(path_of("type"), why), "write `nullable: true`");
        }
        if !ty.is_empty() && Type::named(ty).is_none() {
            let error = FieldError::not_supported(path_of("type"), &ty.into(), Type::NAMES);
            self.refuse(error, "write boolean, integer, number, string, array or object");
        }
        let additional = members.get("additionalProperties").unwrap_or(&Value::Null);
        let is_exclusive = !additional.is_null() && additional != &Value::Bool(true);
        if is_exclusive && !keywords::object(members, "properties").is_empty() {
            let why = "additionalProperties and properties are mutual exclusive";
            let help = "keep the properties of an object, or the schema of a map's values";
            self.refuse(FieldError::forbidden(path_of("additionalProperties"), why), help);
        }
    }

    /// The members of a schema, which must be an object.
    fn members<'j>(&mut self, json: &'j Value, path: &str) -> Option<&'j Map<String, Value>> {
        let members = json.as_object();
        if members.is_none() {
            let error = FieldError::type_invalid(path, type_name(json), "a schema must be an object");
            self.refuse(error, "write an object with a `type`");
        }
        members
    }
}
