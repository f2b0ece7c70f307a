//! Structural validation: checks an object against the schema of its kind.
//!
//! The decoder checks types. This module checks that required fields are present, that enum values
//! are allowed, and that lists have no duplicate elements or keys. All rules come from the type
//! descriptors.

use std::collections::HashSet;

use hubgen_machinery::json::{self, Raw};
use hubgen_machinery::reflect::{Descriptor, Field, List, ListType, Reflect, Slot, Type, Words};
use serde_json::Value;

use super::violation::cut;
use super::{Violation, Violations};

/// The maximum length of a map key in field paths.
const MAX_KEY: usize = 512;

/// Checks the fields that `wanted` selects by name, with everything below them.
///
/// `body` is the JSON that the object was decoded from. A struct does not distinguish a number 0 or
/// an empty object that the client wrote from an absent one, and only absent fields are missing. A
/// missing field is no violation if `excused` accepts its path.
///
/// The time is linear in the size of the object and the body, however many violations there are.
pub(crate) fn structure(
    object: &dyn Reflect,
    body: &[u8],
    wanted: &dyn Fn(&str) -> bool,
    excused: Option<&dyn Fn(&str) -> bool>,
) -> Violations {
    let mut check = Check::new(excused);
    check.fields(object, BodyValue::Unknown, wanted);
    if !check.needs_document {
        // Most objects are complete, and their bodies need not be parsed.
        return check.found;
    }
    let document = Raw::new(body).and_then(|body| body.to_value()).unwrap_or_default();
    let mut check = Check::new(excused);
    check.fields(object, BodyValue::Present(&document), wanted);
    check.found
}

/// A segment of a field path.
enum PathSegment<'a> {
    Field(&'a str),
    Key(String),
    Index(usize),
}

/// The current value in the body.
#[derive(Clone, Copy)]
enum BodyValue<'d> {
    /// The body is not parsed.
    Unknown,
    /// The value in the body.
    Present(&'d Value),
    /// The client omitted this value or a value above it. `required` is set if all fields are
    /// required, from the outermost omitted one down to this one.
    Missing { required: bool },
}

struct Check<'a> {
    excused: Option<&'a dyn Fn(&str) -> bool>,
    path: Vec<PathSegment<'a>>,
    /// The length of the path to the outermost omitted value, and whether that value is already
    /// reported. Only meaningful at a [`BodyValue::Missing`].
    outermost: (usize, bool),
    /// Whether the check found a value that may be missing, so that it must be repeated with the
    /// parsed body.
    needs_document: bool,
    found: Violations,
}

impl<'a> Check<'a> {
    fn new(excused: Option<&'a dyn Fn(&str) -> bool>) -> Self {
        Self {
            excused,
            path: Vec::new(),
            outermost: (0, false),
            needs_document: false,
            found: Violations::default(),
        }
    }

    fn fields(&mut self, object: &'a dyn Reflect, at: BodyValue<'_>, wanted: &dyn Fn(&str) -> bool) {
        for (field, slot) in object.fields().iter() {
            if wanted(&field.name) {
                self.path.push(PathSegment::Field(&field.name));
                let below = self.below(at, field.facts.required(), |value| value.get(&*field.name));
                self.field(field, &slot, below);
                self.path.pop();
            }
        }
    }

