//! A buffer that is written from its end to its start.
//!
//! A message's fields are written from the last to the first, and then its
//! length. The length is known by then, without a separate pass over the object
//! to compute lengths.

use std::cell::Cell;

use super::Wire;

/// The largest buffer that a thread keeps for reuse, in bytes.
const KEPT: usize = 4 << 20;

/// Texts of at least this many bytes are copied only once, into the result.
const LONG: usize = 1024;

/// Bytes, written from the end to the start.
#[derive(Default)]
pub struct Writer<'a> {
    /// All that was written, without long texts.
    buffer: Vec<u8>,
    /// The offset at which the written part begins.
    start: usize,
    /// The long texts, the last one first.
    long: Vec<Long<'a>>,
    /// The number of bytes of the long texts.
    long_bytes: usize,
}

/// A long text that is not in the buffer.
struct Long<'a> {
    bytes: &'a [u8],
    /// How much of the buffer comes after it.
    after: usize,
}

impl<'a> Writer<'a> {
    /// Returns the bytes that `write` writes. The thread keeps the buffer for
    /// the next call. The result has no spare capacity.
    pub fn scratch(write: impl FnOnce(&mut Self)) -> Vec<u8> {
        thread_local!(static SCRATCH: Cell<Vec<u8>> = const { Cell::new(Vec::new()) });
        let buffer = SCRATCH.take();
        let mut writer = Writer { start: buffer.len(), buffer, long: Vec::new(), long_bytes: 0 };
        write(&mut writer);
        let bytes = writer.result();
        if writer.buffer.len() <= KEPT {
            SCRATCH.set(writer.buffer);
        }
        bytes
    }

    fn result(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.len());
        let mut rest = &self.buffer[self.start..];
        for long in self.long.iter().rev() {
            let (before, after) = rest.split_at(rest.len() - long.after);
            out.extend_from_slice(before);
            out.extend_from_slice(long.bytes);
            rest = after;
        }
        out.extend_from_slice(rest);
        out
    }

    /// The number of bytes that were written.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.buffer.len() - self.start + self.long_bytes
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes room for that many bytes before the contents.
    #[inline(always)]
    fn before(&mut self, bytes: usize) -> &mut [u8] {
        if self.start < bytes {
            self.grow(bytes);
        }
        let end = self.start;
        self.start -= bytes;
        &mut self.buffer[self.start..end]
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, bytes: usize) {
        let length = self.buffer.len() - self.start;
        let mut buffer = vec![0; (length + bytes).max(2 * self.buffer.len()).max(64)];
        let start = buffer.len() - length;
        buffer[start..].copy_from_slice(&self.buffer[self.start..]);
        self.buffer = buffer;
        self.start = start;
    }

    /// Writes bytes without their length.
    #[inline]
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.before(bytes.len()).copy_from_slice(bytes);
    }

    /// As [`Writer::raw`], for bytes that live as long as the writer: if they
    /// are many, they are copied only once.
    #[inline]
    pub(crate) fn long_raw(&mut self, bytes: &'a [u8]) {
        if bytes.len() < LONG {
            self.raw(bytes);
        } else {
            if self.long.is_empty() {
                // Where one text is long, others are: a list that grows from four is copied often.
                self.long.reserve(32);
            }
            self.long.push(Long { bytes, after: self.buffer.len() - self.start });
            self.long_bytes += bytes.len();
        }
    }

    /// Writes up to eight bytes, the first one lowest in `word`.
    #[inline(always)]
    fn word(&mut self, word: u64, bytes: u32) {
        // The unused bytes are written, too. The next write replaces them.
        match self.buffer.get_mut(..self.start).and_then(|before| before.last_chunk_mut::<8>()) {
            Some(end) => {
                *end = (word << (64 - 8 * bytes)).to_le_bytes();
                self.start -= bytes as usize;
            }
            None => self.word_after_growth(word, bytes),
        }
    }

    /// Separate, so that the caller saves no registers for it.
    #[cold]
    #[inline(never)]
    fn word_after_growth(&mut self, word: u64, bytes: u32) {
        self.grow(8);
        self.word(word, bytes);
    }

    /// Writes a number in groups of seven bits.
    fn varint(&mut self, value: u64) {
        if value < 1 << 28 {
            let (word, bytes) = groups(value);
            self.word(word, bytes);
        } else {
            // At least five bytes, so at most three times.
            self.varint(value >> 28);
            self.word(
                two_groups(value & 0x3FFF) | 0x8000 | (two_groups(value >> 14 & 0x3FFF) | 0x8000) << 16,
                4,
            );
        }
    }

    #[inline(always)]
    pub(super) fn tag(&mut self, number: u32, wire: Wire) {
        self.varint(key(number, wire));
    }

    /// Writes a message as the field of that number, before the contents of the buffer. `write` writes what is in it.
    ///
    /// ```
    /// use hubgen_machinery::protobuf::Writer;
    ///
    /// assert_eq!(Writer::scratch(|writer| writer.field(2, |_| {})), [0x12, 0]);
    /// ```
    pub fn field(&mut self, number: u32, write: impl FnOnce(&mut Self)) {
        let end = self.len();
        write(self);
        self.message(number, end);
    }

    /// Writes the tag and length of a message whose fields were written since
    /// [`Writer::len`] was `end`.
    #[inline(always)]
    pub(crate) fn message(&mut self, number: u32, end: usize) {
        self.head(number, self.len() - end);
    }

    /// Writes a field of bytes.
    #[inline]
    pub(crate) fn bytes(&mut self, number: u32, bytes: &[u8]) {
        let all = bytes.len() + 2;
        if bytes.len() < 0x80 && number < 16 && all <= self.start {
            // Tag, length and bytes at once: most fields are this short.
            let end = self.start;
            self.start -= all;
            let [tag, length, content @ ..] = &mut self.buffer[self.start..end] else { return };
            *tag = (number << 3) as u8 | Wire::Length as u8;
            *length = bytes.len() as u8;
            copy(content, bytes);
        } else {
            self.other_bytes(number, bytes);
        }
    }

    #[inline(never)]
    fn other_bytes(&mut self, number: u32, bytes: &[u8]) {
        self.raw(bytes);
        self.head(number, bytes.len());
    }

    /// As [`Writer::bytes`], for bytes that live as long as the writer: if they
    /// are many, they are copied only once.
    #[inline]
    pub(crate) fn long_bytes(&mut self, number: u32, bytes: &'a [u8]) {
        if bytes.len() < LONG {
            self.bytes(number, bytes);
        } else {
            self.long_raw(bytes);
            self.head(number, bytes.len());
        }
    }

    /// Writes the tag and length of the bytes that were written last.
    #[inline(always)]
    pub(super) fn head(&mut self, number: u32, length: usize) {
        self.pair(number, Wire::Length, length as u64);
    }

    /// Writes a field that is a number.
    #[inline(always)]
    pub(super) fn number(&mut self, number: u32, value: u64) {
        self.pair(number, Wire::Varint, value);
    }

    /// Writes a tag and the number after it, which are mostly one byte each.
    #[inline(always)]
    fn pair(&mut self, number: u32, wire: Wire, value: u64) {
        if value < 0x80 && number < 16 {
            self.word(key(number, wire) | value << 8, 2);
        } else {
            self.long_pair(number, wire, value);
        }
    }

    /// As [`Writer::pair`], where one of the two has two bytes: the length of a
    /// larger message, or a number from 16 on.
    #[inline(never)]
    fn long_pair(&mut self, number: u32, wire: Wire, value: u64) {
        let key = key(number, wire);
        if key < 0x80 && value < 1 << 14 {
            self.word(key | two_groups(value) << 8, 3);
        } else if key < 1 << 14 && value < 0x80 {
            self.word(two_groups(key) | value << 16, 3);
        } else {
            self.longer_pair(key, value);
        }
    }

    #[inline(never)]
    fn longer_pair(&mut self, key: u64, value: u64) {
        if value < 1 << 28 && key < 1 << 14 {
            let (key, tag) = groups(key);
            let (value, bytes) = groups(value);
            self.word(key | value << (8 * tag), tag + bytes);
        } else {
            self.varint(value);
            self.varint(key);
        }
    }
}

