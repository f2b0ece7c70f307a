//! Reads the keywords of a schema that mean the same wherever it is.

use serde_json::{Map, Value};

use super::Compiler;
use crate::error::FieldError;
use crate::format::Format;
use crate::mistake::Mistake;
use crate::node::{Bound, Constrained, Node};
use crate::pattern::Pattern;
use crate::range::NumberFormat;
use crate::rule::{self, Members, RULES, Rule};
use crate::unchecked::Unchecked;
use crate::value_type::Type;

/// The names of the flags that Kubernetes adds to JSON schema.
pub(crate) struct Flags {
    pub(crate) preserves: &'static str,
    pub(crate) embedded: &'static str,
    pub(crate) int_or_string: &'static str,
}

pub(crate) const FLAGS: Flags = Flags {
    preserves: "x-kubernetes-preserve-unknown-fields",
    embedded: "x-kubernetes-embedded-resource",
    int_or_string: "x-kubernetes-int-or-string",
};

/// Keywords that the API server refuses, and what to do instead.
const REFUSED: [(&str, &str); 7] = [
    ("id", "remove it"),
    ("additionalItems", "describe all items under `items`"),
    ("patternProperties", "write `additionalProperties`"),
    ("definitions", "write each schema where it is used"),
    ("dependencies", "write a rule under `x-kubernetes-validations`"),
    ("$ref", "write the schema that it refers to in its place"),
    ("$schema", "remove it"),
];

/// The keys of a rule in CEL, under `x-kubernetes-validations` of a schema. The API server ignores all others.
pub const RULE_KEYS: [&str; 6] =
    ["rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf"];

/// Reading of keywords.
pub(super) trait Keywords {
    /// Reads the keywords of a schema, except those that contain other schemas.
    fn keywords(&mut self, members: &Map<String, Value>, path: &str) -> Node;
}

impl Keywords for Compiler {
    fn keywords(&mut self, members: &Map<String, Value>, path: &str) -> Node {
        // Both types of `x-kubernetes-int-or-string` replace the type.
        let ty = members.get("type").and_then(Value::as_str);
        let is_either = members.get(FLAGS.int_or_string) == Some(&Value::Bool(true));
        let mut node = Node { ty: ty.and_then(Type::named).filter(|_| !is_either), ..Node::default() };
        for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            let path = format!("{path}.{name}");
            let mut reader = Reader { compiler: self, path: &path, value };
            let constraints = &mut node.constraints;
            match name.as_str() {
                "type" | "title" | "description" | "x-kubernetes-list-type" | "x-kubernetes-map-type" => {
                    reader.text();
                }
                "default" | "example" => {}
                "nullable" => node.nullable = reader.flag(),
                "format" => reader.format(node.ty, constraints),
                "minimum" => constraints.minimum = reader.bound(members, "exclusiveMinimum"),
                "maximum" => constraints.maximum = reader.bound(members, "exclusiveMaximum"),
                "exclusiveMinimum" | "exclusiveMaximum" => drop(reader.flag()),
                "multipleOf" => constraints.multiple_of = reader.number(),
                "minLength" => constraints.min_length = reader.count(),
                "maxLength" => constraints.max_length = reader.count(),
                "minItems" => constraints.min_items = reader.count(),
                "maxItems" => constraints.max_items = reader.count(),
                "minProperties" => constraints.min_properties = reader.count(),
                "maxProperties" => constraints.max_properties = reader.count(),
                "pattern" => constraints.pattern = reader.pattern(),
                "enum" => node.enumeration = reader.list("a list of values").iter().map(stored).collect(),
                "required" => {
                    let names = reader.list("a list of names");
                    node.required = names.iter().filter_map(Value::as_str).map(str::to_owned).collect();
                    if node.required.len() < names.len() {
                        reader.wrong("a list of names");
                    }
                }
                "uniqueItems" => {
                    if reader.flag() {
                        let why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
                        self.refuse(FieldError::forbidden(path, why), "write `x-kubernetes-list-type: set`");
                    }
                }
                "properties" => {
                    if !value.is_object() {
                        reader.wrong("an object with a schema for each field");
                    }
                }
                "additionalProperties" => {
                    if !value.is_object() && !value.is_boolean() {
                        reader.wrong("a schema, or true or false");
                    }
                }
                "externalDocs" => {
                    if !value.is_object() {
                        reader.wrong("an object");
                    }
                }
                "items" if value.is_array() => {
                    let why = "items must be a schema object and not an array";
                    self.refuse(FieldError::forbidden(path, why), "write one schema for all items");
                }
                "items" | "not" => {
                    if !value.is_object() {
                        reader.wrong("a schema");
                    }
                }
                "allOf" | "anyOf" | "oneOf" => drop(reader.list("a list of schemas")),
                "x-kubernetes-list-map-keys" => drop(reader.list("a list of names")),
                RULES => {
                    node.rules = reader.rules(members);
                    node.has_rules = !node.rules.is_empty();
                }
                name if name == FLAGS.preserves => {
                    node.preserves = reader.flag();
                    if value == &Value::Bool(false) {
                        let error = FieldError::invalid(path, value, "must be true or undefined");
                        self.refuse(error, "write true, or remove it");
                    }
                }
                name if name == FLAGS.embedded => node.embedded = reader.flag(),
                name if name == FLAGS.int_or_string => node.int_or_string = reader.flag(),
                name => match REFUSED.iter().find(|(refused, _)| *refused == name) {
                    Some((name, help)) => {
                        self.refuse(FieldError::forbidden(&path, &format!("{name} is not supported")), *help);
                    }
                    None => self.unchecked.push(Unchecked::Keyword { path }),
                },
            }
        }
        node
    }
}

