//! Finds what the API server accepts in schemas, and types cannot represent.

use hubgen_validation::Mistake;

use super::definition::{Version, members};
use crate::Diagnostic;
use crate::node::{Node, Value};

/// Checks the parts of a schema in which no mistakes were found.
pub(super) fn check(version: &Version, mistakes: &[Mistake], errors: &mut Vec<Diagnostic>) {
    Checker { version, mistakes, errors }.schema(&version.schema, &version.path);
}

struct Checker<'a> {
    version: &'a Version,
    mistakes: &'a [Mistake],
    errors: &'a mut Vec<Diagnostic>,
}

impl Checker<'_> {
    fn error(&mut self, at: &Node, path: String, message: &str, help: &str) {
        if self.mistakes.iter().any(|mistake| mistake.error.field.starts_with(&path)) {
            return;
        }
        self.errors.push(self.version.source.error(at.span.clone(), path, message, help));
    }

    fn schema(&mut self, node: &Node, path: &str) {
        if let Some(default) = node.get("default").filter(|default| !fits(node, default)) {
            let message = format!("the default {} does not match the schema", default.to_json());
            let help = "write the default as it appears in an object";
            self.error(default, format!("{path}.default"), &message, help);
        }
        for (name, property) in members(node.get("properties")) {
            self.schema(property, &format!("{path}.properties[{name}]"));
        }
        if let Some(items) = node.get("items") {
            self.schema(items, &format!("{path}.items"));
        }
        if let Some(values) = node.get("additionalProperties") {
            let path = format!("{path}.additionalProperties");
            if values.bool() == Some(false) {
                let help = "remove it: unknown fields are dropped anyway";
                self.error(values, path, "`false` is not allowed", help);
            } else {
                self.schema(values, &path);
            }
        }
    }
}

/// Whether a value of the type that a schema becomes can be this default. The API server checks no defaults below
/// `additionalProperties`, and ignores that numbers have 32 bits.
fn fits(schema: &Node, value: &Node) -> bool {
    if matches!(value.value, Value::Null) {
        return schema.get("nullable").and_then(Node::bool) == Some(true);
    }
    let integer = match &value.value {
        Value::Number(number) => number.as_i64(),
        _ => None,
    };
    match schema.get("type").and_then(Node::str) {
        Some("boolean") => value.bool().is_some(),
        Some("integer") if schema.get("format").and_then(Node::str) == Some("int32") => {
            integer.is_some_and(|number| i32::try_from(number).is_ok())
        }
        Some("integer") => integer.is_some(),
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
        _ => true,
    }
}
