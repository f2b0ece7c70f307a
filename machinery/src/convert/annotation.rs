//! Annotations in which upstream keeps what an older version cannot say, in
//! upstream's own formats, so that an object that a real cluster wrote reads
//! right here, and the other way round.
//!
//! Reading takes the annotation off. One that does not read as what it should
//! be is dropped, as upstream does.

use std::fmt::Display;
use std::str::FromStr;

use serde_json::{Map as Members, Value as Json};

use super::Annotations;
use crate::json::{self, Lexer, Raw};
use crate::reflect::{ApiType, Descriptor, Lent, List, Reflect, Slot, SlotMut, Type, Value};

/// Takes off a text. Here, so that no other crate has a tree's code to remove.
#[inline(never)]
fn take(annotations: &mut Annotations, key: &str) -> Option<String> {
    annotations.remove(key)
}

/// Puts a text on.
#[inline(never)]
fn put(annotations: &mut Annotations, key: &str, text: String) {
    annotations.insert(key.to_owned(), text);
}

/// Takes off a plain value, such as an integer or a quantity.
pub fn take_text<T: FromStr>(annotations: &mut Annotations, key: &str) -> Option<T> {
    take(annotations, key)?.parse().ok()
}

/// Puts a plain value on.
pub fn put_text(annotations: &mut Annotations, key: &str, value: &impl Display) {
    put(annotations, key, value.to_string());
}

/// Takes off the mark that a field is zero, and not absent.
pub fn take_zero<T: Default>(annotations: &mut Annotations, key: &str) -> Option<T> {
    take(annotations, key).map(|_| T::default())
}

/// Marks that a field is zero, and not absent.
pub fn put_zero(annotations: &mut Annotations, key: &str) {
    put(annotations, key, String::new());
}

/// Takes off an object in JSON.
pub fn take_object<T: ApiType>(annotations: &mut Annotations, key: &str) -> Option<T> {
    let text = take(annotations, key)?;
    json::decode(text.as_bytes()).ok()
}

/// Puts an object on, in JSON.
pub fn put_object(annotations: &mut Annotations, key: &str, object: &impl ApiType) {
    put_object_any(annotations, key, Lent::new(object));
}

/// As [`put_object`], of a type that is known at run time only.
pub fn put_object_any(annotations: &mut Annotations, key: &str, object: &dyn Reflect) {
    put(annotations, key, text(json::encode(object)));
}

/// Takes off a list of objects in JSON.
pub fn take_list<T: ApiType>(annotations: &mut Annotations, key: &str) -> Option<Vec<T>>
where
    Vec<T>: Value,
{
    let mut list = Vec::new();
    let SlotMut::List(slot) = list.slot_mut() else { unreachable!("a vector of objects is a list") };
    read_list(&take(annotations, key)?, slot).then_some(list)
}

/// Reads into an empty list of objects what [`put_list`] wrote; says whether
/// it could.
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
                    // Upstream reads it with Go's JSON package, which takes names in any case.
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

/// Puts a list of objects on, in JSON.
pub fn put_list<T: ApiType>(annotations: &mut Annotations, key: &str, list: &Vec<T>)
where
    Vec<T>: Value,
{
    if let Slot::List(list) = list.slot() {
        put_list_any(annotations, key, list);
    }
}

/// As [`put_list`], of a type that is known at run time only.
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

/// Takes off an object in the JSON of upstream's internal struct; see
/// [`put_internal`].
pub fn take_internal<T: ApiType>(annotations: &mut Annotations, key: &str) -> Option<T> {
    let mut object = T::default();
    read_internal(&take(annotations, key)?, Lent::new_mut(&mut object)).then_some(object)
}

/// Reads into an empty object what [`put_internal`] wrote of one of its type;
/// says whether there was anything: upstream takes an object that says nothing
/// for none.
pub fn read_internal(text: &str, object: &mut dyn Reflect) -> bool {
    let Ok(value) = Raw::new(text.as_bytes()).map(|raw| raw.to_value()) else { return false };
    let value = published_names(object.descriptor(), value);
    json::decode_into(Raw::from(value).as_str().as_bytes(), object).is_ok() && says_anything(object)
}

/// Whether any field holds something: an object that holds nothing is
/// something.
fn says_anything(object: &dyn Reflect) -> bool {
    let mut any = false;
    object
        .read(&mut |slots| any = slots.iter().any(|slot| matches!(slot, Slot::Struct(_)) || !slot.is_zero()));
    any
}

/// Puts an object on, in the JSON of upstream's internal struct. That has no
/// JSON names, so Go's field names stand, which begin with a capital, and
/// nothing is left out: what is absent or empty is `null`.
pub fn put_internal(annotations: &mut Annotations, key: &str, object: &impl ApiType) {
    put_internal_any(annotations, key, Lent::new(object));
}

/// As [`put_internal`], of a type that is known at run time only.
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

/// The same JSON under the published names; Go reads names in any case.
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
