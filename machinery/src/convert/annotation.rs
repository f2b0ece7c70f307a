//! Upstream's own annotations for values that an older version cannot represent.
//!
//! They are read and written in upstream's formats. An object written by a real cluster therefore
//! reads correctly here, and an object written here reads correctly there.
//!
//! The `take_*` functions remove the annotation they read. An annotation that cannot be parsed is
//! dropped, as upstream does.

use std::fmt::Display;
use std::str::FromStr;

use serde_json::{Map as Members, Value as Json};

use super::Annotations;
use crate::Str;
use crate::json::{self, Lexer, Raw};
use crate::reflect::{ApiType, Descriptor, Lent, List, Reflect, Slot, SlotMut, Type, Value};

/// Removes and returns an annotation. Kept in this crate, so that no other crate compiles the code
/// that removes an entry from a `BTreeMap`.
#[inline(never)]
fn take(annotations: &mut Annotations, key: &str) -> Option<Str> {
    annotations.remove(key)
}

/// Sets an annotation.
#[inline(never)]
fn put(annotations: &mut Annotations, key: &str, text: impl Into<Str>) {
    annotations.insert(key.into(), text.into());
}

/// Removes an annotation and parses it as a scalar, such as an integer or a quantity.
pub fn take_text<T: FromStr>(annotations: &mut Annotations, key: &str) -> Option<T> {
    take(annotations, key)?.parse().ok()
}

/// Writes a scalar into an annotation.
pub fn put_text(annotations: &mut Annotations, key: &str, value: &impl Display) {
    put(annotations, key, value.to_string());
}

/// Removes the annotation that marks a field as zero rather than absent.
pub fn take_zero<T: Default>(annotations: &mut Annotations, key: &str) -> Option<T> {
    take(annotations, key).map(|_| T::default())
}

/// Marks a field as zero rather than absent.
pub fn put_zero(annotations: &mut Annotations, key: &str) {
    put(annotations, key, Str::new());
}

/// Removes an annotation and decodes it as a JSON object.
pub fn take_object<T: ApiType>(annotations: &mut Annotations, key: &str) -> Option<T> {
    let text = take(annotations, key)?;
    json::decode(text.as_bytes()).ok()
}

/// Writes an object into an annotation, as JSON.
pub fn put_object(annotations: &mut Annotations, key: &str, object: &impl ApiType) {
    put_object_any(annotations, key, Lent::new(object));
}

/// As [`put_object`], for a type that is known only at run time.
pub fn put_object_any(annotations: &mut Annotations, key: &str, object: &dyn Reflect) {
    put(annotations, key, text(json::encode(object)));
}

/// Removes an annotation and decodes it as a JSON list of objects.
pub fn take_list<T: ApiType>(annotations: &mut Annotations, key: &str) -> Option<Vec<T>>
where
    Vec<T>: Value,
{
    let mut list = Vec::new();
    let SlotMut::List(slot) = list.slot_mut() else { unreachable!("a vector of objects is a list") };
    read_list(&take(annotations, key)?, slot).then_some(list)
}

/// Reads what [`put_list`] wrote into an empty list of objects. Returns whether that succeeded.
pub fn read_list(text: &str, list: &mut dyn List) -> bool {
    try_read_list(text, list).is_ok()
}

fn try_read_list(text: &str, list: &mut dyn List) -> Result<(), json::Error> {
    let mut lexer = Lexer::new(text.as_bytes())?;
    if !lexer.take_null()? {
        let mut more = lexer.enter_array()?;
        while more {
            let element = Raw::read(&mut lexer)?;
            match list.push() {
                SlotMut::Struct(object) if !element.is_null() => {
                    // Upstream uses Go's JSON package, which matches names in any case.
                    let element = Raw::from(published_names(object.descriptor(), element.to_value()));
                    json::decode_into(element.as_str().as_bytes(), object)?;
                }
                _ => {}
            }
            more = lexer.next_element()?;
        }
    }
    lexer.finish()
}

/// Writes a list of objects into an annotation, as JSON.
pub fn put_list<T: ApiType>(annotations: &mut Annotations, key: &str, list: &Vec<T>)
where
    Vec<T>: Value,
{
    if let Slot::List(list) = list.slot() {
        put_list_any(annotations, key, list);
    }
}

