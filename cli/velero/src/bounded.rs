//! Reads gzip, but not without end.

use std::io::{self, Cursor, Read};

use flate2::read::MultiGzDecoder;

use crate::Refusal;

/// How many times larger a backup may be than its gzip. Objects that are alike come to a hundred; zeros come to a
/// thousand.
pub const MOST_TIMES: u64 = 500;

/// What is let through in any case.
const ALLOWANCE: u64 = 16 << 20;

/// The content of gzip, up to a bound that follows the bytes that were read for it.
pub struct Bounded<R> {
    inner: MultiGzDecoder<Counted<R>>,
    out: u64,
}

/// The content of bytes that begin as gzip does.
///
/// # Errors
/// When they do not, or cannot be read.
pub fn unpacked(mut input: impl Read) -> Result<Bounded<impl Read>, Refusal> {
    let mut begin = Vec::new();
    let read = input.by_ref().take(2).read_to_end(&mut begin);
    read.map_err(|error| Refusal::of("", format!("cannot be read: {error}"), ""))?;
    if begin != [0x1f, 0x8b] {
        return Err(Refusal::no_gzip(&begin));
    }
    let input = Counted { inner: Cursor::new(begin).chain(input), bytes: 0 };
    Ok(Bounded { inner: MultiGzDecoder::new(input), out: 0 })
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        self.out += read as u64;
        if self.out > ALLOWANCE + MOST_TIMES * self.inner.get_ref().bytes {
            let message = format!("the file becomes more than {MOST_TIMES} times larger when it is unpacked");
            let help = "it is no backup: find out who made it";
            return Err(io::Error::other(Refusal::of("", message, help)));
        }
        Ok(read)
    }
}

/// Counts what is read.
pub struct Counted<R> {
    /// What it is read from.
    pub inner: R,
    /// The bytes so far.
    pub bytes: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        self.bytes += read as u64;
        Ok(read)
    }
}
