//! Encodes any object as protobuf, by its slots.

use super::writer::Writer;
use super::{Wire, scalar, union_members};
use crate::Str;
use crate::reflect::{Fields, List, Literal, Map, Numbered, Reflect, Scalar, Slot, Type, Union, Visitor};

/// Encodes an object as a message, without an envelope.
///
/// ```
/// use hubgen_machinery::{ApiType, protobuf};
///
/// #[derive(ApiType)]
/// struct Size {
///     #[field(number = 1)]
///     width: i32,
///     #[field(number = 2)]
///     height: Option<i32>,
/// }
///
/// assert_eq!(protobuf::encode(&Size { width: 3, height: None }), [0x08, 3]);
/// ```
pub fn encode(object: &dyn Reflect) -> Vec<u8> {
    Writer::scratch(|writer| encode_into(object, writer))
}

/// Writes an object's message before the contents of the buffer.
pub fn encode_into<'a>(object: &'a dyn Reflect, writer: &mut Writer<'a>) {
    // By value: each access through another reference would cost an instruction.
    let mut encoder = Encoder { writer: std::mem::take(writer), entries: Vec::new() };
    encoder.object(object.fields());
    *writer = encoder.writer;
}

struct Encoder<'a> {
    writer: Writer<'a>,
    /// Entries of the maps that are being written, the innermost map last.
    /// Maps are visited from the front, but written from the back.
    entries: Vec<(&'a str, Slot<'a>)>,
}

impl<'a> Encoder<'a> {
    fn object(&mut self, fields: Fields<'a>) {
        self.message(&fields.descriptor().message, fields);
    }

    fn message(&mut self, message: &[Numbered], fields: Fields<'a>) {
        for numbered in message.iter().rev() {
            match numbered {
                &Numbered::Field { number, position, ref place } => {
                    let field = || &fields.descriptor().fields[usize::from(position)];
                    fields.visit(place, field, MessageField { encoder: self, fields, number, position });
                }
                Numbered::Inlined { number, message } => {
                    let length = self.writer.len();
                    self.message(message, fields);
                    self.writer.message(*number, length);
                }
            }
        }
    }

    #[inline(never)]
    fn field(&mut self, number: u32, ty: &Type, slot: &Slot<'a>) {
        match *slot {
            Slot::Absent => self.writer.bytes(number, &[]),
            Slot::Bytes([]) => {}
            Slot::List(list) => self.list(number, ty, list),
            Slot::Map(map) => self.map(number, ty, map),
            slot => self.value(number, ty, slot),
        }
    }

    fn nested_object(&mut self, number: u32, object: Fields<'a>) {
        let length = self.writer.len();
        self.object(object);
        self.writer.message(number, length);
    }

    fn value(&mut self, number: u32, ty: &Type, slot: Slot<'a>) {
        match slot {
            // `null` of JSON, which protobuf does not have: upstream writes the zero value.
            Slot::Absent | Slot::Null => match ty {
                Type::Bool | Type::Int32 | Type::Int64 => self.writer.number(number, 0),
                Type::Double => self.value(number, ty, Slot::Double(0.0)),
                Type::Float => self.float(number, 0.0),
                _ => self.writer.bytes(number, &[]),
            },
            Slot::Bool(value) => self.writer.number(number, value.into()),
            // Negative numbers are sign-extended to 64 bits.
            Slot::Int32(value) => self.writer.number(number, i64::from(value) as u64),
            Slot::Int64(value) => self.writer.number(number, value as u64),
            Slot::Double(value) => {
                self.writer.raw(&value.to_le_bytes());
                self.writer.tag(number, Wire::Fixed64);
            }
            Slot::String(value) => self.writer.long_bytes(number, value.as_str().as_bytes()),
            Slot::Bytes(value) => self.writer.long_bytes(number, value),
            Slot::Struct(value) => self.nested_object(number, value.fields()),
            Slot::Raw(value) => {
                let length = self.writer.len();
                if !value.is_null() {
                    self.writer.long_bytes(1, value.as_str().as_bytes());
                }
                self.writer.message(number, length);
            }
            Slot::Scalar(value) => self.scalar(number, ty, value),
            Slot::Union(value) => {
                let length = self.writer.len();
                self.union(ty, value);
                self.writer.message(number, length);
            }
            slot @ (Slot::List(_) | Slot::Map(_)) => self.nested(number, ty, &slot),
        }
    }

    fn float(&mut self, number: u32, value: f32) {
        self.writer.raw(&value.to_le_bytes());
        self.writer.tag(number, Wire::Fixed32);
    }

