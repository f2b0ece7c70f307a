//! Decodes protobuf into any object, by its slots.

use super::embedded::{Embedded, json_of};
use super::reader::{MAX_DEPTH, Reader, Tag};
use super::{Envelope, Error, Result, Wire, scalar, union_members};
use crate::budget::Budget;
use crate::json::Raw;
use crate::reflect::{
    ApiType, Descriptor, Lent, List, Literal, Map, Numbered, Reflect, Scalar, Shape, Slot, SlotMut, TextSlot,
    Type, Union,
};

/// Decodes an object from its message, without an envelope.
///
/// By protobuf's specification, the last of duplicate numbers or strings is
/// used, duplicate messages are merged, lists of numbers may be packed, and
/// unknown fields are ignored. As in the reference server, a field whose wire
/// type does not match its type is an error.
///
/// # Errors
/// When the bytes are not protobuf, or when a value does not match its field's
/// type. The error contains the offset and the field path.
///
/// JSON in fields, such as `fieldsV1` of `managedFields`, is not checked here
/// but when it is [used](Raw::check).
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
    decode_into(bytes, Lent::new_mut(&mut object))?;
    Ok(object)
}

/// Decodes an object into `object`, which must be empty.
///
/// # Errors
/// As [`decode`]. The object may then be partly filled.
pub fn decode_into(bytes: &[u8], object: &mut dyn Reflect) -> Result<()> {
    decode_into_with(bytes, object, None)
}

/// As [`decode_into`]. `embedded` is of a Scheme: it reads objects in envelopes
/// that are embedded in fields for any JSON. With it, JSON in fields is checked
/// at once.
pub(crate) fn decode_into_with(
    bytes: &[u8],
    object: &mut dyn Reflect,
    embedded: Option<&Embedded<'_>>,
) -> Result<()> {
    let budget = Budget::of(bytes.len());
    Decoder { depth: 0, budget, embedded }.object(Reader::new(bytes), object)
}

/// Readers are passed by value, so that each stays in registers. A method that
/// reads a field returns the offset of the field's end.
struct Decoder<'e> {
    depth: u32,
    budget: Budget,
    /// Without it, checking JSON in fields is left to those who use it.
    embedded: Option<&'e Embedded<'e>>,
}

