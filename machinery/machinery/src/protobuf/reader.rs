//! A cursor over bytes that reads tags, varints and lengths, and skips fields.

use hubgen_json::utf8;

use super::{Error, Result, Wire};
use crate::reflect::TextSlot;

/// The most messages and groups that may be open at once.
///
/// Far more than any API type nests, and far less than a thread's stack allows.
pub(super) const MAX_DEPTH: u32 = 256;

/// A cursor over a part of the bytes. Offsets count from the start of all
/// bytes.
///
/// The most frequent reads are inlined. The others take the cursor by value, so
/// that a caller's cursor stays in registers.
#[derive(Clone, Copy)]
pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

/// A field's number and wire type. They are not checked before they are used.
#[derive(Clone, Copy)]
pub(super) struct Tag {
    key: u32,
    /// The offset of its first byte.
    offset: usize,
}

impl Tag {
    #[inline]
    pub fn number(self) -> u32 {
        self.key >> 3
    }

    #[inline]
    fn is(self, wire: Wire) -> bool {
        self.key & 7 == wire as u32
    }

    /// The same field with another wire type.
    pub fn with(self, wire: Wire) -> Self {
        Self { key: self.key & !7 | wire as u32, ..self }
    }

    pub fn wire(self) -> Result<Wire> {
        if self.number() == 0 {
            return Err(Error::new(self.offset, "expected a field number of at least 1, found 0"));
        }
        Ok(match self.key & 7 {
            0 => Wire::Varint,
            1 => Wire::Fixed64,
            2 => Wire::Length,
            3 => Wire::StartGroup,
            4 => Wire::EndGroup,
            5 => Wire::Fixed32,
            other => {
                return Err(Error::new(self.offset, format!("expected wire type 0 to 5, found {other}")));
            }
        })
    }
}

