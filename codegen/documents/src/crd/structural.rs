//! Checks that schemas are structural, as the API server requires. Structure is what determines the type
//! of each value: `type`, `properties`, `items` and `additionalProperties`. `allOf`, `anyOf`, `oneOf` and
//! `not` can only restrict what the structure describes.

use indexmap::IndexMap;

use super::definition::{Version, members};
use crate::keywords::{self, EMBEDDED, PRESERVE};
use crate::node::{Node, Value};
use crate::{Diagnostic, Source};

/// Checks the schema of a version.
pub(super) fn check(version: &Version, errors: &mut Vec<Diagnostic>, warnings: &mut Vec<Diagnostic>) {
    let mut checker = Checker { source: &version.source, errors, warnings };
    checker.schema(&version.schema, &version.path, Level::Root);
}

const INT_OR_STRING: &str = "x-kubernetes-int-or-string";

/// Keywords of JSON Schema that the API server refuses.
const REFUSED: [(&str, &str); 9] = [
    ("$ref", "write the schema that it refers to in its place"),
    ("definitions", "write each schema where it is used"),
    ("dependencies", "write a rule under `x-kubernetes-validations`"),
    ("patternProperties", "write `additionalProperties`"),
    ("additionalItems", "describe all items under `items`"),
    ("deprecated", "mark the version as deprecated"),
    ("discriminator", "write a rule under `x-kubernetes-validations`"),
    ("readOnly", "write a rule under `x-kubernetes-validations`"),
    ("writeOnly", "write a rule under `x-kubernetes-validations`"),
];

/// Keywords that have no effect on objects.
const IGNORED: [&str; 3] = ["id", "$schema", "xml"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Field,
    Item,
}

struct Checker<'a> {
    source: &'a Source,
    errors: &'a mut Vec<Diagnostic>,
    warnings: &'a mut Vec<Diagnostic>,
}

