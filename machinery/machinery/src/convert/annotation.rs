//! Upstream's own annotations for values that an older version cannot represent.
//!
//! They are read and written in upstream's formats. An object written by a real cluster therefore
//! reads correctly here, and an object written here reads correctly there.
//!
//! An annotation that cannot be parsed is ignored, as upstream does.

use std::fmt::Display;
use std::str::FromStr;

use super::Annotations;
use crate::Str;
use crate::json::{self, writer};
use crate::reflect::{ApiType, Lent, List, Reflect, Slot, SlotMut, Value};

/// The room in bytes for the text of an annotation, to begin with.
const ROOM: usize = 512;

/// Sets an annotation.
#[inline(never)]
fn put(annotations: &mut Annotations, key: &str, text: impl Into<Str>) {
    annotations.insert(key, text.into());
}

/// Parses an annotation as a scalar, such as an integer or a quantity.
pub fn get_text<T: FromStr>(annotations: &Annotations, key: &str) -> Option<T> {
    annotations.get(key)?.parse().ok()
}

/// Writes a scalar into an annotation.
pub fn put_text(annotations: &mut Annotations, key: &str, value: &impl Display) {
    put(annotations, key, value.to_string());
}

/// Zero, if there is the annotation that marks a field as zero rather than absent.
pub fn get_zero<T: Default>(annotations: &Annotations, key: &str) -> Option<T> {
    annotations.contains_key(key).then(T::default)
}

/// Marks a field as zero rather than absent.
pub fn put_zero(annotations: &mut Annotations, key: &str) {
    put(annotations, key, Str::new());
}

/// Decodes an annotation as a JSON object.
pub fn get_object<T: ApiType>(annotations: &Annotations, key: &str) -> Option<T> {
    json::decode(annotations.get(key)?.as_bytes()).ok()
}

/// Writes an object into an annotation, as JSON.
pub fn put_object(annotations: &mut Annotations, key: &str, object: &impl ApiType) {
    put_object_any(annotations, key, Lent::new(object));
}

/// As [`put_object`], for a type that is known only at run time.
pub fn put_object_any(annotations: &mut Annotations, key: &str, object: &dyn Reflect) {
    let mut out = Vec::new();
    json::encode_lossy(object, object.descriptor().type_meta(), &mut out);
    put(annotations, key, text(out));
}

/// Decodes an annotation as a JSON list of objects.
pub fn get_list<T: ApiType>(annotations: &Annotations, key: &str) -> Option<Vec<T>>
where
    Vec<T>: Value,
{
    let mut list = Vec::new();
    let SlotMut::List(slot) = list.slot_mut() else { unreachable!("a vector of objects is a list") };
    read_list(annotations.get(key)?, slot).then_some(list)
}

/// Reads what [`put_list`] wrote into an empty list of objects. Returns whether that succeeded.
///
/// Upstream uses Go's JSON package, which matches names in any case.
pub fn read_list(text: &str, list: &mut dyn List) -> bool {
    json::decode_list_in_any_case(text, list).is_ok()
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
    let mut out = Vec::with_capacity(ROOM);
    out.push(b'[');
    for index in 0..list.len() {
        if index > 0 {
            out.push(b',');
        }
        if let Slot::Struct(element) = list.get(index) {
            json::encode_lossy(element, None, &mut out);
        }
    }
    out.push(b']');
    put(annotations, key, text(out));
}

/// Decodes an annotation as the JSON of upstream's internal struct; see [`put_internal`].
pub fn get_internal<T: ApiType>(annotations: &Annotations, key: &str) -> Option<T> {
    let mut object = T::default();
    read_internal(annotations.get(key)?, Lent::new_mut(&mut object)).then_some(object)
}

/// Reads what [`put_internal`] wrote into an empty object of the same type. Returns whether the
/// text contains a value: like upstream, it treats an object without any value as absent, and
/// matches names in any case.
pub fn read_internal(text: &str, object: &mut dyn Reflect) -> bool {
    json::decode_in_any_case(text, object).is_ok() && has_a_value(object)
}

/// Whether any field has a value. A nested object counts as a value, even when it is empty.
fn has_a_value(object: &dyn Reflect) -> bool {
    object.fields().slots().any(|slot| matches!(slot, Slot::Struct(_)) || !slot.is_zero())
}

/// Writes an object into an annotation, in the JSON of upstream's internal struct. That struct has
/// no JSON tags. The members are therefore Go's field names, which start with a capital letter, and
/// nothing is left out: an absent or empty value is `null`.
pub fn put_internal(annotations: &mut Annotations, key: &str, object: &impl ApiType) {
    put_internal_any(annotations, key, Lent::new(object));
}

/// As [`put_internal`], for a type that is known only at run time.
pub fn put_internal_any(annotations: &mut Annotations, key: &str, object: &dyn Reflect) {
    let mut out = Vec::with_capacity(ROOM);
    internal_object(object, &mut out);
    put(annotations, key, text(out));
}

fn internal_object(object: &dyn Reflect, out: &mut Vec<u8>) {
    out.push(b'{');
    for (index, (field, slot)) in object.fields().iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        capitalised(&field.name, out);
        out.push(b':');
        internal(&slot, out);
    }
    out.push(b'}');
}

fn internal(slot: &Slot<'_>, out: &mut Vec<u8>) {
    match slot {
        Slot::Struct(object) => internal_object(*object, out),
        Slot::List(list) if list.is_empty() => writer::null(out),
        Slot::List(list) => {
            for index in 0..list.len() {
                out.push(if index == 0 { b'[' } else { b',' });
                internal(&list.get(index), out);
            }
            out.push(b']');
        }
        Slot::Map(map) if map.is_empty() => writer::null(out),
        Slot::Map(map) => {
            let mut before = b'{';
            map.visit(&mut |key, slot| {
                out.push(before);
                before = b',';
                writer::string(out, key);
                out.push(b':');
                internal(&slot, out);
            });
            out.push(b'}');
        }
        Slot::String(text) => writer::string(out, text),
        Slot::Int32(number) => writer::integer(out, (*number).into()),
        Slot::Absent => writer::null(out),
        slot => writer::value(out, &super::plain::to_json(slot)),
    }
}

/// Appends a name as a JSON string, with a capital first letter. It contains no character that JSON
/// escapes.
fn capitalised(name: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut chars = name.chars();
    if let Some(first) = chars.next() {
        out.extend(first.to_uppercase().collect::<String>().bytes());
    }
    out.extend_from_slice(chars.as_str().as_bytes());
    out.push(b'"');
}

fn text(json: Vec<u8>) -> String {
    String::from_utf8(json).expect("JSON is written from strings only")
}
