//! A buffer that grows at its front.
//!
//! A message is written after its fields, from the last one to the first: its
//! length is then known, and no pass over the object is spent on lengths.

use super::Wire;

/// Bytes, written from the end to the start.
#[derive(Default)]
pub struct Writer {
    buffer: Vec<u8>,
    /// Where the written part begins.
    start: usize,
}

impl Writer {
    /// An empty buffer with room for that many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self { buffer: vec![0; bytes], start: bytes }
    }

    /// What was written.
    pub fn as_bytes(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// What was written, moved to the start of its buffer.
    pub fn into_bytes(mut self) -> Vec<u8> {
        let length = self.len();
        self.buffer.copy_within(self.start.., 0);
        self.buffer.truncate(length);
        self.buffer
    }

    /// How many bytes were written.
    pub fn len(&self) -> usize {
        self.buffer.len() - self.start
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets what was written and keeps the room.
    pub fn clear(&mut self) {
        self.start = self.buffer.len();
    }

    /// Room for that many bytes before what is there.
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

    /// Bytes without their length.
    #[inline]
    pub(super) fn raw(&mut self, bytes: &[u8]) {
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

    #[inline]
    pub(super) fn tag(&mut self, number: u32, wire: Wire) {
        self.varint(u64::from(number) << 3 | wire as u64);
    }

    /// A field whose bytes are those written since the buffer was `end` long.
    #[inline]
    pub(super) fn message(&mut self, number: u32, end: usize) {
        self.varint((self.len() - end) as u64);
        self.tag(number, Wire::Length);
    }

    /// A field of bytes.
    #[inline]
    pub(super) fn bytes(&mut self, number: u32, bytes: &[u8]) {
        self.raw(bytes);
        self.varint(bytes.len() as u64);
        self.tag(number, Wire::Length);
    }

    /// A field that is a number.
    #[inline]
    pub(super) fn number(&mut self, number: u32, value: u64) {
        self.varint(value);
        self.tag(number, Wire::Varint);
    }
}