/// Reads the value of one keyword.
struct Reader<'a> {
    compiler: &'a mut Compiler,
    path: &'a str,
    value: &'a Value,
}

impl<'a> Reader<'a> {
    fn wrong(&mut self, expected: &str) {
        self.compiler.mistakes.push(Mistake::wrong_type(self.path, self.value, expected));
    }

    fn text(&mut self) -> &'a str {
        let text = self.value.as_str();
        if text.is_none() {
            self.wrong("a string");
        }
        text.unwrap_or_default()
    }

    fn flag(&mut self) -> bool {
        let flag = self.value.as_bool();
        if flag.is_none() {
            self.wrong("true or false");
        }
        flag.unwrap_or_default()
    }

    fn number(&mut self) -> Option<f64> {
        let number = self.value.as_f64();
        if number.is_none() {
            self.wrong("a number");
        }
        number
    }

    fn count(&mut self) -> Option<i64> {
        let count = self.value.as_i64();
        if count.is_none() {
            self.wrong("an integer");
        }
        count
    }

    fn list(&mut self, expected: &str) -> &'a [Value] {
        let list = self.value.as_array();
        if list.is_none() {
            self.wrong(expected);
        }
        list.map(Vec::as_slice).unwrap_or_default()
    }

    fn bound(&mut self, members: &Map<String, Value>, exclusive: &str) -> Option<Bound> {
        let exclusive = members.get(exclusive).and_then(Value::as_bool).unwrap_or_default();
        Some(Bound { value: self.number()?, exclusive })
    }

    fn pattern(&mut self) -> Option<Pattern> {
        let text = self.text();
        if text.is_empty() {
            return None;
        }
        match Pattern::new(text) {
            Ok(pattern) => Some(pattern),
            Err(error) => {
                let why = format!("must be a valid regular expression, but isn't: {error}");
                let error = FieldError::invalid_text(self.path, text, &why);
                self.compiler.refuse(error, "write a regular expression as Go reads it (RE2)");
                None
            }
        }
    }

    /// Reads a format that values of the type can have. The API server ignores all others.
    fn format(&mut self, ty: Option<Type>, constraints: &mut Constrained) {
        let name = self.text();
        match ty {
            None | Some(Type::String) => {
                constraints.format = Format::named(name).map(|format| (format, name.to_owned()));
            }
            Some(ty) => constraints.number_format = NumberFormat::named(name, ty),
        }
        let is_checked = constraints.format.is_some() || constraints.number_format.is_some();
        if !is_checked && !name.is_empty() {
            let (path, format) = (self.path.to_owned(), name.to_owned());
            self.compiler.unchecked.push(Unchecked::Format { path, format });
        }
    }

    /// Reads rules, and checks all of them but their expressions. `schema` has the fields that they can name.
    fn rules(&mut self, schema: &Map<String, Value>) -> Vec<Rule> {
        let rules = self.list("a list of rules");
        rules
            .iter()
            .enumerate()
            .map(|(at, rule)| self.rule(rule, &format!("{}[{at}]", self.path), schema))
            .collect()
    }

    fn rule(&mut self, json: &Value, path: &str, schema: &Map<String, Value>) -> Rule {
        let mut rule = Rule::default();
        for (key, value) in json.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
            let path = format!("{path}.{key}");
            if !RULE_KEYS.contains(&key.as_str()) {
                self.compiler.unchecked.push(Unchecked::Keyword { path });
                continue;
            }
            let mut reader = Reader { compiler: self.compiler, path: &path, value };
            match key.as_str() {
                "optionalOldSelf" => rule.optional_old_self = Some(reader.flag()),
                "rule" => reader.text().clone_into(&mut rule.rule),
                "message" => reader.text().clone_into(&mut rule.message),
                "messageExpression" => reader.text().clone_into(&mut rule.message_expression),
                "reason" => rule.reason = Some(reader.text().to_owned()),
                _ => reader.text().clone_into(&mut rule.field_path),
            }
        }
        if !rule.field_path.is_empty() {
            rule.field = rule::normalized(&rule.field_path, schema);
        }
        let members = Members {
            rule: &rule.rule,
            message: &rule.message,
            message_expression: &rule.message_expression,
            reason: rule.reason.as_deref(),
            field_path: &rule.field_path,
        };
        for (error, help) in members.mistakes(path, || rule.field.is_some()) {
            self.compiler.refuse(error, help);
        }
        rule
    }
}

/// The schemas of a keyword such as `allOf`.
pub(super) fn list<'j>(members: &'j Map<String, Value>, keyword: &str) -> &'j [Value] {
    members.get(keyword).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The members of a keyword such as `properties`.
pub(super) fn object<'j>(members: &'j Map<String, Value>, keyword: &str) -> &'j Map<String, Value> {
    static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    members.get(keyword).and_then(Value::as_object).unwrap_or(&EMPTY)
}

/// A value as it comes back from the API server's store: a whole number without a fraction becomes an integer.
pub(super) fn stored(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.as_i64().is_none() && float.fract() == 0.0 && float.abs() < 9.2e18 => {
                Value::from(float as i64)
            }
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(stored).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, member)| (name.clone(), stored(member))).collect())
        }
        _ => value.clone(),
    }
}