impl Decoder<'_> {
    fn object(&mut self, reader: Reader<'_>, object: &mut dyn Reflect) -> Result<()> {
        match object.descriptor().compiled() {
            Some(descriptor) => {
                self.count(reader, descriptor)?;
                self.message(reader, descriptor, &descriptor.message, object)
            }
            None => self.runtime_object(reader, object),
        }
    }

    /// Separate, so that objects of compiled types have nothing to drop.
    #[inline(never)]
    fn runtime_object(&mut self, reader: Reader<'_>, object: &mut dyn Reflect) -> Result<()> {
        let descriptor = object.descriptor().share();
        self.count(reader, &descriptor)?;
        self.message(reader, &descriptor, &descriptor.message, object)
    }

    #[inline(always)]
    fn count(&mut self, reader: Reader<'_>, descriptor: &Descriptor) -> Result<()> {
        if self.budget.object(descriptor) { Ok(()) } else { Err(too_large(reader.offset(), &self.budget)) }
    }

    fn message(
        &mut self,
        mut reader: Reader<'_>,
        descriptor: &Descriptor,
        message: &[Numbered],
        object: &mut dyn Reflect,
    ) -> Result<()> {
        if self.depth == MAX_DEPTH {
            return Err(too_deep(reader.offset()));
        }
        self.depth += 1;
        while let Some(tag) = reader.next_tag()? {
            match find(message, tag.number()) {
                Some(&Numbered::Field { position, .. }) => {
                    let position = usize::from(position);
                    // Most fields need no look at it.
                    let field = || &descriptor.fields[position];
                    let slot = match object.write(position) {
                        SlotMut::Optional(value) if !matches!(field().ty, Type::Time | Type::MicroTime) => {
                            value.insert()
                        }
                        slot => slot,
                    };
                    let end = match slot {
                        // Most fields are strings or messages.
                        SlotMut::String(value) => string(reader, tag, value),
                        SlotMut::Struct(value) => self.nested_object(reader, tag, value),
                        SlotMut::List(list) => self.list(reader, tag, &field().ty, list),
                        slot @ (SlotMut::Bool(_) | SlotMut::Int32(_) | SlotMut::Int64(_)) => {
                            number(reader, tag, slot)
                        }
                        SlotMut::Scalar(value) => scalar_value(reader, tag, &field().ty, value),
                        slot => self.field(reader, tag, &field().ty, slot),
                    };
                    match end {
                        Ok(end) => reader.seek(end),
                        Err(error) => return Err(error.in_field(&field().name)),
                    }
                }
                Some(Numbered::Inlined { message, .. }) => {
                    self.message(reader.message(tag)?, descriptor, message, object)?;
                }
                None => reader.seek(reader.skipped(tag)?),
            }
        }
        self.depth -= 1;
        Ok(())
    }

    #[inline(always)]
    fn nested_object(&mut self, mut reader: Reader<'_>, tag: Tag, object: &mut dyn Reflect) -> Result<usize> {
        self.object(reader.message(tag)?, object)?;
        Ok(reader.offset())
    }

    fn field(&mut self, reader: Reader<'_>, tag: Tag, ty: &Type, slot: SlotMut<'_>) -> Result<usize> {
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

    fn value(&mut self, mut reader: Reader<'_>, tag: Tag, ty: &Type, slot: SlotMut<'_>) -> Result<usize> {
        match slot {
            SlotMut::String(value) => return string(reader, tag, value),
            SlotMut::Struct(value) => return self.nested_object(reader, tag, value),
            SlotMut::Optional(value) => {
                if matches!(ty, Type::Time | Type::MicroTime) && reader.is_empty_message(tag) {
                    // A time that is not set.
                    value.clear();
                    reader.message(tag)?;
                } else {
                    return self.value(reader, tag, ty, value.insert());
                }
            }
            slot @ (SlotMut::Bool(_) | SlotMut::Int32(_) | SlotMut::Int64(_)) => {
                return number(reader, tag, slot);
            }
            SlotMut::Double(value) => *value = reader.double(tag)?,
            SlotMut::Bytes(value) => {
                let bytes = reader.bytes(tag)?;
                value.clear();
                value.extend_from_slice(bytes);
            }
            SlotMut::Scalar(value) => return scalar_value(reader, tag, ty, value),
            SlotMut::Raw(value) => self.raw(reader.message(tag)?, value)?,
            SlotMut::Union(value) => self.union(reader.message(tag)?, ty, value)?,
            SlotMut::Member(value, index) => return self.value(reader, tag, ty, value.activate(index)),
            slot @ (SlotMut::List(_) | SlotMut::Map(_)) => self.nested(reader.message(tag)?, ty, slot)?,
        }
        Ok(reader.offset())
    }

    fn list(&mut self, mut reader: Reader<'_>, tag: Tag, ty: &Type, list: &mut dyn List) -> Result<usize> {
        let element = match ty {
            Type::List(node) if tag.wire()? == Wire::Length => &node.ty,
            _ => return self.other_list(reader, tag, ty, list),
        };
        if let Type::Bool | Type::Int32 | Type::Int64 | Type::Float | Type::Double = element {
            return self.packed(reader, tag, element, list);
        }
        // Elements are mostly consecutive: memory is reserved for all of them.
        let count = reader.count(tag);
        self.budget.has_room(element, count).map_err(|message| Error::new(reader.offset(), message))?;
        if list.is_empty() {
            list.reserve(count);
        }
        let mut left = count;
        loop {
            let end = match list.push() {
                // Most elements are messages or strings.
                SlotMut::Struct(value) => self.nested_object(reader, tag, value),
                SlotMut::String(value) => string(reader, tag, value),
                slot => self.value(reader, tag, element, slot),
            };
            match end {
                Ok(end) if left <= 1 => return Ok(end),
                Ok(end) => reader.seek(end),
                Err(error) => return Err(error.in_element(list.len() - 1)),
            }
            left -= 1;
            // The tag of the next element, which `count` has checked.
            reader.tag()?;
        }
    }

    /// Reads a list that is a message of its own, or an element that is not packed with others.
    #[inline(never)]
    fn other_list(
        &mut self,
        mut reader: Reader<'_>,
        tag: Tag,
        ty: &Type,
        list: &mut dyn List,
    ) -> Result<usize> {
        let Type::List(node) = ty else {
            self.nested(reader.message(tag)?, ty, SlotMut::List(list))?;
            return Ok(reader.offset());
        };
        let end = self.value(reader, tag, &node.ty, list.push());
        end.map_err(|error| error.in_element(list.len() - 1))
    }

    /// Reads numbers that follow each other without tags.
    #[inline(never)]
    fn packed(&mut self, mut reader: Reader<'_>, tag: Tag, ty: &Type, list: &mut dyn List) -> Result<usize> {
        let tag_of_one = tag.with(match ty {
            Type::Double => Wire::Fixed64,
            Type::Float => Wire::Fixed32,
            _ => Wire::Varint,
        });
        let mut packed = reader.message(tag)?;
        while !packed.is_at_end() {
            let end = self.value(packed, tag_of_one, ty, list.push());
            packed.seek(end.map_err(|error| error.in_element(list.len() - 1))?);
        }
        Ok(reader.offset())
    }

    /// Reads a list or map inside another one: a message with the list or map as
    /// field 1. Upstream's named list types (of strings) are always written like
    /// this.
    fn nested(&mut self, mut reader: Reader<'_>, ty: &Type, mut slot: SlotMut<'_>) -> Result<()> {
        while let Some(tag) = reader.next_tag()? {
            let end = match (tag, &mut slot) {
                (tag, SlotMut::List(list)) if tag.number() == 1 => {
                    self.list(reader, tag, super::items(ty), *list)
                }
                (tag, SlotMut::Map(map)) if tag.number() == 1 => self.map(reader, tag, ty, *map),
                (tag, _) => reader.skipped(tag),
            };
            reader.seek(end?);
        }
        Ok(())
    }

    /// Reads the entries of a map. They are mostly consecutive, so that room for more is returned once, after the
    /// first ones. Doing it again would copy the map for each later entry.
    fn map(&mut self, mut reader: Reader<'_>, tag: Tag, ty: &Type, map: &mut dyn Map) -> Result<usize> {
        let Type::Map(node) = ty else { unreachable!("expected the type of a map, found {ty:?}") };
        let value = &node.ty;
        if !map.is_empty() {
            return self.entry(reader, tag, value, map);
        }
        let count = reader.count(tag);
        if (2..=FEW_ENTRIES).contains(&count)
            && let Some(end) = self.few_entries(reader, tag, count, value, map)?
        {
            return Ok(end);
        }
        for _ in 1..count {
            reader.seek(self.entry(reader, tag, value, map)?);
            // The tag of the next entry, which `count` has checked.
            reader.tag()?;
        }
        let end = self.entry(reader, tag, value, map)?;
        map.shrink();
        Ok(end)
    }

    /// Reads so many entries into an empty map, which gets room for all at once. Does nothing, and returns `None`,
    /// where their keys do not ascend or one has several values.
    fn few_entries(
        &mut self,
        mut reader: Reader<'_>,
        tag: Tag,
        count: usize,
        value: &Type,
        map: &mut dyn Map,
    ) -> Result<Option<usize>> {
        let mut keys = [""; FEW_ENTRIES];
        let mut values = [None; FEW_ENTRIES];
        for at in 0..count {
            if at > 0 {
                reader.tag()?;
            }
            let entry = entry(&mut reader, tag)?;
            if entry.has_more_values {
                return Ok(None);
            }
            (keys[at], values[at]) = (entry.key, entry.value);
        }
        if !map.fill(&keys[..count]) {
            return Ok(None);
        }
        let mut values = values.into_iter();
        let mut result = Ok(());
        map.visit_mut(&mut |key, slot| {
            if result.is_ok()
                && let Some(Some((at, tag))) = values.next()
            {
                result = self
                    .budget
                    .entry(value, false)
                    .map_err(|message| Error::new(at.offset(), message))
                    .and_then(|()| {
                        self.value(at, tag, value, slot).map_err(|error| error.in_field(key)).map(drop)
                    });
            }
        });
        result.map(|()| Some(reader.offset()))
    }

    /// Reads an entry of a map.
    fn entry(&mut self, mut reader: Reader<'_>, tag: Tag, value: &Type, map: &mut dyn Map) -> Result<usize> {
        let Entry { key, value: mut found, .. } = entry(&mut reader, tag)?;
        let offset = reader.offset();
        self.budget.entry(value, map.is_empty()).map_err(|message| Error::new(offset, message))?;
        // The last of entries with the same key is used; they are not merged.
        let mut slot = match value {
            // Reading one replaces all of it, so the map is searched only once.
            Type::String | Type::Bytes if found.is_some() => map.entry(key),
            _ => map.cleared_entry(key),
        };
        while let Some((mut at, tag)) = found.take() {
            at.seek(self.value(at, tag, value, slot).map_err(|error| error.in_field(key))?);
            // The last of several values in one entry is used, too.
            found = next_of(2, &mut at)?.map(|tag| (at, tag));
            if found.is_none() {
                break;
            }
            slot = map.cleared_entry(key);
        }
        Ok(offset)
    }

    /// Reads one of upstream's three unions. Its message has two fields: a
    /// pointer to a value, and the other member, which is a boolean or a list.
    fn union(&mut self, mut reader: Reader<'_>, ty: &Type, union: &mut dyn Union) -> Result<()> {
        let [value, other] = union_members(ty);
        let (value_number, other_number, shape) = match other {
            Type::Bool => (2, 1, Shape::Bool),
            _ => (1, 2, Shape::Array),
        };
        union.clear();
        while let Some(tag) = reader.next_tag()? {
            // If both are present the value is used, whatever their order, as
            // upstream does.
            let (member, slot) = match tag.number() {
                number if number == value_number => (value, union.select(Shape::Object)),
                number if number == other_number && !matches!(union.active(), Slot::Struct(_)) => {
                    (other, union.select(shape))
                }
                _ => (other, None),
            };
            let end = match slot {
                Some(slot) => self.field(reader, tag, member, slot),
                None => reader.skipped(tag),
            };
            reader.seek(end?);
        }
        Ok(())
    }

    /// Reads a `RawExtension`: a message whose field 1 contains JSON or an
    /// object in an envelope.
    fn raw(&mut self, mut reader: Reader<'_>, value: &mut Raw) -> Result<()> {
        while let Some(tag) = reader.next_tag()? {
            if tag.number() != 1 {
                reader.skip(tag)?;
                continue;
            }
            let bytes = reader.bytes(tag)?;
            let start = reader.offset() - bytes.len();
            *value = if Envelope::is_one(bytes) {
                self.embedded.unwrap_or(&super::embedded::json_only)(bytes)
                    .map_err(|error| error.after(start))?
            } else if self.embedded.is_some() || bytes.is_empty() {
                json_of(bytes).map_err(|error| error.after(start))?
            } else {
                Raw::unchecked(reader.text(bytes)?)
            };
        }
        Ok(())
    }
}