/// As [`put_list`], for a type that is known only at run time.
pub fn put_list_any(annotations: &mut Annotations, key: &str, list: &dyn List) {
    let mut out = vec![b'['];
    for index in 0..list.len() {
        if index > 0 {
            out.push(b',');
        }
        if let Slot::Struct(element) = list.get(index) {
            json::encode_into(element, None, &mut out);
        }
    }
    out.push(b']');
    put(annotations, key, text(out));
}

/// Removes an annotation and decodes it as the JSON of upstream's internal struct; see
/// [`put_internal`].
pub fn take_internal<T: ApiType>(annotations: &mut Annotations, key: &str) -> Option<T> {
    let mut object = T::default();
    read_internal(&take(annotations, key)?, Lent::new_mut(&mut object)).then_some(object)
}

/// Reads what [`put_internal`] wrote into an empty object of the same type. Returns whether the
/// text contains a value: like upstream, it treats an object without any value as absent.
pub fn read_internal(text: &str, object: &mut dyn Reflect) -> bool {
    let Ok(value) = Raw::new(text.as_bytes()).map(|raw| raw.to_value()) else { return false };
    let value = published_names(object.descriptor(), value);
    json::decode_into(Raw::from(value).as_str().as_bytes(), object).is_ok() && has_a_value(object)
}

/// Whether any field has a value. A nested object counts as a value, even when it is empty.
fn has_a_value(object: &dyn Reflect) -> bool {
    let mut any = false;
    object
        .read(&mut |slots| any = slots.iter().any(|slot| matches!(slot, Slot::Struct(_)) || !slot.is_zero()));
    any
}

/// Writes an object into an annotation, in the JSON of upstream's internal struct. That struct has
/// no JSON tags. The members are therefore Go's field names, which start with a capital letter, and
/// nothing is left out: an absent or empty value is `null`.
pub fn put_internal(annotations: &mut Annotations, key: &str, object: &impl ApiType) {
    put_internal_any(annotations, key, Lent::new(object));
}

/// As [`put_internal`], for a type that is known only at run time.
pub fn put_internal_any(annotations: &mut Annotations, key: &str, object: &dyn Reflect) {
    put(annotations, key, Raw::from(internal_object(object)).to_string());
}

fn internal_object(object: &dyn Reflect) -> Json {
    let mut out = Members::new();
    object.read(&mut |slots| {
        for (field, slot) in object.descriptor().fields.iter().zip(slots) {
            out.insert(capitalised(&field.name), internal(slot));
        }
    });
    Json::Object(out)
}

fn internal(slot: &Slot<'_>) -> Json {
    match slot {
        Slot::Struct(object) => internal_object(*object),
        Slot::List(list) if list.is_empty() => Json::Null,
        Slot::List(list) => (0..list.len()).map(|index| internal(&list.get(index))).collect(),
        Slot::Map(map) if map.is_empty() => Json::Null,
        Slot::Map(map) => {
            let mut out = Members::new();
            map.visit(&mut |key, slot| {
                out.insert(key.to_owned(), internal(&slot));
            });
            Json::Object(out)
        }
        slot => super::plain::to_json(slot),
    }
}

fn capitalised(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The same JSON with the names that the schema publishes. Go matches names in any case.
fn published_names(descriptor: &Descriptor, value: Json) -> Json {
    let Json::Object(members) = value else { return value };
    let rename = |(name, value): (String, Json)| match descriptor
        .fields
        .iter()
        .find(|field| field.name.eq_ignore_ascii_case(&name))
    {
        Some(field) => (field.name.to_string(), published_value(&field.ty, value)),
        None => (name, value),
    };
    Json::Object(members.into_iter().map(rename).collect())
}

fn published_value(ty: &Type, value: Json) -> Json {
    match (ty, value) {
        (Type::Struct(ty), value) => published_names(&ty.descriptor(), value),
        (Type::List(node), Json::Array(elements)) => {
            elements.into_iter().map(|value| published_value(&node.ty, value)).collect()
        }
        (Type::Map(node), Json::Object(members)) => {
            let entry = |(key, value)| (key, published_value(&node.ty, value));
            Json::Object(members.into_iter().map(entry).collect())
        }
        (_, value) => value,
    }
}

fn text(json: Vec<u8>) -> String {
    String::from_utf8(json).expect("JSON is written from strings only")
}
