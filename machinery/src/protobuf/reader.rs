//! A cursor over bytes: varints, lengths, tags, and what to pass over.

use super::{Error, Result, Wire};

/// How many messages and groups may be open at once.
///
/// Far more than any API type nests, far less than a thread's stack holds.
pub(super) const MAX_DEPTH: u32 = 256;

/// A part of the bytes, read from its start to its end. Offsets count from the
/// start of all bytes.
///
/// What is read most is inlined, and what is not takes the cursor by value: a
/// caller's own cursor then stays in registers.
#[derive(Clone, Copy)]
pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

/// A field's number and how it is written, as they came: they are looked at
/// when they matter.
#[derive(Clone, Copy)]
pub(super) struct Tag {
    key: u32,
    /// Where it begins.
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

    /// The same field, written in another way.
    pub fn with(self, wire: Wire) -> Self {
        Self { key: self.key & !7 | wire as u32, ..self }
    }

    pub fn wire(self) -> Result<Wire> {
        if self.number() == 0 {
            return Err(Error::new(self.offset, "expected a field number from 1 on, found 0"));
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

    /// Goes on at that offset, which is one that this cursor has given.
    #[inline(always)]
    pub fn seek(&mut self, offset: usize) {
        self.at = offset;
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// How many bytes are left.
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
                None => Err(self.no_varint()),
            },
        }
    }

    #[cold]
    #[inline(never)]
    fn no_varint(self) -> Error {
        let message = if self.left() < 10 {
            "expected the rest of a number, found the end"
        } else {
            "expected a number of at most 10 bytes, found one that goes on"
        };
        Error::new(self.at, message)
    }

    #[inline(always)]
    pub fn tag(&mut self) -> Result<Tag> {
        let offset = self.at;
        let key = self.varint()?;
        match u32::try_from(key) {
            Ok(key) => Ok(Tag { key, offset }),
            Err(_) => Err(no_number(offset)),
        }
    }

    /// Consumes a tag that is the same as another one.
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

    /// Four bytes, the least first.
    pub fn fixed32(&mut self) -> Result<u32> {
        self.fixed().map(u32::from_le_bytes)
    }

    /// The bytes that follow the tag.
    #[inline(always)]
    pub fn bytes(&mut self, tag: Tag) -> Result<&'b [u8]> {
        self.expect(tag, Wire::Length, "bytes with their length")?;
        self.sized()
    }

    /// The text that follows the tag.
    #[inline(always)]
    pub fn string(&mut self, tag: Tag) -> Result<&'b str> {
        let bytes = self.bytes(tag)?;
        if bytes.is_empty() {
            return Ok("");
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text),
            Err(error) => Err(no_text(self.at - bytes.len() + error.valid_up_to())),
        }
    }

    /// A cursor over the message that follows the tag; this one goes on after
    /// it.
    #[inline(always)]
    pub fn message(&mut self, tag: Tag) -> Result<Self> {
        self.expect(tag, Wire::Length, "a message with its length")?;
        let end = self.length()?;
        let message = Self { bytes: &self.bytes[..end], at: self.at };
        self.at = end;
        Ok(message)
    }

    /// Whether the tag announces a message of no bytes.
    pub fn is_empty_message(&self, tag: Tag) -> bool {
        tag.is(Wire::Length) && self.bytes.get(self.at) == Some(&0)
    }

    #[inline(always)]
    fn expect(&self, tag: Tag, wire: Wire, expected: &str) -> Result<()> {
        if tag.is(wire) { Ok(()) } else { Err(unexpected(tag, wire, expected)) }
    }

    #[inline(always)]
    fn sized(&mut self) -> Result<&'b [u8]> {
        let end = self.length()?;
        let bytes = &self.bytes[self.at..end];
        self.at = end;
        Ok(bytes)
    }

    /// Where the bytes that a length announces end.
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

    /// Where what a tag announced ends.
    #[inline(never)]
    pub fn skipped(mut self, tag: Tag) -> Result<usize> {
        self.skip(tag)?;
        Ok(self.at)
    }

    /// Passes over what a tag announced.
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

    /// Passes over a group and the groups in it, without recursion; gives where
    /// the tag that ends it begins.
    pub fn skip_group(&mut self, number: u32) -> Result<usize> {
        let mut open = vec![number];
        let mut end = self.at;
        while let Some(&innermost) = open.last() {
            if self.is_at_end() {
                return Err(Error::new(
                    self.at,
                    format!("expected the end of group {innermost}, found the end"),
                ));
            }
            let tag = self.tag()?;
            end = tag.offset;
            match tag.wire()? {
                Wire::StartGroup if open.len() >= MAX_DEPTH as usize => {
                    return Err(Error::new(end, format!("expected at most {MAX_DEPTH} open groups")));
                }
                Wire::StartGroup => open.push(tag.number()),
                Wire::EndGroup if tag.number() == innermost => {
                    open.pop();
                }
                Wire::EndGroup => {
                    let found = tag.number();
                    return Err(Error::new(
                        end,
                        format!("expected the end of group {innermost}, found that of {found}"),
                    ));
                }
                _ => self.skip(tag)?,
            }
        }
        Ok(end)
    }

    /// How many fields in a row have that tag, of the ones written with a
    /// length; the first has its tag read.
    pub fn count(mut self, tag: Tag) -> usize {
        let mut count = 0;
        loop {
            // Errors are for the one who reads; here they would only cost.
            let (length, at) = match self.bytes.get(self.at) {
                Some(&byte) if byte < 0x80 => (byte.into(), self.at + 1),
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

/// A number of more than a byte, and where it ends. Ten bytes are 70 bits; what
/// is beyond 64 is dropped.
#[inline(never)]
fn long_varint(reader: Reader<'_>) -> Option<(u64, usize)> {
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
fn no_number(offset: usize) -> Error {
    Error::new(offset, "expected a field number of at most 536870911, found a larger one")
}

#[cold]
#[inline(never)]
fn no_text(offset: usize) -> Error {
    Error::new(offset, "expected text in UTF-8, found another byte")
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