impl Checker<'_> {
    fn error(&mut self, at: &Node, path: &str, message: impl Into<String>, help: &str) {
        self.errors.push(self.source.error(at.span.clone(), path, message, help));
    }

    /// Checks a schema that determines the structure of a value.
    fn schema(&mut self, node: &Node, path: &str, level: Level) {
        let Some(keys) = node.object() else {
            self.error(
                node,
                path,
                format!("{} is not a schema", node.kind()),
                "write an object with a `type`",
            );
            return;
        };
        self.keywords(keys, path);
        self.ty(node, path, level);
        if level == Level::Root {
            self.root(node, path);
        }
        if level == Level::Root || flag(node, EMBEDDED) {
            self.object_fields(node, path, level);
        }
        self.list(node, path);
        self.values(node, path);
        if let Some(default) = node.get("default").filter(|default| !fits(node, default)) {
            let help = "write the default as it appears in an object";
            let message = format!("the default {} does not match the schema", default.to_json());
            self.error(default, &format!("{path}.default"), message, help);
        }
        self.restrictions(node, path, node, !is_alternatives(node));
        for (name, property) in members(node.get("properties")) {
            // The metadata of a kind is checked above.
            if level != Level::Root || name != "metadata" {
                self.schema(property, &format!("{path}.properties.{name}"), Level::Field);
            }
        }
        if let Some(items) = node.get("items").filter(|items| items.object().is_some()) {
            self.schema(items, &format!("{path}.items"), Level::Item);
        }
        if let Some(values) = node.get("additionalProperties").filter(|values| values.object().is_some()) {
            self.schema(values, &format!("{path}.additionalProperties"), Level::Field);
        }
    }

    /// Checks that keywords are known and have values of the right form.
    fn keywords(&mut self, keys: &IndexMap<String, Node>, path: &str) {
        for (key, value) in keys {
            let path = format!("{path}.{key}");
            let expected = match key.as_str() {
                "type" => value.str().is_none().then_some("a string"),
                "properties" => value.object().is_none().then_some("an object with a schema for each field"),
                "additionalProperties" => {
                    let fits = value.object().is_some() || value.bool().is_some();
                    (!fits).then_some("a schema, or true")
                }
                PRESERVE | EMBEDDED | INT_OR_STRING => value.bool().is_none().then_some("true"),
                "items" if value.array().is_some() => {
                    let help = "write one schema for all items";
                    self.error(value, &path, "a list of schemas is not structural", help);
                    continue;
                }
                "items" => value.object().is_none().then_some("a schema"),
                _ => match (keywords::form(key), REFUSED.iter().find(|(refused, _)| refused == key)) {
                    (Some(form), _) => (!form.fits(value)).then_some(form.expected()),
                    (None, Some((_, help))) => {
                        self.error(value, &path, format!("`{key}` is not allowed in these schemas"), help);
                        continue;
                    }
                    (None, None) if IGNORED.contains(&key.as_str()) => continue,
                    (None, None) => {
                        let message = format!("unknown keyword `{key}`, which the API server ignores");
                        let help = "remove it; its content is not imported";
                        let warning = self.source.error(value.span.clone(), path, message, help).warning();
                        self.warnings.push(warning);
                        continue;
                    }
                },
            };
            if let Some(expected) = expected {
                self.error(value, &path, format!("{} here", value.kind()), &format!("write {expected}"));
            }
        }
        if keys.get("uniqueItems").and_then(Node::bool) == Some(true) {
            let help = "write `x-kubernetes-list-type: set`";
            self.error(&keys["uniqueItems"], &format!("{path}.uniqueItems"), "`true` is not allowed", help);
        }
        if keys.get(PRESERVE).and_then(Node::bool) == Some(false) {
            let help = "write true, or remove it";
            self.error(&keys[PRESERVE], &format!("{path}.{PRESERVE}"), "`false` is not allowed", help);
        }
        self.rules(keys, path);
    }

    fn rules(&mut self, keys: &IndexMap<String, Node>, path: &str) {
        let rules = keys.get("x-kubernetes-validations").and_then(Node::array).unwrap_or_default();
        for (at, rule) in rules.iter().enumerate() {
            let path = format!("{path}.x-kubernetes-validations[{at}]");
            if rule.get("rule").and_then(Node::str).is_none_or(str::is_empty) {
                self.error(rule, &format!("{path}.rule"), "missing", "write an expression of CEL");
            }
            for (key, value) in rule.object().into_iter().flatten() {
                let fits = match key.as_str() {
                    "rule" | "message" | "messageExpression" | "reason" | "fieldPath" => {
                        value.str().is_some()
                    }
                    "optionalOldSelf" => value.bool().is_some(),
                    _ => {
                        let known = "known keys: rule, message, messageExpression, reason, fieldPath, optionalOldSelf";
                        self.error(value, &format!("{path}.{key}"), format!("unknown key `{key}`"), known);
                        continue;
                    }
                };
                if !fits {
                    let expected =
                        if key == "optionalOldSelf" { "write true or false" } else { "write a string" };
                    self.error(value, &format!("{path}.{key}"), format!("{} here", value.kind()), expected);
                }
            }
        }
    }

    fn ty(&mut self, node: &Node, path: &str, level: Level) {
        let ty = node.get("type").and_then(Node::str);
        let path_of_type = format!("{path}.type");
        match ty {
            Some("boolean" | "integer" | "number" | "string" | "array" | "object") => {}
            Some(other) => {
                let help = "write boolean, integer, number, string, array or object";
                self.error(
                    node.get("type").unwrap_or(node),
                    &path_of_type,
                    format!("unknown type `{other}`"),
                    help,
                );
            }
            None if node.get("type").is_some() => {}
            None if flag(node, EMBEDDED) => {
                self.error(node, &path_of_type, "missing", "an embedded resource has `type: object`");
            }
            None if flag(node, INT_OR_STRING) || (flag(node, PRESERVE) && level != Level::Root) => {}
            None => {
                let help = "the schema must be structural: write a `type`";
                self.error(node, &path_of_type, "missing", help);
            }
        }
        let Some(ty) = ty else { return };
        if flag(node, EMBEDDED) && ty != "object" {
            let message = format!("`{EMBEDDED}` requires type `object`");
            self.error(node, &path_of_type, message, "correct the type");
        }
        for (key, needed) in
            [("properties", "object"), ("additionalProperties", "object"), ("items", "array")]
        {
            if let Some(at) = node.get(key).filter(|_| ty != needed) {
                let message = format!("`{key}` has no effect in a schema of type `{ty}`");
                let help = format!("remove it, or write `type: {needed}`");
                self.warnings.push(
                    self.source.error(at.span.clone(), format!("{path}.{key}"), message, help).warning(),
                );
            }
        }
        if ty == "array" && node.get("items").is_none() {
            self.error(node, &format!("{path}.items"), "missing", "describe the items of the list");
        }
    }

    fn root(&mut self, node: &Node, path: &str) {
        if node.get("type").and_then(Node::str).is_some_and(|ty| ty != "object") {
            self.error(node, &format!("{path}.type"), "the root must be an object", "write `type: object`");
        }
        if let Some(values) = node.get("additionalProperties") {
            let help = "describe the fields under `properties`";
            self.error(values, &format!("{path}.additionalProperties"), "not allowed at the root", help);
        }
        if let Some(nullable) = node.get("nullable").filter(|node| node.bool() == Some(true)) {
            self.error(nullable, &format!("{path}.nullable"), "the root cannot be null", "remove it");
        }
    }

    /// Checks `apiVersion`, `kind` and `metadata` of an object that has them.
    fn object_fields(&mut self, node: &Node, path: &str, level: Level) {
        for (name, ty) in [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")] {
            let Some(property) = node.get("properties").and_then(|properties| properties.get(name)) else {
                continue;
            };
            let path = format!("{path}.properties.{name}");
            if property.get("type").and_then(Node::str) != Some(ty) {
                self.error(
                    property,
                    &format!("{path}.type"),
                    format!("must be {ty}"),
                    &format!("write `type: {ty}`"),
                );
            }
            if name != "metadata" || level != Level::Root {
                continue;
            }
            for (key, member) in property.object().into_iter().flatten() {
                let allowed = match key.as_str() {
                    "type" | "description" | "default" => true,
                    "properties" => member.object().is_some_and(|names| {
                        names.keys().all(|name| name == "name" || name == "generateName")
                    }),
                    keyword => keywords::form(keyword).is_some_and(|_| {
                        !matches!(keyword, "title" | "nullable") && !keyword.starts_with("x-kubernetes-")
                    }),
                };
                if !allowed {
                    self.error(
                        member,
                        &format!("{path}.{key}"),
                        "a schema can only restrict `name` and `generateName` of the metadata",
                        "remove it: all objects have the same metadata",
                    );
                }
            }
        }
    }

    fn list(&mut self, node: &Node, path: &str) {
        let is_list = node.get("type").and_then(Node::str) == Some("array");
        let keys = node.get("x-kubernetes-list-map-keys");
        if let Some(list_type) = node.get("x-kubernetes-list-type") {
            let path = format!("{path}.x-kubernetes-list-type");
            match list_type.str() {
                Some("atomic" | "set") => {}
                Some("map") => {
                    let names = keys.and_then(Node::array).unwrap_or_default();
                    if names.is_empty() {
                        let help = "write `x-kubernetes-list-map-keys`";
                        self.error(list_type, &path, "a list of type `map` needs keys", help);
                    }
                    let properties = node.get("items").and_then(|items| items.get("properties"));
                    for name in names.iter().filter_map(|name| Some((name, name.str()?))) {
                        if properties.is_none_or(|properties| properties.get(name.1).is_none()) {
                            let message = format!("`{}` is not a property of the items", name.1);
                            self.error(name.0, &path, message, "use properties of the items as keys");
                        }
                    }
                }
                _ => self.error(list_type, &path, "unknown type of list", "write atomic, set or map"),
            }
            if !is_list {
                self.error(list_type, &path, "not a list", "remove it, or write `type: array`");
            }
        } else if let Some(keys) = keys {
            let help = "write `x-kubernetes-list-type: map`";
            self.error(keys, &format!("{path}.x-kubernetes-list-map-keys"), "not a list of type `map`", help);
        }
        if let Some(map_type) = node.get("x-kubernetes-map-type")
            && !matches!(map_type.str(), Some("atomic" | "granular"))
        {
            let path = format!("{path}.x-kubernetes-map-type");
            self.error(map_type, &path, "unknown type of map", "write atomic or granular");
        }
    }

    fn values(&mut self, node: &Node, path: &str) {
        let Some(values) = node.get("additionalProperties") else { return };
        let path = format!("{path}.additionalProperties");
        if values.bool() == Some(false) {
            self.error(
                values,
                &path,
                "`false` is not allowed",
                "remove it: unknown fields are dropped anyway",
            );
        }
        if members(node.get("properties")).next().is_some() {
            let help = "keep the properties of an object, or the schema of a map's values";
            self.error(values, &path, "`additionalProperties` and `properties` exclude each other", help);
        }
        if flag(node, EMBEDDED) {
            let help = "keep one of the two";
            self.error(
                values,
                &path,
                format!("`{EMBEDDED}` and `additionalProperties` exclude each other"),
                help,
            );
        }
    }

    /// Checks the schemas under `allOf`, `anyOf`, `oneOf` and `not`. They restrict values that `structure`
    /// describes, so they cannot specify structure.
    fn restrictions(&mut self, node: &Node, path: &str, structure: &Node, checks_any_of: bool) {
        for key in ["allOf", "anyOf", "oneOf"] {
            if key == "anyOf" && !checks_any_of {
                continue;
            }
            for (at, nested) in node.get(key).and_then(Node::array).into_iter().flatten().enumerate() {
                // The first of `allOf` may contain the alternatives of an integer or a string.
                let checks_any_of = !(key == "allOf" && at == 0 && is_alternatives(nested));
                self.restriction(nested, &format!("{path}.{key}[{at}]"), structure, checks_any_of);
            }
        }
        if let Some(nested) = node.get("not") {
            self.restriction(nested, &format!("{path}.not"), structure, true);
        }
    }

    fn restriction(&mut self, node: &Node, path: &str, structure: &Node, checks_any_of: bool) {
        let Some(keys) = node.object() else {
            self.error(node, path, format!("{} is not a schema", node.kind()), "write an object");
            return;
        };
        self.keywords(keys, path);
        for (key, member) in keys {
            let is_forbidden = matches!(
                key.as_str(),
                "type" | "additionalProperties" | "default" | "title" | "description" | "nullable"
            ) || (key.starts_with("x-kubernetes-") && key != "x-kubernetes-validations");
            if is_forbidden {
                let message = format!("`{key}` is not allowed below `allOf`, `anyOf`, `oneOf` and `not`");
                let help = "specify it in the schema outside, which determines the structure";
                self.error(member, &format!("{path}.{key}"), message, help);
            }
        }
        self.restrictions(node, path, structure, checks_any_of);
        for (name, nested) in members(node.get("properties")) {
            let path = format!("{path}.properties.{name}");
            let outside = structure.get("properties").and_then(|properties| properties.get(name));
            let values = structure.get("additionalProperties").filter(|values| values.object().is_some());
            match outside.or(values) {
                Some(outside) => self.restriction(nested, &path, outside, true),
                None => {
                    let help = "describe it under `properties` of the schema outside, too";
                    self.error(nested, &path, format!("the schema outside has no field `{name}`"), help);
                }
            }
        }
        if let Some(nested) = node.get("items") {
            let path = format!("{path}.items");
            match structure.get("items") {
                Some(outside) => self.restriction(nested, &path, outside, true),
                None => {
                    let help = "describe the items in the schema outside, too";
                    self.error(nested, &path, "the schema outside has no items", help);
                }
            }
        }
    }
}