impl<'b> Reader<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub fn offset(&self) -> usize {
        self.at
    }

    /// Moves to an offset, which must be one that this cursor returned.
    #[inline(always)]
    pub fn seek(&mut self, offset: usize) {
        self.at = offset;
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// The number of bytes left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    #[inline(always)]
    fn varint(&mut self) -> Result<u64> {
        match self.bytes.get(self.at) {
            Some(&byte) if byte < 0x80 => {
                self.at += 1;
                Ok(byte.into())
            }
            Some(&low)
                if let Some(&high) = self.bytes.get(self.at + 1)
                    && high < 0x80 =>
            {
                self.at += 2;
                Ok(u64::from(low & 0x7f) | u64::from(high) << 7)
            }
            _ => match long_varint(*self) {
                Some((value, end)) => {
                    self.at = end;
                    Ok(value)
                }
                None => Err(self.invalid_varint()),
            },
        }
    }

    #[cold]
    #[inline(never)]
    fn invalid_varint(self) -> Error {
        let message = if self.left() < 10 {
            "expected the rest of a number, found the end"
        } else {
            "expected a number of at most 10 bytes, found a longer one"
        };
        Error::new(self.at, message)
    }

    #[inline(always)]
    pub fn tag(&mut self) -> Result<Tag> {
        let offset = self.at;
        let key = self.varint()?;
        match u32::try_from(key) {
            Ok(key) => Ok(Tag { key, offset }),
            Err(_) => Err(field_number_too_large(offset)),
        }
    }

    /// Consumes the next tag if it equals `tag`.
    #[inline(always)]
    pub fn take(&mut self, tag: Tag) -> bool {
        let mut ahead = *self;
        let same = !self.is_at_end() && ahead.tag().is_ok_and(|next| next.key == tag.key);
        if same {
            *self = ahead;
        }
        same
    }

    /// The next field's tag; `None` at the end.
    #[inline(always)]
    pub fn next_tag(&mut self) -> Result<Option<Tag>> {
        if self.is_at_end() { Ok(None) } else { self.tag().map(Some) }
    }

    /// The number that follows the tag.
    #[inline(always)]
    pub fn number(&mut self, tag: Tag) -> Result<u64> {
        self.expect(tag, Wire::Varint, "a number")?;
        self.varint()
    }

    /// The float that follows the tag.
    pub fn double(&mut self, tag: Tag) -> Result<f64> {
        self.expect(tag, Wire::Fixed64, "a number in eight bytes")?;
        self.fixed().map(f64::from_le_bytes)
    }

    /// The 32-bit float that follows the tag.
    pub fn float(&mut self, tag: Tag) -> Result<f32> {
        self.expect(tag, Wire::Fixed32, "a number in four bytes")?;
        self.fixed().map(f32::from_le_bytes)
    }

    /// Four bytes in little-endian order.
    pub fn fixed32(&mut self) -> Result<u32> {
        self.fixed().map(u32::from_le_bytes)
    }

    /// The bytes that follow the tag.
    #[inline(always)]
    pub fn bytes(&mut self, tag: Tag) -> Result<&'b [u8]> {
        self.expect(tag, Wire::Length, "bytes with their length")?;
        self.sized()
    }

    /// The string that follows the tag.
    #[inline(always)]
    pub fn string(&mut self, tag: Tag) -> Result<&'b str> {
        let bytes = self.bytes(tag)?;
        self.text(bytes)
    }

    /// Reads the string that follows the tag into `target`.
    #[inline(always)]
    pub fn string_into(&mut self, tag: Tag, target: &mut dyn TextSlot) -> Result<()> {
        let bytes = self.bytes(tag)?;
        if target.set_utf8(bytes) { Ok(()) } else { Err(self.not_text(bytes)) }
    }

    #[cold]
    #[inline(never)]
    fn not_text(self, bytes: &[u8]) -> Error {
        let valid = str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
        invalid_utf8(self.at - bytes.len() + valid)
    }

    /// The bytes that were read last, as text.
    #[inline(always)]
    pub fn text(&self, bytes: &'b [u8]) -> Result<&'b str> {
        match utf8::text(bytes) {
            Ok(text) => Ok(text),
            Err(error) => Err(invalid_utf8(self.at - bytes.len() + error.valid_up_to())),
        }
    }

    /// A cursor over the message that follows the tag. This cursor moves to the
    /// end of the message.
    #[inline(always)]
    pub fn message(&mut self, tag: Tag) -> Result<Self> {
        self.expect(tag, Wire::Length, "a message with its length")?;
        let end = self.length()?;
        let message = Self { bytes: &self.bytes[..end], at: self.at };
        self.at = end;
        Ok(message)
    }

    /// Whether the tag is that of an empty message.
    pub fn is_empty_message(&self, tag: Tag) -> bool {
        tag.is(Wire::Length) && self.bytes.get(self.at) == Some(&0)
    }

    #[inline(always)]
    fn expect(&self, tag: Tag, wire: Wire, expected: &str) -> Result<()> {
        if tag.is(wire) { Ok(()) } else { Err(unexpected(tag, wire, expected)) }
    }

    #[inline(always)]
    fn sized(&mut self) -> Result<&'b [u8]> {
        let start = self.at;
        let length = self.varint()?;
        let left = &self.bytes[self.at..];
        match usize::try_from(length).ok().and_then(|length| left.get(..length)) {
            Some(bytes) => {
                self.at += bytes.len();
                Ok(bytes)
            }
            None => Err(cut_off(start, length, left.len())),
        }
    }

    /// Reads a length and returns the offset at which its bytes end.
    #[inline(always)]
    fn length(&mut self) -> Result<usize> {
        let start = self.at;
        let length = self.varint()?;
        let left = self.left();
        match usize::try_from(length) {
            Ok(length) if length <= left => Ok(self.at + length),
            _ => Err(cut_off(start, length, left)),
        }
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N]> {
        let Some(bytes) = self.bytes[self.at..].first_chunk() else {
            return Err(cut_off(self.at, N as u64, self.left()));
        };
        self.at += N;
        Ok(*bytes)
    }

    /// The offset at which the value of a tag ends.
    #[inline(never)]
    pub fn skipped(mut self, tag: Tag) -> Result<usize> {
        self.skip(tag)?;
        Ok(self.at)
    }

    /// Skips the value of a tag.
    pub fn skip(&mut self, tag: Tag) -> Result<()> {
        match tag.wire()? {
            Wire::Varint => self.varint().map(drop),
            Wire::Fixed64 => self.fixed::<8>().map(drop),
            Wire::Fixed32 => self.fixed::<4>().map(drop),
            Wire::Length => self.sized().map(drop),
            Wire::StartGroup => self.skip_group(tag.number()).map(drop),
            Wire::EndGroup => Err(Error::new(
                tag.offset,
                format!("expected a field, found the end of group {}", tag.number()),
            )),
        }
    }

    /// Skips a group and the groups in it, without recursion. Returns the offset
    /// of the tag that ends the group.
    pub fn skip_group(&mut self, number: u32) -> Result<usize> {
        let mut open = vec![number];
        let mut end = self.at;
        while let Some(&innermost) = open.last() {
            if self.is_at_end() {
                return Err(Error::new(
                    self.at,
                    format!("expected the end of group {innermost}, found the end of the bytes"),
                ));
            }
            let tag = self.tag()?;
            end = tag.offset;
            match tag.wire()? {
                Wire::StartGroup if open.len() >= MAX_DEPTH as usize => {
                    let message = format!("expected at most {MAX_DEPTH} open groups, found more");
                    return Err(Error::new(end, message));
                }
                Wire::StartGroup => open.push(tag.number()),
                Wire::EndGroup if tag.number() == innermost => {
                    open.pop();
                }
                Wire::EndGroup => {
                    let found = tag.number();
                    return Err(Error::new(
                        end,
                        format!("expected the end of group {innermost}, found the end of group {found}"),
                    ));
                }
                _ => self.skip(tag)?,
            }
        }
        Ok(end)
    }

    /// The number of consecutive fields with that tag, which must be one of
    /// wire type [`Wire::Length`]. The tag of the first has been read already.
    pub fn count(mut self, tag: Tag) -> usize {
        let mut count = 0;
        loop {
            // Errors are not reported here: reading the fields finds them again.
            let (length, at) = match self.bytes.get(self.at) {
                Some(&byte) if byte < 0x80 => (byte.into(), self.at + 1),
                Some(&low)
                    if let Some(&high) = self.bytes.get(self.at + 1)
                        && high < 0x80 =>
                {
                    (u64::from(low & 0x7f) | u64::from(high) << 7, self.at + 2)
                }
                _ => match long_varint(self) {
                    Some(read) => read,
                    None => return count,
                },
            };
            if length > (self.bytes.len() - at) as u64 {
                return count;
            }
            count += 1;
            self.at = at + length as usize;
            if self.is_at_end() || !self.take(tag) {
                return count;
            }
        }
    }
}

