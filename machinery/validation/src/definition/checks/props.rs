//! Reads the members of a schema in JSON, as the API server's types have them.

use serde_json::{Map, Value};

use crate::compile::keywords;

/// One schema of a definition. What is absent, `null` or of a wrong type has its zero value.
#[derive(Clone, Copy)]
pub(crate) struct Props<'a>(pub(crate) &'a Value);

/// `items`.
pub(crate) enum Items<'a> {
    Absent,
    One(Props<'a>),
    /// A schema for each position, which is refused.
    Many(&'a [Value]),
}

/// `additionalProperties`.
pub(crate) enum Additional<'a> {
    Absent,
    Flag(bool),
    Schema(Props<'a>),
}

impl<'a> Props<'a> {
    /// A member that is there.
    pub(crate) fn get(self, key: &str) -> Option<&'a Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    pub(crate) fn has(self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// A text that may be absent.
    pub(crate) fn word(self, key: &str) -> Option<&'a str> {
        self.get(key).and_then(Value::as_str)
    }

    pub(crate) fn text(self, key: &str) -> &'a str {
        self.word(key).unwrap_or_default()
    }

    pub(crate) fn is(self, key: &str) -> bool {
        self.get(key) == Some(&Value::Bool(true))
    }

    pub(crate) fn ty(self) -> &'a str {
        self.text("type")
    }

    /// The texts of a list.
    pub(crate) fn words(self, key: &str) -> impl Iterator<Item = &'a str> {
        self.list(key).iter().filter_map(Value::as_str)
    }

    pub(crate) fn list(self, key: &str) -> &'a [Value] {
        self.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The schemas of a keyword such as `allOf`, with their positions.
    pub(crate) fn schemas(self, key: &str) -> impl Iterator<Item = (usize, Props<'a>)> {
        self.list(key).iter().map(Props).enumerate()
    }

    /// The schemas of a keyword such as `properties`, by their names.
    pub(crate) fn members(self, key: &str) -> impl Iterator<Item = (&'a str, Props<'a>)> {
        self.map(key).into_iter().flatten().map(|(name, value)| (name.as_str(), Props(value)))
    }

    fn map(self, key: &str) -> Option<&'a Map<String, Value>> {
        self.get(key).and_then(Value::as_object)
    }

    pub(crate) fn property(self, name: &str) -> Option<Props<'a>> {
        self.map("properties")?.get(name).map(Props)
    }

    pub(crate) fn has_members(self, key: &str) -> bool {
        self.map(key).is_some_and(|map| !map.is_empty())
    }

    /// The schema of `not`.
    pub(crate) fn not(self) -> Option<Props<'a>> {
        self.get("not").map(Props)
    }

    pub(crate) fn items(self) -> Items<'a> {
        match self.get("items") {
            None => Items::Absent,
            Some(Value::Array(all)) => Items::Many(all),
            Some(one) => Items::One(Props(one)),
        }
    }

    /// The schema of all items, if there is one for all.
    pub(crate) fn item(self) -> Option<Props<'a>> {
        match self.items() {
            Items::One(item) => Some(item),
            Items::Absent | Items::Many(_) => None,
        }
    }

    pub(crate) fn additional(self) -> Additional<'a> {
        match self.get("additionalProperties") {
            None => Additional::Absent,
            Some(Value::Bool(flag)) => Additional::Flag(*flag),
            Some(schema) => Additional::Schema(Props(schema)),
        }
    }

    /// Whether this is `x-kubernetes-preserve-unknown-fields: true`.
    pub(crate) fn preserves(self) -> bool {
        self.is(keywords::FLAGS.preserves)
    }

    pub(crate) fn is_embedded(self) -> bool {
        self.is(keywords::FLAGS.embedded)
    }

    pub(crate) fn is_int_or_string(self) -> bool {
        self.is(keywords::FLAGS.int_or_string)
    }

    /// Whether a schema here or below fulfils a condition, those that are refused included.
    pub(crate) fn any(self, is_so: &dyn Fn(Props<'a>) -> bool) -> bool {
        let lists = ["allOf", "anyOf", "oneOf"];
        let maps = ["properties", "patternProperties", "definitions", "dependencies"];
        is_so(self)
            || match self.items() {
                Items::Absent => false,
                Items::One(item) => item.any(is_so),
                Items::Many(all) => all.iter().any(|item| Props(item).any(is_so)),
            }
            || lists.iter().any(|key| self.schemas(key).any(|(_, schema)| schema.any(is_so)))
            || self.not().is_some_and(|not| not.any(is_so))
            || maps.iter().any(|key| self.members(key).any(|(_, schema)| schema.any(is_so)))
            || matches!(self.additional(), Additional::Schema(schema) if schema.any(is_so))
            || self.get("additionalItems").is_some_and(|schema| Props(schema).any(is_so))
    }
}
