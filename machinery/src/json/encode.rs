//! Encodes any object as JSON, by its slots.

use super::writer;
use crate::reflect::{Descriptor, Literal, Reflect, Slot, TypeMeta, is_null, is_shown};

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
/// assert_eq!(json::encode(&Size { width: 3 }), br#"{"width":3}"#);
/// ```
pub fn encode(object: &dyn Reflect) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    encode_into(object, object.descriptor().type_meta(), &mut out);
    out
}

/// Appends an object to `out`. `kind` and `apiVersion` are those of
/// `type_meta`; without it, neither is written.
pub fn encode_into(object: &dyn Reflect, type_meta: Option<TypeMeta<'_>>, out: &mut Vec<u8>) {
    let descriptor = object.descriptor();
    out.push(b'{');
    let start = out.len();
    object.read(&mut |slots| {
        if let Some(type_meta) = type_meta {
            for (name, value) in [("kind", type_meta.kind), ("apiVersion", type_meta.api_version)] {
                // A type with its own field of this name writes the field's value.
                let own = descriptor.position(name).is_some_and(|index| !slots[index].is_zero());
                if !own && !value.is_empty() {
                    key(name, start, out);
                    writer::string(out, value);
                }
            }
        }
        fields(descriptor, slots, start, out);
    });
    out.push(b'}');
}

/// Appends one value to `out`.
pub fn encode_slot(slot: &Slot<'_>, out: &mut Vec<u8>) {
    value(slot, out);
}

fn fields(descriptor: &Descriptor, slots: &[Slot<'_>], start: usize, out: &mut Vec<u8>) {
    for (field, slot) in descriptor.fields.iter().zip(slots) {
        if is_shown(field, slot) {
            key(&field.name, start, out);
            if is_null(field, slot) {
                writer::null(out);
            } else {
                value(slot, out);
            }
        }
    }
}

/// Appends a field's name. It contains no character that JSON escapes.
fn key(name: &str, start: usize, out: &mut Vec<u8>) {
    if out.len() > start {
        out.push(b',');
    }
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
}

fn value(slot: &Slot<'_>, out: &mut Vec<u8>) {
    match slot {
        Slot::Absent => writer::null(out),
        Slot::Bool(value) => writer::bool(out, *value),
        Slot::Int32(value) => writer::integer(out, (*value).into()),
        Slot::Int64(value) => writer::integer(out, *value),
        // JSON cannot represent infinities; upstream refuses them when it decodes.
        Slot::Double(value) => writer::float(out, *value).unwrap_or_else(|_| writer::null(out)),
        Slot::String(value) => writer::string(out, value),
        Slot::Bytes(value) => writer::base64(out, value),
        Slot::Raw(value) => out.extend_from_slice(value.as_str().as_bytes()),
        Slot::Struct(value) => encode_into(*value, None, out),
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