    /// Descends to a child value. The path already ends with the child's segment.
    fn below<'d>(
        &mut self,
        at: BodyValue<'d>,
        is_required: bool,
        step: impl FnOnce(&'d Value) -> Option<&'d Value>,
    ) -> BodyValue<'d> {
        match at {
            BodyValue::Unknown => BodyValue::Unknown,
            BodyValue::Missing { required } => BodyValue::Missing { required: required && is_required },
            BodyValue::Present(value) => match step(value) {
                Some(value) if !value.is_null() => BodyValue::Present(value),
                _ => {
                    self.outermost = (self.path.len(), false);
                    BodyValue::Missing { required: is_required }
                }
            },
        }
    }

    fn field(&mut self, field: &'a Field, slot: &Slot<'a>, at: BodyValue<'_>) {
        if slot.is_zero() {
            if field.facts.required() {
                self.required(at);
            }
            // An empty object lacks its required fields only if the client wrote it.
            let Slot::Struct(object) = slot else { return };
            match at {
                _ if !requires(object.descriptor()) => return,
                BodyValue::Missing { .. } => return,
                BodyValue::Unknown => self.needs_document = true,
                BodyValue::Present(_) => {}
            }
        }
        match (field.facts.list_type(), slot) {
            (Some(ListType::Map(keys)), Slot::List(list)) => self.unique_keys(*list, keys),
            (Some(ListType::Set), Slot::List(list)) => self.unique_elements(*list),
            _ => {}
        }
        self.value(slot, &field.ty, field.facts.enumeration(), at);
    }

    /// Checks a value and its items. In a compiled type the allowed values of items are a fact of
    /// the field; in a runtime type they are a fact of the items.
    fn value(&mut self, slot: &Slot<'a>, ty: &Type, words: &Words, at: BodyValue<'_>) {
        match slot {
            Slot::String(word) if !words.is_empty() && !word.is_empty() && !words.contains(word) => {
                let words: Vec<&str> = words.iter().collect();
                self.report(|path| Violation::not_supported(path, word, &words));
            }
            Slot::Struct(object) => self.fields(*object, at, &|_| true),
            Slot::Union(union) => self.value(&union.active(), ty, words, at),
            Slot::List(list) => {
                let (ty, words) = items(ty, words);
                for index in 0..list.len() {
                    self.path.push(PathSegment::Index(index));
                    let below = self.below(at, false, |value| value.get(index));
                    self.value(&list.get(index), ty, words, below);
                    self.path.pop();
                }
            }
            Slot::Map(map) => map.visit(&mut |key, slot| {
                let (ty, words) = items(ty, words);
                self.path.push(PathSegment::Key(cut(key, MAX_KEY).into_owned()));
                let below = self.below(at, false, |value| value.get(key));
                self.value(&slot, ty, words, below);
                self.path.pop();
            }),
            _ => {}
        }
    }

    /// Reports the current field, or the outermost omitted one above it, unless that one is
    /// optional.
    fn required(&mut self, at: BodyValue<'_>) {
        match at {
            BodyValue::Unknown => self.needs_document = true,
            BodyValue::Present(_) | BodyValue::Missing { required: false } => {}
            BodyValue::Missing { required: true } => {
                let (steps, is_reported) = &mut self.outermost;
                if !std::mem::replace(is_reported, true) {
                    let steps = *steps;
                    let excused = self.excused.is_some_and(|excused| excused(&text(&self.path[..steps])));
                    if !excused {
                        self.found.add(|| Violation::required(text(&self.path[..steps]), ""));
                    }
                }
            }
        }
    }

    /// Reports a violation at the current path.
    fn report(&mut self, violation: impl FnOnce(String) -> Violation) {
        self.found.add(|| violation(text(&self.path)));
    }

    fn unique_elements(&mut self, list: &dyn List) {
        let mut seen = HashSet::new();
        for index in 0..list.len() {
            let mut text = Vec::new();
            json::encode_slot(&list.get(index), &mut text);
            match seen.get(&text) {
                None => drop(seen.insert(text)),
                Some(text) => self.report(|path| {
                    Violation::duplicate(format!("{path}[{index}]"), &String::from_utf8_lossy(text))
                }),
            }
        }
    }

    fn unique_keys(&mut self, list: &dyn List, keys: &Words) {
        let mut seen = HashSet::new();
        for index in 0..list.len() {
            let Slot::Struct(element) = list.get(index) else { return };
            let texts: Vec<String> = keys.iter().map(|key| key_text(element, key)).collect();
            let Some(texts) = seen.get(&texts) else {
                seen.insert(texts);
                continue;
            };
            // A single key is reported at its field, several keys as an object.
            self.report(|path| match (keys.get(0), texts.as_slice()) {
                (Some(key), [text]) => Violation::duplicate(format!("{path}[{index}].{key}"), text),
                _ => {
                    let members: Vec<String> =
                        keys.iter().zip(texts).map(|(key, text)| format!("{key:?}:{text}")).collect();
                    Violation::duplicate(format!("{path}[{index}]"), &format!("{{{}}}", members.join(",")))
                }
            });
        }
    }
}

