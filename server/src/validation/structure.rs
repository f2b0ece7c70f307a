//! Structural validation: what the schema says of every object of a kind.
//!
//! Types are the decoder's matter. Here: required fields are there, words are among those allowed,
//! and no two elements of a list have the same key. All of it comes from the descriptors.

use std::collections::HashSet;

use hubgen_machinery::json::{self, Raw};
use hubgen_machinery::reflect::{Descriptor, Field, List, ListType, Reflect, Slot, Type, Words};
use serde_json::Value;

use super::violation::cut;
use super::{Violation, Violations};

/// The longest key of a map that a path shows whole.
const MAX_KEY: usize = 512;

/// Checks the fields of an object that `wanted` picks by name, and all below them.
///
/// `body` is the JSON that the object was read from: a number that is 0 or an object without
/// content looks the same in a struct whether the client wrote it or not, and only what the client
/// did not write is missing. A missing field is no violation where `excused` accepts its path.
///
/// The time is linear in the size of the object and the body, whatever is wrong with them.
pub(crate) fn structure(
    object: &dyn Reflect,
    body: &[u8],
    wanted: &dyn Fn(&str) -> bool,
    excused: Option<&dyn Fn(&str) -> bool>,
) -> Violations {
    let mut check = Check::new(excused);
    check.fields(object, BodyValue::Unknown, wanted);
    if !check.needs_document {
        // Most objects are complete, and their bodies need not be taken apart.
        return check.found;
    }
    let document = Raw::new(body).unwrap_or_default().to_value();
    let mut check = Check::new(excused);
    check.fields(object, BodyValue::Present(&document), wanted);
    check.found
}

/// A step of the path from the root to a value.
enum PathSegment<'a> {
    Field(&'a str),
    Key(String),
    Index(usize),
}

/// Where the value at hand is in the body.
#[derive(Clone, Copy)]
enum BodyValue<'d> {
    /// The body is not taken apart.
    Unknown,
    /// Here.
    Present(&'d Value),
    /// Nowhere: it is, or is below, a value that the client left out. `required` says whether
    /// leaving that out is not allowed, nor leaving out any field from there down to this one.
    Missing { required: bool },
}

struct Check<'a> {
    excused: Option<&'a dyn Fn(&str) -> bool>,
    path: Vec<PathSegment<'a>>,
    /// How many steps of the path lead to the outermost value that the client left out, and
    /// whether that is reported. Only of use at a [`BodyValue::Missing`].
    outermost: (usize, bool),
    /// Whether something looks missing and the body was not there to tell.
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
        let fields = &object.descriptor().fields;
        object.read(&mut |slots| {
            for (field, slot) in fields.iter().zip(slots) {
                if wanted(&field.name) {
                    self.path.push(PathSegment::Field(&field.name));
                    let below = self.below(at, field.facts.required(), |value| value.get(&*field.name));
                    self.field(field, slot, below);
                    self.path.pop();
                }
            }
        });
    }

    /// One step down. The path ends with that step already.
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
            // An object without content lacks something only if the client wrote it at all.
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

    /// What a field of a compiled type allows it allows of its items; a type that was made at run
    /// time says it of these.
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

    /// Reports the field at hand, or the outermost one above it that the client left out, unless
    /// leaving that one out is allowed.
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

    /// Reports a violation at the path at hand.
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
            // One key is named by its field, several as the object that they are.
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

/// The type of the items of a list or the values of a map, and the words that these allow.
fn items<'t>(ty: &'t Type, words: &'t Words) -> (&'t Type, &'t Words) {
    match ty {
        Type::List(node) | Type::Map(node) if node.facts.enumeration().is_empty() => (&node.ty, words),
        Type::List(node) | Type::Map(node) => (&node.ty, node.facts.enumeration()),
        _ => (ty, words),
    }
}

/// A path, as messages write it.
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

/// Whether an object without content can lack something.
fn requires(descriptor: &Descriptor) -> bool {
    descriptor.fields.iter().any(|field| {
        let below = if let Type::Struct(ty) = &field.ty { Some(ty.descriptor()) } else { None };
        field.facts.required() || (!field.optional && below.is_some_and(|below| requires(&below)))
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

    /// What a type that was made at run time says of the items of a list and the values of a map,
    /// below others too, is checked there.
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
