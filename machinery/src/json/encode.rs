//! Encodes any object as JSON, by its slots.

use std::ops::{Deref, DerefMut};

use super::{EncodeError, writer};
use crate::reflect::{Descriptor, Literal, Name, Reflect, Slot, TypeMeta, is_null, is_shown};

/// Encodes an object as the reference server does: compact, fields in order,
/// keys of maps sorted, `<`, `>` and `&` escaped. For a kind, `kind` and
/// `apiVersion` come first.
///
/// ```
/// use hubgen_machinery::{ApiType, json};
///
/// #[derive(ApiType)]
/// struct Size {
///     width: i32,
/// }
///
/// assert_eq!(json::encode(&Size { width: 3 }).unwrap(), br#"{"width":3}"#);
/// ```
///
/// # Errors
/// When the object contains a value that JSON cannot represent. No object that
/// was decoded from JSON does.
pub fn encode(object: &dyn Reflect) -> Result<Vec<u8>, EncodeError> {
    let mut out = Vec::with_capacity(1024);
    encode_into(object, object.descriptor().type_meta(), &mut out)?;
    Ok(out)
}

/// Appends an object to `out`. `kind` and `apiVersion` are those of
/// `type_meta`; without it, neither is written.
///
/// # Errors
/// As [`encode`]. Nothing is appended then.
pub fn encode_into(
    object: &dyn Reflect,
    type_meta: Option<TypeMeta<'_>>,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let before = out.len();
    if encode_lossy(object, type_meta, out) {
        return Ok(());
    }
    out.truncate(before);
    Err(EncodeError::of(object))
}

/// As [`encode_into`]. A text that is no JSON becomes a string, and an infinite
/// number `null`. Returns whether there was neither.
pub(crate) fn encode_lossy(object: &dyn Reflect, type_meta: Option<TypeMeta<'_>>, out: &mut Vec<u8>) -> bool {
    let mut written = Out { bytes: std::mem::take(out), is_exact: true };
    root(object, type_meta, &mut written);
    *out = written.bytes;
    written.is_exact
}

/// The JSON that was written.
struct Out {
    bytes: Vec<u8>,
    /// Whether JSON could represent every value. What it could not is looked
    /// for afterwards, so that the path of a value costs nothing.
    is_exact: bool,
}

impl Deref for Out {
    type Target = Vec<u8>;

    #[inline(always)]
    fn deref(&self) -> &Vec<u8> {
        &self.bytes
    }
}

impl DerefMut for Out {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}

fn root(object: &dyn Reflect, type_meta: Option<TypeMeta<'_>>, out: &mut Out) {
    let Some(type_meta) = type_meta else { return nested(object, out) };
    let descriptor = object.descriptor();
    out.push(b'{');
    let start = out.len();
    object.read(&mut |slots| {
        own_type_meta(descriptor, slots, type_meta, start, out);
        fields(descriptor, slots, start, out);
    });
    out.push(b'}');
}

/// Appends an object without `kind` and `apiVersion`.
#[inline(never)]
fn nested(object: &dyn Reflect, out: &mut Out) {
    let descriptor = object.descriptor();
    out.push(b'{');
    let start = out.len();
    object.read(&mut |slots| fields(descriptor, slots, start, out));
    out.push(b'}');
}

/// Appends `kind` and `apiVersion`.
#[inline(never)]
fn own_type_meta(
    descriptor: &Descriptor,
    slots: &[Slot<'_>],
    type_meta: TypeMeta<'_>,
    start: usize,
    out: &mut Out,
) {
    static KIND: Name = Name::of(",\"kind\":");
    static API_VERSION: Name = Name::of(",\"apiVersion\":");
    for (name, value) in [(&KIND, type_meta.kind), (&API_VERSION, type_meta.api_version)] {
        // A type with its own field of this name writes the field's value.
        let own = descriptor.position(name).is_some_and(|index| !slots[index].is_zero());
        if !own && !value.is_empty() {
            let is_first = out.len() == start;
            writer::plain(out, name.member(is_first));
            writer::string(out, value);
        }
    }
}

/// Appends one value to `out`. A text that is no JSON becomes a string, and an
/// infinite number `null`.
pub fn encode_slot(slot: &Slot<'_>, out: &mut Vec<u8>) {
    let mut written = Out { bytes: std::mem::take(out), is_exact: true };
    value(slot, &mut written);
    *out = written.bytes;
}

#[inline(never)]
fn fields(descriptor: &Descriptor, slots: &[Slot<'_>], start: usize, out: &mut Out) {
    for (field, slot) in descriptor.fields.iter().zip(slots) {
        if is_shown(field, slot) {
            let is_first = out.len() == start;
            writer::plain(out, field.name.member(is_first));
            match slot {
                Slot::String(text) => writer::string(out, text),
                Slot::Struct(object) => nested(*object, out),
                slot if is_null(field, slot) => writer::null(out),
                slot => value(slot, out),
            }
        }
    }
}

fn value(slot: &Slot<'_>, out: &mut Out) {
    match slot {
        Slot::Absent => writer::null(out),
        Slot::Bool(value) => writer::bool(out, *value),
        Slot::Int32(value) => writer::integer(out, (*value).into()),
        Slot::Int64(value) => writer::integer(out, *value),
        Slot::Double(value) => {
            if writer::float(out, *value).is_err() {
                writer::null(out);
                out.is_exact = false;
            }
        }
        Slot::String(value) => writer::string(out, value),
        Slot::Bytes(value) => writer::base64(out, value),
        Slot::Raw(value) => match value.to_json() {
            Ok(json) => out.extend_from_slice(json.as_bytes()),
            Err(_) => {
                writer::string(out, value.as_str());
                out.is_exact = false;
            }
        },
        Slot::Struct(value) => nested(*value, out),
        Slot::Union(union) => match union.active() {
            // An empty list is `null`: upstream checks the number of elements
            // before it checks whether the union is a list.
            Slot::List(list) if list.is_empty() => writer::null(out),
            active => value(&active, out),
        },
        Slot::Scalar(value) => value.show(&mut |literal| match literal {
            Literal::Text(text) => writer::string(out, text),
            Literal::Integer(number) => writer::integer(out, number),
            Literal::Number(text) => out.extend_from_slice(text.as_bytes()),
        }),
        Slot::List(list) => {
            out.push(b'[');
            for index in 0..list.len() {
                if index > 0 {
                    out.push(b',');
                }
                value(&list.get(index), out);
            }
            out.push(b']');
        }
        Slot::Map(map) => {
            out.push(b'{');
            let mut first = true;
            map.visit(&mut |key, slot| {
                if !first {
                    out.push(b',');
                }
                first = false;
                writer::string(out, key);
                out.push(b':');
                value(&slot, out);
            });
            out.push(b'}');
        }
    }
}
