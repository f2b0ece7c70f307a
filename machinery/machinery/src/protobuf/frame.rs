//! Frames: the format in which a watch sends messages one after the other
//! (`application/vnd.kubernetes.protobuf;stream=watch`).

use super::{Error, Result};

/// The size of a frame's length, in bytes. The length is in big-endian order.
const HEAD: usize = 4;

/// Appends a frame: the length of the message, then the message.
///
/// # Errors
/// When the message is 4 GiB or longer, which a frame cannot represent. Nothing
/// is appended then.
///
/// ```
/// let mut out = Vec::new();
/// hubgen_machinery::protobuf::write_frame(&mut out, b"hi").unwrap();
/// assert_eq!(out, b"\0\0\0\x02hi");
/// ```
pub fn write_frame(out: &mut Vec<u8>, message: &[u8]) -> Result<()> {
    let length = u32::try_from(message.len()).map_err(|_| {
        Error::new(0, format!("expected a message of at most {} bytes, found {}", u32::MAX, message.len()))
    })?;
    out.reserve(HEAD + message.len());
    out.extend(length.to_be_bytes());
    out.extend_from_slice(message);
    Ok(())
}

/// Reads frames from bytes that arrive in pieces of any size.
///
/// ```
/// use hubgen_machinery::protobuf::Frames;
///
/// let mut frames = Frames::new(1024);
/// frames.push(b"\0\0\0\x02h");
/// assert_eq!(frames.next(), Ok(None));
/// frames.push(b"i");
/// assert_eq!(frames.next(), Ok(Some(&b"hi"[..])));
/// assert_eq!(frames.finish(), Ok(()));
/// ```
#[derive(Clone, Debug)]
pub struct Frames {
    /// The bytes that arrived; those from `start` on have not been returned.
    buffer: Vec<u8>,
    start: usize,
    /// The number of bytes of the stream before the buffer.
    before: usize,
    limit: usize,
}

impl Frames {
    /// The limit of upstream's clients, in bytes.
    pub const LIMIT: usize = 16 << 20;

    /// Creates a reader of frames of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { buffer: Vec::new(), start: 0, before: 0, limit }
    }

    /// Adds the bytes that arrived next.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.before += std::mem::take(&mut self.start);
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next complete message; `None` if more bytes are needed.
    ///
    /// # Errors
    /// When the next frame is larger than the limit. It is not skipped, so
    /// every later call returns the same error.
    #[allow(clippy::should_implement_trait, reason = "the message is borrowed from the reader")]
    pub fn next(&mut self) -> Result<Option<&[u8]>> {
        let Some(length) = self.length() else { return Ok(None) };
        if length > self.limit {
            return Err(Error::new(
                self.offset(),
                format!("expected a frame of at most {} bytes, found one of {length}", self.limit),
            ));
        }
        let message = self.start + HEAD;
        if self.buffer.len() - message < length {
            return Ok(None);
        }
        self.start = message + length;
        Ok(Some(&self.buffer[message..self.start]))
    }

    /// Checks that the stream may end here.
    ///
    /// # Errors
    /// When a frame has begun and is incomplete.
    pub fn finish(&self) -> Result<()> {
        let found = self.buffer.len() - self.start;
        let message = match self.length() {
            _ if found == 0 => return Ok(()),
            Some(length) => {
                format!("expected a frame of {length} bytes, found the end after {}", found - HEAD)
            }
            None => format!("expected the {HEAD} bytes of a frame's length, found the end after {found}"),
        };
        Err(Error::new(self.offset(), message))
    }

    /// The offset of the next frame in the stream.
    fn offset(&self) -> usize {
        self.before + self.start
    }

    /// The length of the next frame, if it has arrived.
    fn length(&self) -> Option<usize> {
        let head = self.buffer[self.start..].first_chunk::<HEAD>()?;
        // A length that does not fit `usize` exceeds any limit.
        Some(usize::try_from(u32::from_be_bytes(*head)).unwrap_or(usize::MAX))
    }
}
