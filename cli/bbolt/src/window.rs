//! Reads parts of a file, with the page that was read last in memory.

use std::io::{self, Read, Seek, SeekFrom};
use std::mem;

/// Some bytes of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Where the first of them is.
    pub at: u64,
    /// How many there are.
    pub length: u32,
}

impl Place {
    /// Where they end.
    pub(crate) fn end(self) -> u64 {
        self.at + u64::from(self.length)
    }
}

/// A file, and the bytes around the place that was read last.
pub struct Window<R> {
    input: R,
    length: u64,
    size: usize,
    at: u64,
    bytes: Vec<u8>,
}

impl<R: Read + Seek> Window<R> {
    /// A file that is read in pieces of at least `size` bytes.
    pub fn new(mut input: R, size: usize) -> io::Result<Self> {
        let length = input.seek(SeekFrom::End(0))?;
        Ok(Self { input, length, size, at: 0, bytes: Vec::new() })
    }

    /// The length of the file.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The same file, read in pieces of another size.
    pub fn resize(&mut self, size: usize) {
        self.size = size;
    }

    /// The bytes of a place, which has to be within the file.
    pub fn read(&mut self, place: Place) -> io::Result<Vec<u8>> {
        if !self.has(place) && (place.length as usize) < self.size {
            let at = place.at - place.at % self.size as u64;
            let length = self.length.saturating_sub(at).min(self.size as u64) as usize;
            // What is left of an error is no window.
            let mut bytes = mem::take(&mut self.bytes);
            self.fill(at, length, &mut bytes)?;
            (self.at, self.bytes) = (at, bytes);
        }
        if self.has(place) {
            let start = (place.at - self.at) as usize;
            return Ok(self.bytes[start..start + place.length as usize].to_vec());
        }
        let mut bytes = Vec::new();
        self.fill(place.at, place.length as usize, &mut bytes)?;
        Ok(bytes)
    }

    fn has(&self, place: Place) -> bool {
        self.at <= place.at && place.end() <= self.at + self.bytes.len() as u64
    }

    /// Reads so many bytes into a buffer.
    fn fill(&mut self, at: u64, length: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
        if at.checked_add(length as u64).is_none_or(|end| end > self.length) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.resize(length, 0);
        self.input.seek(SeekFrom::Start(at))?;
        self.input.read_exact(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn places_are_read_wherever_the_window_is() {
        let file: Vec<u8> = (0..100).collect();
        for size in [1, 7, 16, 99, 100, 1000] {
            let mut window = Window::new(Cursor::new(&file), size).unwrap();
            for at in 0..100 {
                for length in [0, 1, 5, 40] {
                    let read = window.read(Place { at, length });
                    let expected = file.get(at as usize..at as usize + length as usize);
                    assert_eq!(read.ok().as_deref(), expected, "{size} {at} {length}");
                }
            }
        }
    }
}