/// The type of the items of a list or the values of a map, and their allowed values.
fn items<'t>(ty: &'t Type, words: &'t Words) -> (&'t Type, &'t Words) {
    match ty {
        Type::List(node) | Type::Map(node) if node.facts.enumeration().is_empty() => (&node.ty, words),
        Type::List(node) | Type::Map(node) => (&node.ty, node.facts.enumeration()),
        _ => (ty, words),
    }
}

/// The field path as text for messages.
fn text(path: &[PathSegment<'_>]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            PathSegment::Field(name) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(name);
            }
            PathSegment::Key(key) => text.push_str(&format!("[{key}]")),
            PathSegment::Index(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}

/// Whether an empty object lacks required fields.
fn requires(descriptor: &Descriptor) -> bool {
    descriptor.fields.iter().any(|field| {
        let below = if let Type::Struct(ty) = &field.ty { Some(ty.descriptor()) } else { None };
        field.facts.required() || (!field.optional && below.is_some_and(|below| requires(&below)))
    })
}

/// The JSON of a key field of a list element, or the default of the field if it is absent.
fn key_text(element: &dyn Reflect, key: &str) -> String {
    let Some(position) = element.position(key) else { return "null".to_owned() };
    let mut text = Vec::new();
    json::encode_slot(&element.fields().slot(position), &mut text);
    let field = &element.descriptor().fields[position];
    let absent = element
        .field(key)
        .is_none_or(|slot| matches!(slot, Slot::Absent) || (!field.pointer && slot.is_zero()));
    match field.facts.default() {
        Some(default) if absent => default.to_owned(),
        _ => String::from_utf8_lossy(&text).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use hubgen_machinery::reflect::runtime::{FieldDef, NodeDef, StructDef, TypeDef, Types};
    use hubgen_machinery::reflect::{Fact, Facts};

    use super::*;

    /// The facts of a runtime type about the items of a list and the values of a map are checked,
    /// also in nested lists and maps.
    #[test]
    fn facts_of_items_and_values_are_checked() {
        let colours =
            Facts::from_iter([Fact::OneOf(["red", "green"].map(str::to_owned).into_iter().collect())]);
        let colour = || Box::new(NodeDef { ty: TypeDef::Is(Type::String), facts: colours.clone() });
        let paint = StructDef {
            fields: vec![
                FieldDef::new("list", TypeDef::List(colour())),
                FieldDef::new("map", TypeDef::Map(TypeDef::List(colour()).into())),
                FieldDef::new("free", TypeDef::List(TypeDef::Is(Type::String).into())),
            ],
            ..StructDef::new("Paint")
        };
        let types = Types::new(vec![paint]).unwrap();
        let wrong = |body: &str| {
            let mut object = types.object(0);
            json::decode_into(body.as_bytes(), &mut *object).unwrap();
            let found = structure(&*object, body.as_bytes(), &|_| true, None);
            found.into_vec().iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(wrong(r#"{"list":["red"],"map":{"a":["green"]},"free":["blue"]}"#), [""; 0]);
        assert_eq!(
            wrong(r#"{"list":["red","blue"],"map":{"a":["green","grey"]}}"#),
            [
                r#"list[1]: Unsupported value: "blue": supported values: "red", "green""#,
                r#"map[a][1]: Unsupported value: "grey": supported values: "red", "green""#,
            ]
        );
    }
}
