//! Protobuf into any object, over its slots.

use super::embedded::{Embedded, json_of};
use super::reader::{MAX_DEPTH, Reader, Tag};
use super::{Envelope, Error, Result, Wire, scalar};
use crate::json::Raw;
use crate::reflect::{
    ApiType, Descriptor, List, Literal, Map, Numbered, Reflect, Scalar, Shape, Slot, SlotMut, Type, Union,
};

/// Reads an object from its message, without an envelope.
///
/// As the specification of protobuf has it, the last one of a number or text
/// that comes twice counts, a message that comes twice is merged, lists of
/// numbers come packed or one by one, and unknown fields are passed over. A
/// field that is written in another way than its type is an error, as it is
/// with the reference server.
///
/// # Errors
/// When the bytes are not protobuf, or a field holds something else than its
/// type; the error says where.
///
/// ```
/// use hubgen_machinery::{ApiType, protobuf};
///
/// #[derive(ApiType)]
/// struct Size {
///     #[field(number = 1)]
///     width: i32,
/// }
///
/// let size: Size = protobuf::decode(&[0x08, 3]).unwrap();
/// assert_eq!(size.width, 3);
/// let error = protobuf::decode::<Size>(&[0x08]).unwrap_err();
/// assert_eq!(error.to_string(), "byte 1, width: expected the rest of a number, found the end");
/// ```
pub fn decode<T: ApiType>(bytes: &[u8]) -> Result<T> {
    let mut object = T::default();
    decode_into(bytes, &mut object)?;
    Ok(object)
}

/// Reads an object into one that is empty.
///
/// # Errors
/// As [`decode`]; the object may then be filled in part.
pub fn decode_into(bytes: &[u8], object: &mut dyn Reflect) -> Result<()> {
    decode_into_with(bytes, object, &super::embedded::unknown)
}

/// As [`decode_into`]; objects in envelopes, in fields that hold any JSON, are
/// read by `embedded`.
pub(crate) fn decode_into_with(
    bytes: &[u8],
    object: &mut dyn Reflect,
    embedded: &Embedded<'_>,
) -> Result<()> {
    Decoder { depth: 0, embedded }.object(&mut Reader::new(bytes), object)
}

struct Decoder<'e> {
    depth: u32,
    embedded: &'e Embedded<'e>,
}

