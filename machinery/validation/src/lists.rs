//! Validates that lists of type `set` have no equal items, and lists of type `map` no equal keys.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::error::FieldError;
use crate::findings::Findings;
use crate::node::{Additional, ListType, Node};
use crate::number::Number;
use crate::text;

pub(crate) fn validate(node: &Node, value: &Value, found: &mut Findings) {
    Lists { path: String::new(), found }.value(node, value);
}

struct Lists<'f> {
    /// The path, with keys of maps in brackets.
    path: String,
    found: &'f mut Findings,
}

impl Lists<'_> {
    fn value(&mut self, node: &Node, value: &Value) {
        let length = self.path.len();
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    if let Some(node) = node.properties.get(name) {
                        if length > 0 {
                            self.path.push('.');
                        }
                        self.path.push_str(name);
                        self.value(node, value);
                        self.path.truncate(length);
                    }
                    if let Some(Additional::Values(node)) = &node.additional {
                        self.path.push_str(&format!("[{name}]"));
                        self.value(node, value);
                        self.path.truncate(length);
                    }
                }
            }
            Value::Array(items) => {
                match &node.list {
                    ListType::None | ListType::Atomic => {}
                    ListType::Set => {
                        for at in repeated(items.iter().map(key)) {
                            let error = FieldError::duplicate(format!("{}[{at}]", self.path), &items[at]);
                            self.found.add(error);
                        }
                    }
                    ListType::Map(keys) => self.map(items, keys),
                }
                let Some(node) = &node.items else { return };
                for (at, item) in items.iter().enumerate() {
                    self.path.push_str(&format!("[{at}]"));
                    self.value(node, item);
                    self.path.truncate(length);
                }
            }
            _ => {}
        }
    }

    fn map(&mut self, items: &[Value], keys: &[String]) {
        if let Some(at) = items.iter().position(|item| !item.is_object() && !item.is_null()) {
            let why = "must be an object for an array of list-type map";
            self.found.add(FieldError::invalid(format!("{}[{at}]", self.path), &items[at], why));
            return;
        }
        let all: Vec<Value> = items.iter().map(|item| keys_of(item, keys)).collect();
        for at in repeated(all.iter().map(key)) {
            self.found.add(FieldError::duplicate(format!("{}[{at}]", self.path), &all[at]));
        }
    }
}

/// The keys of an item of a list of type `map`.
pub(crate) fn keys_of(item: &Value, keys: &[String]) -> Value {
    let member = |name: &String| Some((name.clone(), item.get(name)?.clone()));
    Value::Object(keys.iter().filter_map(member).collect::<Map<_, _>>())
}

/// A text that items with equal keys share. An item that lacks a key, or where one is no scalar, has none.
pub(crate) fn key_of_item(item: &Value, keys: &[String]) -> Option<String> {
    let members = item.as_object()?;
    let is_scalar = |value: &Value| !matches!(value, Value::Null | Value::Array(_) | Value::Object(_));
    keys.iter().all(|name| members.get(name).is_some_and(is_scalar)).then(|| key(&keys_of(item, keys)))
}

/// A text that equal values share. Integers and fractions differ, as in Go, but not below lists and objects, which the
/// API server compares as JSON.
pub(crate) fn key(value: &Value) -> String {
    match value {
        Value::Number(number) => match Number::of(number) {
            Number::Int(int) => format!("{int}"),
            Number::Float(float) => format!("f{float}"),
        },
        _ => text::json(value),
    }
}

/// The position of the second occurrence of each value that occurs more than once.
fn repeated(keys: impl Iterator<Item = String>) -> Vec<usize> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut repeated = Vec::new();
    for (at, key) in keys.enumerate() {
        let count = seen.entry(key).or_default();
        *count += 1;
        if *count == 2 {
            repeated.push(at);
        }
    }
    repeated
}