#[inline(always)]
fn string(mut reader: Reader<'_>, tag: Tag, value: &mut dyn TextSlot) -> Result<usize> {
    reader.string_into(tag, value)?;
    Ok(reader.offset())
}

#[cold]
#[inline(never)]
fn too_large(offset: usize, budget: &Budget) -> Error {
    Error::new(offset, budget.spent())
}

#[cold]
#[inline(never)]
fn too_deep(offset: usize) -> Error {
    Error::new(offset, format!("expected at most {MAX_DEPTH} nested messages, found more"))
}

/// How many entries of a map are read before the map gets room for them.
const FEW_ENTRIES: usize = 8;

/// An entry of a map.
struct Entry<'b> {
    /// It may be missing, which means empty.
    key: &'b str,
    /// The first value, with the tag before it.
    value: Option<(Reader<'b>, Tag)>,
    has_more_values: bool,
}

/// Reads the key of an entry, and finds its value.
fn entry<'b>(reader: &mut Reader<'b>, tag: Tag) -> Result<Entry<'b>> {
    let mut message = reader.message(tag)?;
    let mut entry = Entry { key: "", value: None, has_more_values: false };
    while let Some(tag) = message.next_tag()? {
        match tag.number() {
            1 => {
                entry.key = message.string(tag)?;
                continue;
            }
            2 if entry.value.is_none() => entry.value = Some((message, tag)),
            2 => entry.has_more_values = true,
            _ => {}
        }
        message.seek(message.skipped(tag)?);
    }
    Ok(entry)
}

