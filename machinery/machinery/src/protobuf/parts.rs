//! Splits protobuf bytes into fields without knowing their type.

use super::reader::{Reader, Tag};
use super::{Result, Wire};

/// A field of a message without a known type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part<'b> {
    /// The offset of its tag from the start of the bytes.
    pub offset: usize,
    /// The offset of the next field.
    pub end: usize,
    /// Its number.
    pub number: u32,
    /// Its value.
    pub value: PartValue<'b>,
}

/// The value of a field, as far as the wire type determines it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PartValue<'b> {
    /// An integer, a boolean or an enum.
    Varint(u64),
    /// Eight bytes in little-endian order: a double or an integer.
    Fixed64(u64),
    /// Four bytes in little-endian order: a float or an integer.
    Fixed32(u32),
    /// A string, bytes, a message or packed numbers.
    Bytes(&'b [u8]),
    /// The fields of a group, without the tag that ends it.
    Group(&'b [u8]),
}

/// Iterates over the fields in the bytes, in their order. The iterator ends
/// after an error.
///
/// ```
/// use hubgen_machinery::protobuf::{PartValue, parts};
///
/// let part = parts(&[0x12, 2, b'h', b'i']).next().unwrap().unwrap();
/// assert_eq!((part.number, part.value), (2, PartValue::Bytes(b"hi")));
/// assert!(parts(&[0x12, 2, b'h']).next().unwrap().is_err());
/// ```
pub fn parts(bytes: &[u8]) -> impl Iterator<Item = Result<Part<'_>>> {
    let mut reader = Reader::new(bytes);
    let mut failed = false;
    std::iter::from_fn(move || {
        if failed || reader.is_at_end() {
            return None;
        }
        let part = part(&mut reader, bytes);
        failed = part.is_err();
        Some(part)
    })
}

fn part<'b>(reader: &mut Reader<'b>, bytes: &'b [u8]) -> Result<Part<'b>> {
    let offset = reader.offset();
    let tag = reader.tag()?;
    let value = match tag.wire()? {
        Wire::Varint => PartValue::Varint(reader.number(tag)?),
        Wire::Fixed64 => PartValue::Fixed64(reader.double(tag)?.to_bits()),
        Wire::Fixed32 => PartValue::Fixed32(reader.fixed32()?),
        Wire::Length => PartValue::Bytes(reader.bytes(tag)?),
        Wire::StartGroup => group(reader, tag, bytes)?,
        Wire::EndGroup => return Err(reader.skip(tag).expect_err("the end of a group that has not begun")),
    };
    Ok(Part { offset, end: reader.offset(), number: tag.number(), value })
}

fn group<'b>(reader: &mut Reader<'b>, tag: Tag, bytes: &'b [u8]) -> Result<PartValue<'b>> {
    let start = reader.offset();
    let end = reader.skip_group(tag.number())?;
    Ok(PartValue::Group(&bytes[start..end]))
}