impl Decoder<'_> {
    fn object(&mut self, reader: &mut Reader<'_>, object: &mut dyn Reflect) -> Result<()> {
        let descriptor = object.descriptor();
        self.message(reader, descriptor, descriptor.message, object)
    }

    fn message(
        &mut self,
        reader: &mut Reader<'_>,
        descriptor: &Descriptor,
        message: &[Numbered],
        object: &mut dyn Reflect,
    ) -> Result<()> {
        if self.depth == MAX_DEPTH {
            return Err(Error::new(reader.offset(), format!("expected at most {MAX_DEPTH} nested messages")));
        }
        self.depth += 1;
        while let Some(tag) = reader.next_tag()? {
            match find(message, tag.number()) {
                Some(&Numbered::Field { position, .. }) => {
                    let position = usize::from(position);
                    let field = &descriptor.fields[position];
                    if let Err(error) = self.field(reader, tag, &field.ty, object.write(position)) {
                        return Err(error.in_field(field.name));
                    }
                }
                Some(Numbered::Inlined { message, .. }) => {
                    self.message(&mut reader.message(tag)?, descriptor, message, object)?;
                }
                None => reader.skip(tag)?,
            }
        }
        self.depth -= 1;
        Ok(())
    }

    #[inline]
    fn field(&mut self, reader: &mut Reader<'_>, tag: Tag, ty: &Type, slot: SlotMut<'_>) -> Result<()> {
        match slot {
            SlotMut::List(list) => self.list(reader, tag, ty, list),
            SlotMut::Map(map) => self.map(reader, tag, ty, map),
            slot @ (SlotMut::Optional(_) | SlotMut::Member(..))
                if matches!(ty, Type::List(_) | Type::Map(_)) =>
            {
                self.field(reader, tag, ty, slot.present())
            }
            slot => self.value(reader, tag, ty, slot),
        }
    }

    fn value(&mut self, reader: &mut Reader<'_>, tag: Tag, ty: &Type, slot: SlotMut<'_>) -> Result<()> {
        match slot {
            SlotMut::String(value) => {
                let text = reader.string(tag)?;
                if value.capacity() == 0 {
                    // Exactly as long as it has to be.
                    *value = text.to_owned();
                } else {
                    value.clear();
                    value.push_str(text);
                }
            }
            SlotMut::Struct(value) => return self.object(&mut reader.message(tag)?, value),
            SlotMut::Optional(value) => {
                if matches!(ty, Type::Time | Type::MicroTime) && reader.is_empty_message(tag) {
                    // A time that is not set.
                    value.clear();
                    return reader.message(tag).map(drop);
                }
                return self.value(reader, tag, ty, value.insert());
            }
            SlotMut::Bool(value) => *value = reader.number(tag)? != 0,
            SlotMut::Int32(value) => *value = reader.number(tag)? as i32,
            SlotMut::Int64(value) => *value = reader.number(tag)? as i64,
            SlotMut::Double(value) => *value = reader.double(tag)?,
            SlotMut::Bytes(value) => {
                let bytes = reader.bytes(tag)?;
                value.clear();
                value.extend_from_slice(bytes);
            }
            SlotMut::Scalar(value) => return scalar_value(reader, tag, ty, value),
            SlotMut::Raw(value) => return self.raw(&mut reader.message(tag)?, value),
            SlotMut::Union(value) => return self.union(&mut reader.message(tag)?, ty, value),
            SlotMut::Member(value, index) => return self.value(reader, tag, ty, value.activate(index)),
            SlotMut::List(list) => return self.nested(&mut reader.message(tag)?, ty, SlotMut::List(list)),
            SlotMut::Map(map) => return self.nested(&mut reader.message(tag)?, ty, SlotMut::Map(map)),
        }
        Ok(())
    }

    fn list(&mut self, reader: &mut Reader<'_>, tag: Tag, ty: &Type, list: &mut dyn List) -> Result<()> {
        let Type::List(element) = ty else {
            return self.nested(&mut reader.message(tag)?, ty, SlotMut::List(list));
        };
        match (element, tag.wire()?) {
            (Type::Bool | Type::Int32 | Type::Int64 | Type::Double, Wire::Length) => {
                let wire = if matches!(element, Type::Double) { Wire::Fixed64 } else { Wire::Varint };
                let mut packed = reader.message(tag)?;
                while !packed.is_at_end() {
                    self.element(&mut packed, tag.with(wire), element, list)?;
                }
                Ok(())
            }
            (_, Wire::Length) if list.is_empty() => {
                list.reserve(reader.count(tag));
                self.element(reader, tag, element, list)
            }
            _ => self.element(reader, tag, element, list),
        }
    }

    fn element(&mut self, reader: &mut Reader<'_>, tag: Tag, ty: &Type, list: &mut dyn List) -> Result<()> {
        let index = list.len();
        self.value(reader, tag, ty, list.push()).map_err(|error| error.in_element(index))
    }

    /// A list or map in another one is a message that has it as field 1, as
    /// upstream's lists of strings with a name have it anywhere.
    fn nested(&mut self, reader: &mut Reader<'_>, ty: &Type, mut slot: SlotMut<'_>) -> Result<()> {
        while let Some(tag) = reader.next_tag()? {
            match (tag, &mut slot) {
                (tag, SlotMut::List(list)) if tag.number() == 1 => {
                    self.list(reader, tag, super::items(ty), *list)?;
                }
                (tag, SlotMut::Map(map)) if tag.number() == 1 => self.map(reader, tag, ty, *map)?,
                (tag, _) => reader.skip(tag)?,
            }
        }
        Ok(())
    }

    /// An entry: its key comes first, or not at all where it is empty.
    fn map(&mut self, reader: &mut Reader<'_>, tag: Tag, ty: &Type, map: &mut dyn Map) -> Result<()> {
        let Type::Map(value) = ty else { unreachable!("a map is of a map's type, found {ty:?}") };
        let mut entry = reader.message(tag)?;
        let (mut key, mut found) = ("", None);
        while let Some(tag) = entry.next_tag()? {
            match tag {
                tag if tag.number() == 1 => key = entry.string(tag)?,
                tag if tag.number() == 2 => {
                    found = Some((entry.clone(), tag));
                    entry.skip(tag)?;
                }
                tag => entry.skip(tag)?,
            }
        }
        // Of entries with one key the last counts, as a whole.
        map.remove(key);
        let slot = map.entry(key.to_owned());
        if let Some((mut at, tag)) = found {
            self.value(&mut at, tag, value, slot).map_err(|error| error.in_field(key))?;
        }
        Ok(())
    }

    /// Upstream's messages of the three unions: the value by a pointer, and
    /// the other form beside it.
    fn union(&mut self, reader: &mut Reader<'_>, ty: &Type, union: &mut dyn Union) -> Result<()> {
        let Type::Union([value, other]) = ty else { unreachable!("a union has two forms, found {ty:?}") };
        let (schema, beside, shape) = match other {
            Type::Bool => (2, 1, Shape::Bool),
            _ => (1, 2, Shape::Array),
        };
        union.clear();
        while let Some(tag) = reader.next_tag()? {
            // The value wins wherever it stands, as it does upstream.
            if tag.number() == schema {
                if let Some(slot) = union.select(Shape::Object) {
                    self.value(reader, tag, value, slot)?;
                }
            } else if tag.number() == beside && !matches!(union.active(), Slot::Struct(_)) {
                match union.select(shape) {
                    Some(SlotMut::List(list)) => self.list(reader, tag, other, list)?,
                    Some(slot) => self.value(reader, tag, other, slot)?,
                    None => reader.skip(tag)?,
                }
            } else {
                reader.skip(tag)?;
            }
        }
        Ok(())
    }

    /// The message `{ 1 raw }`, which holds JSON, or an object in an envelope.
    fn raw(&mut self, reader: &mut Reader<'_>, value: &mut Raw) -> Result<()> {
        while let Some(tag) = reader.next_tag()? {
            if tag.number() != 1 {
                reader.skip(tag)?;
                continue;
            }
            let bytes = reader.bytes(tag)?;
            let start = reader.offset() - bytes.len();
            *value = if Envelope::is_one(bytes) {
                (self.embedded)(bytes).map_err(|error| error.after(start))?
            } else {
                json_of(bytes).map_err(|error| error.after(start))?
            };
        }
        Ok(())
    }
}

/// The field of that number. Numbers are mostly 1, 2, 3 and so on, so a field
/// stands where its number says, or as many places before as there are gaps.
#[inline]
pub(super) fn find(message: &[Numbered], number: u32) -> Option<&Numbered> {
    let end = message.len().min(number as usize);
    let found = message[..end].iter().rev().find(|numbered| numbered.number() <= number)?;
    (found.number() == number).then_some(found)
}

fn scalar_value(reader: &mut Reader<'_>, tag: Tag, ty: &Type, value: &mut dyn Scalar) -> Result<()> {
    if let Type::Enum(_) = ty {
        let at = reader.offset();
        let word = reader.string(tag)?;
        return value.set(Literal::Text(word)).map_err(|message| Error::new(at, message));
    }
    scalar::decode(&mut reader.message(tag)?, ty, value)
}
