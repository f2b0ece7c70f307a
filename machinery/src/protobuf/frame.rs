//! Messages one after the other on a connection, as a watch sends them
//! (`application/vnd.kubernetes.protobuf;stream=watch`).

use super::{Error, Result};

/// The bytes of a frame's length, the most significant first.
const HEAD: usize = 4;

/// Appends a frame: the length of the message, then the message.
///
/// # Errors
/// When the message is longer than 4 GiB less one byte, which a frame cannot
/// say; nothing is appended then.
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

/// Reads frames from bytes that come in pieces of any size.
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
    /// What came and is not handed out yet, from `start` on.
    buffer: Vec<u8>,
    start: usize,
    /// The bytes of the stream before those in the buffer.
    before: usize,
    limit: usize,
}

impl Frames {
    /// The limit of upstream's own clients, in bytes.
    pub const LIMIT: usize = 16 << 20;

    /// A reader of frames of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { buffer: Vec::new(), start: 0, before: 0, limit }
    }

    /// Takes what came next.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.before += std::mem::take(&mut self.start);
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole message; `None` until more bytes have come.
    ///
    /// # Errors
    /// When the next frame is larger than the limit. Where the one after it
    /// would begin is then not known, and every later call says the same.
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

    /// Says that nothing comes any more.
    ///
    /// # Errors
    /// When a frame has begun and is not whole.
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

    /// Where the next frame begins in the stream.
    fn offset(&self) -> usize {
        self.before + self.start
    }

    /// The length that the next frame announces, if it has come.
    fn length(&self) -> Option<usize> {
        let head = self.buffer[self.start..].first_chunk::<HEAD>()?;
        // What does not fit is beyond any limit.
        Some(usize::try_from(u32::from_be_bytes(*head)).unwrap_or(usize::MAX))
    }
}