    fn scalar(&mut self, number: u32, ty: &Type, value: &'a dyn Scalar) {
        if let Type::Enum(_) | Type::Leaf(_) | Type::Float = ty {
            value.show(&mut |literal| match literal {
                Literal::Text(word) => self.writer.bytes(number, word.as_bytes()),
                Literal::Float(value) => self.float(number, value),
                _ => unreachable!("an enum and a leaf show a text, and a float a float"),
            });
            return;
        }
        let length = self.writer.len();
        scalar::encode(ty, value, &mut self.writer);
        self.writer.message(number, length);
    }

    /// Writes one of upstream's three unions. Its message has two fields: a
    /// pointer to a value, and the other member, which is a boolean or a list.
    /// A boolean is field 1 and the value field 2; a list is field 2 and the
    /// value field 1.
    fn union(&mut self, ty: &Type, union: &'a dyn Union) {
        let [value, other] = union_members(ty);
        let bool_first = matches!(other, Type::Bool);
        match union.active() {
            Slot::Bool(allows) => self.writer.number(1, allows.into()),
            Slot::List(list) => self.list(2, other, list),
            slot if bool_first => {
                self.value(2, value, slot);
                self.writer.number(1, 1);
            }
            slot => self.value(1, value, slot),
        }
    }

    fn list(&mut self, number: u32, ty: &Type, list: &'a dyn List) {
        if let Type::Strings = ty {
            // As an element, the message is written even if the list is empty;
            // as a field, it is not.
            if !list.is_empty() {
                self.nested(number, ty, &Slot::List(list));
            }
            return;
        }
        let Type::List(node) = ty else { unreachable!("expected the type of a list, found {ty:?}") };
        let element = &node.ty;
        // Most elements are objects, and most others texts.
        if let Some(objects) = list.objects() {
            for object in objects.rev() {
                self.nested_object(number, object);
            }
        } else if let Some(texts) = list.strs() {
            for text in texts.iter().rev() {
                self.writer.long_bytes(number, text.as_bytes());
            }
        } else {
            for slot in list.iter().rev() {
                self.value(number, element, slot);
            }
        }
    }

    /// Writes a list or map inside another one: a message with the list or map
    /// as field 1. Upstream's named list types (of strings) are always written
    /// like this.
    fn nested(&mut self, number: u32, ty: &Type, slot: &Slot<'a>) {
        let length = self.writer.len();
        self.field(1, super::items(ty), slot);
        self.writer.message(number, length);
    }

    fn map(&mut self, number: u32, ty: &Type, map: &'a dyn Map) {
        let Type::Map(node) = ty else { unreachable!("expected the type of a map, found {ty:?}") };
        let value = &node.ty;
        let outer = self.entries.len();
        self.entries.reserve(map.len());
        let entries = &mut self.entries;
        map.visit(&mut |key, slot| entries.push((key, slot)));
        while self.entries.len() > outer {
            let Some((key, slot)) = self.entries.pop() else { break };
            let length = self.writer.len();
            self.value(2, value, slot);
            self.writer.bytes(1, key.as_bytes());
            self.writer.message(number, length);
        }
    }
}

/// Writes one field of a message.
struct MessageField<'e, 'a> {
    encoder: &'e mut Encoder<'a>,
    fields: Fields<'a>,
    number: u32,
    position: u16,
}

impl<'a> Visitor<'a> for MessageField<'_, 'a> {
    #[inline(always)]
    fn absent(self) {
        self.encoder.writer.bytes(self.number, &[]);
    }

    #[inline(always)]
    fn text(self, text: &'a Str) {
        self.encoder.writer.long_bytes(self.number, text.as_bytes());
    }

    #[inline(always)]
    fn bool(self, value: bool) {
        self.encoder.writer.number(self.number, value.into());
    }

    #[inline(always)]
    fn integer(self, value: i64) {
        // Negative numbers of 32 bits are sign-extended to 64.
        self.encoder.writer.number(self.number, value as u64);
    }

    #[inline(always)]
    fn list(self, list: &'a dyn List) {
        let ty = &self.fields.descriptor().fields[usize::from(self.position)].ty;
        self.encoder.list(self.number, ty, list);
    }

    #[inline(always)]
    fn object(self, object: Fields<'a>) {
        self.encoder.nested_object(self.number, object);
    }

    #[inline(always)]
    fn other(self, slot: Slot<'a>) {
        let ty = &self.fields.descriptor().fields[usize::from(self.position)].ty;
        // By parts: a call with `self` would need all of it in memory, for every field.
        self.encoder.field(self.number, ty, &slot);
    }
}
