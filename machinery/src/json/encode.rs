//! Encodes any object as JSON, by its slots.

use super::writer;
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
fn nested(object: &dyn Reflect, out: &mut Vec<u8>) {
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
    out: &mut Vec<u8>,
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

/// Appends one value to `out`.
pub fn encode_slot(slot: &Slot<'_>, out: &mut Vec<u8>) {
    value(slot, out);
}

#[inline(never)]
fn fields(descriptor: &Descriptor, slots: &[Slot<'_>], start: usize, out: &mut Vec<u8>) {
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
