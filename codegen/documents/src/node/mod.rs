//! Values of JSON and YAML documents with their positions in the text, for errors.

mod json;
mod path;
mod yaml;

use std::ops::Range;

use indexmap::IndexMap;

pub use yaml::documents;

/// A JSON value and its position in the text.
#[derive(Clone, Debug)]
pub struct Node {
    /// Byte offsets of the value.
    pub span: Range<usize>,
    /// The value.
    pub value: Value,
}

/// A JSON value whose members and elements have positions.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "JSON's own names")]
pub enum Value {
    Null,
    Bool(bool),
    Number(serde_json::Number),
    String(String),
    Array(Vec<Node>),
    Object(IndexMap<String, Node>),
}

impl Node {
    /// The members, if this is an object.
    pub fn object(&self) -> Option<&IndexMap<String, Node>> {
        match &self.value {
            Value::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The elements, if this is an array.
    pub fn array(&self) -> Option<&[Node]> {
        match &self.value {
            Value::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The text, if this is a string.
    pub fn str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value, if this is a boolean.
    pub fn bool(&self) -> Option<bool> {
        match &self.value {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number, if this is an unsigned integer of 32 bits.
    pub fn u32(&self) -> Option<u32> {
        match &self.value {
            Value::Number(number) => number.as_u64().and_then(|number| number.try_into().ok()),
            _ => None,
        }
    }

    /// The member of that name, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.object()?.get(key)
    }

    /// The type of this value, for messages.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        }
    }

    /// The value without positions.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Number(number) => number.clone().into(),
            Value::String(text) => text.clone().into(),
            Value::Array(elements) => elements.iter().map(Self::to_json).collect(),
            Value::Object(members) => serde_json::Value::Object(
                members.iter().map(|(key, member)| (key.clone(), member.to_json())).collect(),
            ),
        }
    }
}