/// The tag of the next field with that number. Skips other fields.
fn next_of(number: u32, reader: &mut Reader<'_>) -> Result<Option<Tag>> {
    while let Some(tag) = reader.next_tag()? {
        if tag.number() == number {
            return Ok(Some(tag));
        }
        reader.seek(reader.skipped(tag)?);
    }
    Ok(None)
}

/// The field with that number. Numbers are mostly 1, 2, 3 and so on. A field is
/// therefore at the index `number - 1`, or lower by the gaps before it.
#[inline(always)]
pub(super) fn find(message: &[Numbered], number: u32) -> Option<&Numbered> {
    let mut index = message.len().min(number as usize);
    while index > 0 {
        index -= 1;
        let found = &message[index];
        if found.number() <= number {
            return (found.number() == number).then_some(found);
        }
    }
    None
}

fn scalar_value(mut reader: Reader<'_>, tag: Tag, ty: &Type, value: &mut dyn Scalar) -> Result<usize> {
    if let Type::Enum(_) | Type::Leaf(_) = ty {
        let at = reader.offset();
        let word = reader.string(tag)?;
        value.set(Literal::Text(word)).map_err(|message| Error::new(at, message))?;
    } else if let Type::Float = ty {
        let at = reader.offset();
        let number = reader.float(tag)?;
        value.set(Literal::Float(number)).map_err(|message| Error::new(at, message))?;
    } else {
        scalar::decode(reader.message(tag)?, ty, value)?;
    }
    Ok(reader.offset())
}

/// Reads a whole number or a boolean. It is a function of its own because its callers are large: a
/// call of one of them costs more than reading the number.
#[inline(never)]
fn number(mut reader: Reader<'_>, tag: Tag, slot: SlotMut<'_>) -> Result<usize> {
    let number = reader.number(tag)?;
    match slot {
        SlotMut::Bool(value) => *value = number != 0,
        SlotMut::Int32(value) => *value = number as i32,
        SlotMut::Int64(value) => *value = number as i64,
        _ => unreachable!("callers pass whole numbers and booleans"),
    }
    Ok(reader.offset())
}
