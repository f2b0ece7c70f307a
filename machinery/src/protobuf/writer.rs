//! A buffer that is written from its end to its start.
//!
//! A message's fields are written from the last to the first, and then its
//! length. The length is known by then, without a separate pass over the object
//! to compute lengths.

use std::cell::Cell;

use super::Wire;

/// The largest buffer that a thread keeps for reuse, in bytes.
const KEPT: usize = 4 << 20;

/// Bytes, written from the end to the start.
#[derive(Default)]
pub struct Writer {
    buffer: Vec<u8>,
    /// The offset at which the written part begins.
    start: usize,
}

impl Writer {
    /// Returns the bytes that `write` writes. The thread keeps the buffer for
    /// the next call. The result has no spare capacity.
    pub fn scratch(write: impl FnOnce(&mut Self)) -> Vec<u8> {
        thread_local!(static SCRATCH: Cell<Writer> = Cell::default());
        let mut writer = SCRATCH.take();
        writer.clear();
        write(&mut writer);
        let bytes = writer.as_bytes().to_vec();
        if writer.buffer.len() <= KEPT {
            SCRATCH.set(writer);
        }
        bytes
    }

    /// The bytes that were written.
    pub fn as_bytes(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// The number of bytes that were written.
    pub fn len(&self) -> usize {
        self.buffer.len() - self.start
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes the contents and keeps the allocation.
    pub fn clear(&mut self) {
        self.start = self.buffer.len();
    }

    /// Makes room for that many bytes before the contents.
    #[inline]
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
        let length = self.len();
        let mut buffer = vec![0; (length + bytes).max(2 * self.buffer.len()).max(64)];
        let start = buffer.len() - length;
        buffer[start..].copy_from_slice(self.as_bytes());
        self.buffer = buffer;
        self.start = start;
    }

    /// Writes bytes without their length.
    #[inline]
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.before(bytes.len()).copy_from_slice(bytes);
    }

    #[inline]
    pub(super) fn varint(&mut self, value: u64) {
        if value < 0x80 {
            self.before(1)[0] = value as u8;
        } else {
            self.long_varint(value);
        }
    }

    fn long_varint(&mut self, mut value: u64) {
        let length = (70 - (value | 1).leading_zeros()) as usize / 7;
        let bytes = self.before(length);
        for byte in &mut bytes[..length - 1] {
            *byte = value as u8 | 0x80;
            value >>= 7;
        }
        bytes[length - 1] = value as u8;
    }

    #[inline(always)]
    pub(super) fn tag(&mut self, number: u32, wire: Wire) {
        self.varint(u64::from(number) << 3 | wire as u64);
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
        if bytes.len() < 0x80 && number < 16 {
            // Tag, length and bytes at once: most fields are this short.
            let all = self.before(bytes.len() + 2);
            all[0] = (number << 3) as u8 | Wire::Length as u8;
            all[1] = bytes.len() as u8;
            all[2..].copy_from_slice(bytes);
        } else {
            self.raw(bytes);
            self.head(number, bytes.len());
        }
    }

    /// Writes the tag and length of the bytes that were written last.
    #[inline(always)]
    fn head(&mut self, number: u32, length: usize) {
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
            let pair = self.before(2);
            pair[0] = (number << 3) as u8 | wire as u8;
            pair[1] = value as u8;
        } else {
            self.long_pair(number, wire, value);
        }
    }

    #[inline(never)]
    fn long_pair(&mut self, number: u32, wire: Wire, value: u64) {
        self.varint(value);
        self.tag(number, wire);
    }
}
