//! What the API server refuses of a schema besides its structure: keywords that it does not support, and those that
//! contradict each other.

use serde_json::Value;

use super::Strictness;
use super::lists;
use super::rules;
use crate::compile::keywords::FLAGS;
use crate::definition::checks::props::{Additional, Items, Props};
use crate::error::FieldError;
use crate::value_type::Type;

/// Where a schema is.
#[derive(Clone, Copy)]
struct Place {
    is_root: bool,
    /// Whether it describes the metadata of an object, or its kind or version.
    in_metadata: bool,
    defaults: Defaults,
}

/// Whether there may be defaults.
#[derive(Clone, Copy)]
enum Defaults {
    Allowed,
    Forbidden(&'static str),
    ForbiddenIn(&'static str),
}

/// Adds what is wrong in a schema at `path`, and below.
pub(crate) fn check(schema: Props<'_>, path: &str, strictness: &Strictness, found: &mut Vec<FieldError>) {
    let defaults = strictness.defaults.map_or(Defaults::Allowed, Defaults::Forbidden);
    let place = Place { is_root: true, in_metadata: false, defaults };
    Keywords { strictness, found }.check(schema, path, place);
}

struct Keywords<'s> {
    strictness: &'s Strictness,
    found: &'s mut Vec<FieldError>,
}

impl Keywords<'_> {
    fn check(&mut self, schema: Props<'_>, path: &str, place: Place) {
        self.unsupported(schema, path, place);
        if schema.is("uniqueItems") {
            let why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
            self.forbid(path, "uniqueItems", why);
        }
        let below = Place { is_root: false, ..place };
        self.additional(schema, path, below);
        for (name, property) in schema.members("properties") {
            let place = match metadata_of(name) {
                Some(name) if place.is_root => {
                    Place { in_metadata: true, defaults: Defaults::ForbiddenIn(name), ..below }
                }
                Some(_) if schema.is_embedded() => Place { in_metadata: true, ..below },
                _ => below,
            };
            self.check(property, &format!("{path}.properties[{name}]"), place);
        }
        if let Some(not) = schema.not() {
            self.check(not, &format!("{path}.not"), below);
        }
        for keyword in ["allOf", "oneOf", "anyOf"] {
            for (at, nested) in schema.schemas(keyword) {
                self.check(nested, &format!("{path}.{keyword}[{at}]"), below);
            }
        }
        for (name, nested) in schema.members("definitions") {
            self.check(nested, &format!("{path}.definitions[{name}]"), below);
        }
        match schema.items() {
            Items::Absent => {}
            Items::One(item) => self.check(item, &format!("{path}.items"), below),
            Items::Many(all) => {
                for (at, item) in all.iter().enumerate() {
                    self.check(Props(item), &format!("{path}.items[{at}]"), below);
                }
            }
        }
        for (name, nested) in schema.members("dependencies") {
            self.check(nested, &format!("{path}.dependencies[{name}]"), below);
        }
        if schema.get(FLAGS.preserves) == Some(&Value::Bool(false)) {
            let path = format!("{path}.{}", FLAGS.preserves);
            self.found.push(FieldError::invalid(path, &false.into(), "must be true or undefined"));
        }
        lists::check(schema, path, self.strictness, self.found);
        rules::check(schema, path, self.found);
    }

    fn forbid(&mut self, path: &str, keyword: &str, why: &str) {
        self.found.push(FieldError::forbidden(format!("{path}.{keyword}"), why));
    }

    fn unsupported(&mut self, schema: Props<'_>, path: &str, place: Place) {
        let ty = schema.ty();
        if self.strictness.types && !ty.is_empty() && Type::named(ty).is_none() {
            self.found.push(FieldError::not_supported(format!("{path}.type"), &ty.into(), Type::NAMES));
        }
        if schema.has("default") {
            match place.defaults {
                Defaults::Allowed => {}
                Defaults::Forbidden(why) => self.forbid(path, "default", &format!("must not be set {why}")),
                Defaults::ForbiddenIn(what) => {
                    self.forbid(path, "default", &format!("must not be set in top-level {what}"));
                }
            }
        }
        if !schema.text("id").is_empty() {
            self.forbid(path, "id", "id is not supported");
        }
        for (keyword, is_set) in [
            ("additionalItems", schema.has("additionalItems")),
            ("patternProperties", schema.has_members("patternProperties")),
            ("definitions", schema.has_members("definitions")),
            ("dependencies", schema.has("dependencies")),
            ("$ref", schema.has("$ref")),
        ] {
            if is_set {
                self.forbid(path, keyword, &format!("{keyword} is not supported"));
            }
        }
        if ty == "null" {
            self.forbid(path, "type", "type cannot be set to null, use nullable as an alternative");
        }
        if matches!(schema.items(), Items::Many([_, ..])) {
            self.forbid(path, "items", "items must be a schema object and not an array");
        }
        if place.in_metadata && schema.is_embedded() {
            self.forbid(path, FLAGS.embedded, "must not be used inside of resource meta");
        }
    }

    fn additional(&mut self, schema: Props<'_>, path: &str, place: Place) {
        let additional = schema.additional();
        let is_exclusive = matches!(additional, Additional::Flag(false) | Additional::Schema(_));
        if is_exclusive && schema.has_members("properties") {
            let why = "additionalProperties and properties are mutual exclusive";
            self.forbid(path, "additionalProperties", why);
        }
        if let Additional::Schema(values) = additional {
            let place = match place.in_metadata {
                true => {
                    let why = "inside additionalProperties applying to object metadata";
                    Place { defaults: Defaults::Forbidden(why), ..place }
                }
                false => place,
            };
            self.check(values, &format!("{path}.additionalProperties"), place);
        }
    }
}

/// What every object has of itself.
fn metadata_of(name: &str) -> Option<&'static str> {
    ["metadata", "kind", "apiVersion"].into_iter().find(|known| *known == name)
}
