//! Any object into protobuf, over its slots.

use super::writer::Writer;
use super::{Wire, forms, scalar};
use crate::reflect::{Descriptor, List, Literal, Map, Numbered, Reflect, Scalar, Slot, Type, Union};

/// Writes an object's message, without an envelope.
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

/// Writes an object's message before what is in the buffer.
pub fn encode_into(object: &dyn Reflect, writer: &mut Writer) {
    Encoder { writer, entries: Vec::new() }.object(object);
}

struct Encoder<'w, 'a> {
    writer: &'w mut Writer,
    /// Entries of the maps that are being written, the innermost last: maps
    /// are visited from the front and written from the back.
    entries: Vec<(&'a str, Slot<'a>)>,
}

impl<'a> Encoder<'_, 'a> {
    fn object(&mut self, object: &'a dyn Reflect) {
        let descriptor = object.descriptor();
        object.read(&mut |slots| self.message(descriptor, &descriptor.message, slots));
    }

    fn message(&mut self, descriptor: &Descriptor, message: &[Numbered], slots: &[Slot<'a>]) {
        for numbered in message.iter().rev() {
            match numbered {
                &Numbered::Field { number, position, written } => {
                    let position = usize::from(position);
                    // Most fields of most objects hold nothing, the others
                    // mostly text and messages.
                    match slots[position] {
                        Slot::Absent if written => self.writer.bytes(number, &[]),
                        Slot::Absent | Slot::Bytes([]) => {}
                        Slot::String(value) => self.writer.bytes(number, value.as_bytes()),
                        Slot::Struct(value) => self.nested_object(number, value),
                        Slot::List(list) if list.is_empty() => {}
                        slot => self.field(number, &descriptor.fields[position].ty, &slot),
                    }
                }
                Numbered::Inlined { number, message } => {
                    let length = self.writer.len();
                    self.message(descriptor, message, slots);
                    self.writer.message(*number, length);
                }
            }
        }
    }

    fn nested_object(&mut self, number: u32, object: &'a dyn Reflect) {
        let length = self.writer.len();
        self.object(object);
        self.writer.message(number, length);
    }

    fn field(&mut self, number: u32, ty: &Type, slot: &Slot<'a>) {
        match *slot {
            Slot::List(list) => self.list(number, ty, list),
            Slot::Map(map) => self.map(number, ty, map),
            slot => self.value(number, ty, slot),
        }
    }

    fn value(&mut self, number: u32, ty: &Type, slot: Slot<'a>) {
        match slot {
            // JSON's `null` in a list or map: upstream has the zero there.
            Slot::Absent => match ty {
                Type::Bool | Type::Int32 | Type::Int64 => self.writer.number(number, 0),
                Type::Double => self.value(number, ty, Slot::Double(0.0)),
                _ => self.writer.bytes(number, &[]),
            },
            Slot::Bool(value) => self.writer.number(number, value.into()),
            // Negative numbers are extended to 64 bits.
            Slot::Int32(value) => self.writer.number(number, i64::from(value) as u64),
            Slot::Int64(value) => self.writer.number(number, value as u64),
            Slot::Double(value) => {
                self.writer.raw(&value.to_le_bytes());
                self.writer.tag(number, Wire::Fixed64);
            }
            Slot::String(value) => self.writer.bytes(number, value.as_bytes()),
            Slot::Bytes(value) => self.writer.bytes(number, value),
            Slot::Struct(value) => self.nested_object(number, value),
            Slot::Raw(value) => {
                let length = self.writer.len();
                if !value.is_null() {
                    self.writer.bytes(1, value.as_str().as_bytes());
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

    fn scalar(&mut self, number: u32, ty: &Type, value: &'a dyn Scalar) {
        if let Type::Enum(_) = ty {
            value.show(&mut |literal| {
                if let Literal::Text(word) = literal {
                    self.writer.bytes(number, word.as_bytes());
                }
            });
            return;
        }
        let length = self.writer.len();
        scalar::encode(ty, value, self.writer);
        self.writer.message(number, length);
    }

    /// Upstream's messages of the three unions: the value by a pointer, and
    /// the other form beside it.
    fn union(&mut self, ty: &Type, union: &'a dyn Union) {
        let [value, other] = forms(ty);
        let before = matches!(other, Type::Bool);
        match union.active() {
            Slot::Bool(allows) => self.writer.number(1, allows.into()),
            Slot::List(list) => self.list(2, other, list),
            slot if before => {
                self.value(2, value, slot);
                self.writer.number(1, 1);
            }
            slot => self.value(1, value, slot),
        }
    }

    fn list(&mut self, number: u32, ty: &Type, list: &'a dyn List) {
        if let Type::Strings = ty {
            // A message is written even when it is empty, unless the field is.
            if !list.is_empty() {
                self.nested(number, ty, &Slot::List(list));
            }
            return;
        }
        let Type::List(node) = ty else { unreachable!("a list is of a list's type, found {ty:?}") };
        let element = &node.ty;
        for index in (0..list.len()).rev() {
            match list.get(index) {
                Slot::Struct(value) => self.nested_object(number, value),
                slot => self.value(number, element, slot),
            }
        }
    }

    /// A list or map in another one is a message that has it as field 1, as
    /// upstream's lists of strings with a name have it anywhere.
    fn nested(&mut self, number: u32, ty: &Type, slot: &Slot<'a>) {
        let length = self.writer.len();
        self.field(1, super::items(ty), slot);
        self.writer.message(number, length);
    }

    fn map(&mut self, number: u32, ty: &Type, map: &'a dyn Map) {
        let Type::Map(node) = ty else { unreachable!("a map is of a map's type, found {ty:?}") };
        let value = &node.ty;
        let outer = self.entries.len();
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
