//! Encodes any object as JSON, by its slots.

use std::mem::take;
use std::ops::{Deref, DerefMut};

use super::{EncodeError, writer};
use crate::Str;
use crate::reflect::{
    Field, Fields, List, Literal, Name, Omit, Reflect, Slot, TextRef, TypeMeta, UnknownFields, Visitor,
    is_null, is_set, is_shown,
};

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
/// number `null`; an unknown field that is not unknown is left out. Returns
/// whether there was none of these.
pub(crate) fn encode_lossy(object: &dyn Reflect, type_meta: Option<TypeMeta<'_>>, out: &mut Vec<u8>) -> bool {
    let mut written = Out { bytes: take(out), is_exact: true };
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
    let fields = object.fields();
    let Some(type_meta) = type_meta else { return nested(fields, out) };
    out.push(b'{');
    let start = out.len();
    own_type_meta(fields, type_meta, start, out);
    members(fields, start, out);
    out.push(b'}');
}

/// Appends an object without `kind` and `apiVersion`.
#[inline(never)]
fn nested(fields: Fields<'_>, out: &mut Out) {
    out.push(b'{');
    let start = out.len();
    members(fields, start, out);
    out.push(b'}');
}

/// Appends `kind` and `apiVersion`.
#[inline(never)]
fn own_type_meta(fields: Fields<'_>, type_meta: TypeMeta<'_>, start: usize, out: &mut Out) {
    static KIND: Name = Name::of(",\"kind\":");
    static API_VERSION: Name = Name::of(",\"apiVersion\":");
    for (name, value) in [(&KIND, type_meta.kind), (&API_VERSION, type_meta.api_version)] {
        // A type with its own field of this name writes the field's value.
        let own = fields.descriptor().position(name).is_some_and(|index| !fields.slot(index).is_zero());
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
    let mut written = Out { bytes: take(out), is_exact: true };
    value(slot, &mut written);
    *out = written.bytes;
}

/// Appends the members of an object.
#[inline(never)]
fn members(fields: Fields<'_>, start: usize, out: &mut Out) {
    let descriptor = fields.descriptor();
    for field in descriptor.named() {
        fields.visit(&field.place, || field, Member { field, start, out });
    }
    if descriptor.unknown == UnknownFields::Kept {
        rest(fields, start, out);
    }
}

/// Appends the fields that the type does not have. One with the name of a field of the type would be a
/// second field of this name, so it is left out.
#[inline(never)]
fn rest(fields: Fields<'_>, start: usize, out: &mut Out) {
    let descriptor = fields.descriptor();
    let Slot::Map(rest) = fields.slot(descriptor.named().len()) else { return };
    rest.visit(&mut |name, slot| {
        if descriptor.has(name) {
            out.is_exact = false;
            return;
        }
        if out.len() != start {
            out.push(b',');
        }
        writer::string(out, name);
        out.push(b':');
        value(&slot, out);
    });
}

/// Appends one member of an object.
struct Member<'f, 'o> {
    field: &'f Field,
    start: usize,
    out: &'o mut Out,
}

impl Member<'_, '_> {
    #[inline(always)]
    fn name(&mut self) {
        let is_first = self.out.len() == self.start;
        writer::plain(self.out, self.field.name.member(is_first));
    }
}

impl<'a> Visitor<'a> for Member<'_, '_> {
    #[inline(always)]
    fn absent(mut self) {
        self.name();
        writer::null(self.out);
    }

    #[inline(always)]
    fn text(mut self, text: &'a Str) {
        if !text.is_empty() || is_shown(self.field, &Slot::String(TextRef::Str(text))) {
            self.name();
            writer::string(self.out, text);
        }
    }

    #[inline(always)]
    fn bool(mut self, value: bool) {
        if value || is_shown(self.field, &Slot::Bool(value)) {
            self.name();
            writer::bool(self.out, value);
        }
    }

    #[inline(always)]
    fn integer(mut self, value: i64) {
        if value != 0 || is_shown(self.field, &Slot::Int64(value)) {
            self.name();
            writer::integer(self.out, value);
        }
    }

    #[inline(always)]
    fn list(mut self, list: &'a dyn List) {
        if list.is_empty() {
            return self.other(Slot::List(list));
        }
        self.name();
        self::list(list, self.out);
    }

    #[inline(always)]
    fn object(mut self, object: Fields<'a>) {
        if self.field.omit != Omit::Zero || self.field.optional || is_set(object) {
            self.name();
            nested(object, self.out);
        }
    }

    #[inline(always)]
    fn other(self, slot: Slot<'a>) {
        // By parts: a call with `self` would need all of it in memory, for every field.
        other_member(self.field, &slot, self.start, self.out);
    }
}

#[inline(never)]
fn other_member(field: &Field, slot: &Slot<'_>, start: usize, out: &mut Out) {
    if is_shown(field, slot) {
        Member { field, start, out }.name();
        if is_null(field, slot) {
            writer::null(out);
        } else {
            value(slot, out);
        }
    }
}

fn value(slot: &Slot<'_>, out: &mut Out) {
    match slot {
        Slot::Absent | Slot::Null => writer::null(out),
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
        Slot::Struct(value) => nested(value.fields(), out),
        Slot::Union(union) => match union.active() {
            // An empty list is `null`: upstream checks the number of elements
            // before it checks whether the union is a list.
            Slot::List(list) if list.is_empty() => writer::null(out),
            active => value(&active, out),
        },
        Slot::Scalar(value) => value.show(&mut |literal| match literal {
            Literal::Text(text) => writer::string(out, text),
            Literal::Integer(number) => writer::integer(out, number),
            Literal::Unsigned(number) => writer::unsigned(out, number),
            Literal::Float(number) => {
                if writer::single(out, number).is_err() {
                    writer::null(out);
                    out.is_exact = false;
                }
            }
            Literal::Number(text) => out.extend_from_slice(text.as_bytes()),
        }),
        Slot::List(list) => self::list(*list, out),
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

#[inline(never)]
fn list(list: &dyn List, out: &mut Out) {
    out.push(b'[');
    let mut is_first = true;
    let mut separate = |out: &mut Out| {
        if !take(&mut is_first) {
            out.push(b',');
        }
    };
    // Most elements are objects, and most others texts.
    if let Some(objects) = list.objects() {
        for object in objects {
            separate(out);
            nested(object, out);
        }
    } else if let Some(texts) = list.strs() {
        for text in texts {
            separate(out);
            writer::string(out, text);
        }
    } else {
        for slot in list.iter() {
            separate(out);
            value(&slot, out);
        }
    }
    out.push(b']');
}