fn flag(node: &Node, key: &str) -> bool {
    node.get(key).and_then(Node::bool) == Some(true)
}

/// Whether a default has the structure that a schema describes.
fn fits(schema: &Node, value: &Node) -> bool {
    if matches!(value.value, Value::Null) {
        return flag(schema, "nullable");
    }
    let is_integer = matches!(&value.value, Value::Number(number) if number.is_i64() || number.is_u64());
    match schema.get("type").and_then(Node::str) {
        Some("boolean") => value.bool().is_some(),
        Some("integer") if schema.get("format").and_then(Node::str) == Some("int32") => {
            matches!(&value.value, Value::Number(number) if number.as_i64().is_some_and(|number| i32::try_from(number).is_ok()))
        }
        Some("integer") => is_integer,
        Some("number") => matches!(value.value, Value::Number(_)),
        Some("string") => value.str().is_some(),
        Some("array") => value.array().is_some_and(|elements| {
            elements.iter().all(|element| schema.get("items").is_none_or(|items| fits(items, element)))
        }),
        Some("object") => value.object().is_some_and(|members| {
            members.iter().all(|(name, member)| {
                let property = schema.get("properties").and_then(|properties| properties.get(name));
                property.or(schema.get("additionalProperties")).is_none_or(|schema| fits(schema, member))
            })
        }),
        _ if flag(schema, INT_OR_STRING) => is_integer || value.str().is_some(),
        _ => true,
    }
}

/// Whether `anyOf` is `[{type: integer}, {type: string}]`.
fn is_alternatives(node: &Node) -> bool {
    let Some([first, second]) = node.get("anyOf").and_then(Node::array) else { return false };
    let is = |node: &Node, ty: &str| {
        node.object().is_some_and(|keys| keys.len() == 1) && node.get("type").and_then(Node::str) == Some(ty)
    };
    is(first, "integer") && is(second, "string")
}