/// Copies bytes. Most are few, for which a call of `memcpy` takes longer.
#[inline(always)]
fn copy(to: &mut [u8], from: &[u8]) {
    if !(copied::<16>(to, from) || copied::<8>(to, from) || copied::<4>(to, from)) {
        to.copy_from_slice(from);
    }
}

/// Copies `N` to `2 * N` bytes as two overlapping chunks. Returns whether there
/// are that many.
#[inline(always)]
fn copied<const N: usize>(to: &mut [u8], from: &[u8]) -> bool {
    let (Some(first), Some(last)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) else { return false };
    if from.len() > 2 * N || from.len() != to.len() {
        return false;
    }
    if let Some(to) = to.first_chunk_mut() {
        *to = *first;
    }
    if let Some(to) = to.last_chunk_mut() {
        *to = *last;
    }
    true
}

/// The number that is a field's tag.
#[inline(always)]
fn key(number: u32, wire: Wire) -> u64 {
    u64::from(number) << 3 | wire as u64
}

/// The bytes of a number below 2²⁸, and how many there are.
#[inline(always)]
fn groups(value: u64) -> (u64, u32) {
    let up_to_two = |value: u64| if value < 0x80 { (value, 1) } else { (two_groups(value), 2) };
    if value < 1 << 14 {
        return up_to_two(value);
    }
    let (high, bytes) = up_to_two(value >> 14);
    (two_groups(value & 0x3FFF) | 0x8000 | high << 16, 2 + bytes)
}

/// The two bytes of a number below 2¹⁴. The first one continues.
#[inline(always)]
fn two_groups(value: u64) -> u64 {
    (value + (value & !0x7F)) | 0x80
}