/// A number of more than one byte, and the offset of its end.
#[inline(never)]
fn long_varint(reader: Reader<'_>) -> Option<(u64, usize)> {
    let bytes = &reader.bytes[reader.at..];
    // Eight bytes at once. If fewer are left, the bytes before them are shifted out.
    let word = match (bytes.first_chunk(), reader.bytes.last_chunk()) {
        (Some(word), _) => u64::from_le_bytes(*word),
        (None, Some(word)) if !bytes.is_empty() => u64::from_le_bytes(*word) >> (8 * (8 - bytes.len())),
        _ => return longest_varint(reader),
    };
    // The last byte of the number is the first one whose high bit is not set.
    let ends = !word & 0x8080_8080_8080_8080;
    let length = ends.trailing_zeros() as usize / 8 + 1;
    if length > bytes.len().min(8) {
        return longest_varint(reader);
    }
    // All bits up to the one that ends the number, without the high bits.
    let groups = word & (ends ^ (ends - 1)) & 0x7f7f_7f7f_7f7f_7f7f;
    let pairs = groups & 0x007f_007f_007f_007f | (groups & 0x7f00_7f00_7f00_7f00) >> 1;
    let fours = pairs & 0x0000_3fff_0000_3fff | (pairs & 0x3fff_0000_3fff_0000) >> 2;
    let value = fours & 0x0fff_ffff | (fours & 0x0fff_ffff_0000_0000) >> 4;
    Some((value, reader.at + length))
}

/// As [`long_varint`], byte by byte: near the end, or for more than eight bytes. Ten bytes are 70 bits; the bits above
/// 64 are dropped.
#[inline(never)]
fn longest_varint(reader: Reader<'_>) -> Option<(u64, usize)> {
    let mut value = 0;
    for (index, &byte) in reader.bytes[reader.at..].iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Some((value, reader.at + index + 1));
        }
    }
    None
}

#[cold]
#[inline(never)]
fn field_number_too_large(offset: usize) -> Error {
    Error::new(offset, "expected a field number of at most 536870911, found a larger one")
}

#[cold]
#[inline(never)]
fn invalid_utf8(offset: usize) -> Error {
    Error::new(offset, "expected text in UTF-8, found an invalid byte")
}

#[cold]
#[inline(never)]
fn cut_off(offset: usize, length: u64, left: usize) -> Error {
    Error::new(offset, format!("expected {length} more bytes, found {left}"))
}

#[cold]
#[inline(never)]
fn unexpected(tag: Tag, wire: Wire, expected: &str) -> Error {
    match tag.wire() {
        Ok(found) => {
            let (wire, found) = (wire as u8, found as u8);
            let message = format!("expected {expected} (wire type {wire}), found wire type {found}");
            Error::new(tag.offset, message)
        }
        Err(error) => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of every length, with and without needless groups of zeros, at every distance from the start and the
    /// end.
    #[test]
    fn eight_bytes_at_once_are_as_byte_by_byte() {
        for length in 1..=11 {
            for last in [0, 1, 0x7f] {
                for (before, after) in (0..12).flat_map(|before| (0..12).map(move |after| (before, after))) {
                    let number = (1..length).map(|at| 0x80 | (at * 11)).chain([last]);
                    let bytes: Vec<u8> = std::iter::repeat_n(0xff, before)
                        .chain(number)
                        .chain(std::iter::repeat_n(0xff, after))
                        .collect();
                    let reader = Reader { bytes: &bytes, at: before };
                    assert_eq!(long_varint(reader), longest_varint(reader), "{bytes:x?} at {before}");
                    // Cut off within the number.
                    for end in before..before + usize::from(length) {
                        assert_eq!(long_varint(Reader { bytes: &bytes[..end], at: before }), None);
                    }
                }
            }
        }
    }

    #[test]
    fn a_number_is_read_group_by_group() {
        for (bytes, value) in [
            (&[0xac, 0x02][..], 300),
            (&[0x80, 0xad, 0xe2, 0x04], 10_000_000),
            (&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], (1 << 56) - 1),
            (&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], u64::MAX),
        ] {
            let all = [bytes, &[0xff; 8]].concat();
            for bytes in [bytes, &all] {
                let mut reader = Reader::new(bytes);
                assert_eq!(reader.varint().ok(), Some(value));
            }
        }
    }
}
