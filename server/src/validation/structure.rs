//! Structural validation: what the schema says of every object of a kind.
//!
//! Types are the decoder's matter. Here: required fields are there, words are among those allowed,
//! and no two elements of a list have the same key. All of it comes from the descriptors.

use std::cell::OnceCell;
use std::collections::HashSet;

use hubgen_machinery::json::{self, Raw};
use hubgen_machinery::reflect::{Descriptor, Field, List, ListType, Reflect, Slot, Type};
use serde_json::Value;

use super::Violation;

/// Checks the fields of an object that `wanted` picks by name, and all below them.
///
/// `body` is the JSON that the object was read from: a number that is 0 or an object without
/// content looks the same in a struct whether the client wrote it or not, and only what the client
/// did not write is missing.
pub(crate) fn structure(object: &dyn Reflect, body: &[u8], wanted: &dyn Fn(&str) -> bool) -> Vec<Violation> {
    let mut check = Check { body, document: OnceCell::new(), path: Vec::new(), found: Vec::new() };
    check.fields(object, wanted);
    check.found
}

/// A step of the path from the root to a value.
enum Step {
    /// A field, and whether its schema requires it.
    Field(&'static str, bool),
    Key(String),
    Index(usize),
}

struct Check<'a> {
    body: &'a [u8],
    /// The body, taken apart when something looks missing: most objects are complete.
    document: OnceCell<Value>,
    path: Vec<Step>,
    found: Vec<Violation>,
}

impl Check<'_> {
    fn fields(&mut self, object: &dyn Reflect, wanted: &dyn Fn(&str) -> bool) {
        let fields = object.descriptor().fields;
        object.read(&mut |slots| {
            for (field, slot) in fields.iter().zip(slots) {
                if wanted(field.name) {
                    self.path.push(Step::Field(field.name, field.facts.required));
                    self.field(field, slot);
                    self.path.pop();
                }
            }
        });
    }

    fn field(&mut self, field: &Field, slot: &Slot<'_>) {
        if slot.is_zero() {
            if field.facts.required {
                self.required();
            }
            // An object without content lacks something only if the client wrote it at all.
            let Slot::Struct(object) = slot else { return };
            if !requires(object.descriptor()) || self.first_missing().is_some() {
                return;
            }
        }
        match (field.facts.list_type, slot) {
            (Some(ListType::Map(keys)), Slot::List(list)) => self.unique_keys(*list, keys),
            (Some(ListType::Set), Slot::List(list)) => self.unique_elements(*list),
            _ => {}
        }
        self.value(slot, field.facts.enumeration);
    }

    fn value(&mut self, slot: &Slot<'_>, words: &[&str]) {
        match slot {
            Slot::String(word) if !words.is_empty() && !word.is_empty() && !words.contains(word) => {
                let path = self.text(self.path.len());
                self.found.push(Violation::not_supported(path, word, words));
            }
            Slot::Struct(object) => self.fields(*object, &|_| true),
            Slot::Union(union) => self.value(&union.active(), words),
            Slot::List(list) => {
                for index in 0..list.len() {
                    self.path.push(Step::Index(index));
                    self.value(&list.get(index), words);
                    self.path.pop();
                }
            }
            Slot::Map(map) => map.visit(&mut |key, slot| {
                self.path.push(Step::Key(key.to_owned()));
                self.value(&slot, words);
                self.path.pop();
            }),
            _ => {}
        }
    }

    /// Reports the field at hand, or the outermost one above it that the client left out, unless
    /// leaving that one out is allowed.
    fn required(&mut self) {
        let Some(missing) = self.first_missing() else { return };
        if !self.path[missing..].iter().all(|step| matches!(step, Step::Field(_, true))) {
            return;
        }
        let violation = Violation::required(self.text(missing + 1), "");
        if !self.found.contains(&violation) {
            self.found.push(violation);
        }
    }

    /// The position of the first step of the path that the body does not have.
    fn first_missing(&self) -> Option<usize> {
        let mut value = self.document.get_or_init(|| Raw::new(self.body).unwrap_or_default().to_value());
        for (position, step) in self.path.iter().enumerate() {
            let below = match step {
                Step::Field(name, _) => value.get(name),
                Step::Key(key) => value.get(key),
                Step::Index(index) => value.get(index),
            };
            match below {
                None | Some(Value::Null) => return Some(position),
                Some(below) => value = below,
            }
        }
        None
    }

    fn unique_elements(&mut self, list: &dyn List) {
        let mut seen = HashSet::new();
        for index in 0..list.len() {
            let mut text = Vec::new();
            json::encode_slot(&list.get(index), &mut text);
            if !seen.insert(text.clone()) {
                let field = format!("{}[{index}]", self.text(self.path.len()));
                self.found.push(Violation::duplicate(field, &String::from_utf8_lossy(&text)));
            }
        }
    }

    fn unique_keys(&mut self, list: &dyn List, keys: &[&str]) {
        let mut seen = HashSet::new();
        for index in 0..list.len() {
            let Slot::Struct(element) = list.get(index) else { return };
            let texts: Vec<String> = keys.iter().map(|key| key_text(element, key)).collect();
            if seen.insert(texts.clone()) {
                continue;
            }
            let element = format!("{}[{index}]", self.text(self.path.len()));
            // One key is named by its field, several as the object that they are.
            let violation = match (keys, texts.as_slice()) {
                ([key], [text]) => Violation::duplicate(format!("{element}.{key}"), text),
                _ => {
                    let members: Vec<String> =
                        keys.iter().zip(&texts).map(|(key, text)| format!("{key:?}:{text}")).collect();
                    Violation::duplicate(element, &format!("{{{}}}", members.join(",")))
                }
            };
            self.found.push(violation);
        }
    }

    /// The path up to a position, as messages write it.
    fn text(&self, end: usize) -> String {
        let mut text = String::new();
        for step in &self.path[..end] {
            match step {
                Step::Field(name, _) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(name);
                }
                Step::Key(key) => text.push_str(&format!("[{key}]")),
                Step::Index(index) => text.push_str(&format!("[{index}]")),
            }
        }
        text
    }
}

/// Whether an object without content can lack something.
fn requires(descriptor: &Descriptor) -> bool {
    descriptor.fields.iter().any(|field| {
        let below = if let Type::Struct(describe) = field.ty { Some(describe()) } else { None };
        field.facts.required || (!field.optional && below.is_some_and(requires))
    })
}

/// The JSON of a key of a list element; its default where the element leaves it out.
fn key_text(element: &dyn Reflect, key: &str) -> String {
    let Some(position) = element.position(key) else { return "null".to_owned() };
    let mut text = Vec::new();
    element.read(&mut |slots| json::encode_slot(&slots[position], &mut text));
    let field = &element.descriptor().fields[position];
    let absent = element
        .field(key)
        .is_none_or(|slot| matches!(slot, Slot::Absent) || (!field.pointer && slot.is_zero()));
    match field.facts.default {
        Some(default) if absent => default.to_owned(),
        _ => String::from_utf8_lossy(&text).into_owned(),
    }
}
