//! Bytes to text.
//!
//! Most texts of API objects are short and ASCII. The standard library checks short texts byte by byte, which was an
//! eighth of decoding a Pod from protobuf. Here they are checked eight or sixteen bytes at a time; all others are left
//! to the standard library.

#![allow(unsafe_code, reason = "ASCII is not checked twice: 10 % of decoding a Pod from protobuf")]

use std::str::{Utf8Error, from_utf8, from_utf8_unchecked};

/// The text that consists of these bytes.
///
/// # Errors
/// When the bytes are not UTF-8.
#[inline]
pub fn text(bytes: &[u8]) -> Result<&str, Utf8Error> {
    if is_ascii(bytes) {
        // SAFETY: all bytes are below 0x80, and each of these is a character in UTF-8.
        Ok(unsafe { from_utf8_unchecked(bytes) })
    } else {
        from_utf8(bytes)
    }
}

/// The high bit of each byte of a word, which ASCII does not have.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Whether all bytes of these words are ASCII.
#[inline(always)]
pub fn are_ascii(words: [u64; 3]) -> bool {
    let [first, second, third] = words;
    (first | second | third) & HIGH == 0
}

/// Whether all bytes are ASCII.
#[inline]
fn is_ascii(bytes: &[u8]) -> bool {
    let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    // The last bytes are read together with bytes before them, which are thus read twice.
    let found = if let Some(last) = bytes.last_chunk() {
        let all = bytes.as_chunks::<16>().0.iter().chain([last]);
        let found = all.fold(0, |found, bytes| found | u128::from_le_bytes(*bytes));
        found as u64 | (found >> 64) as u64
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        word(first) | word(last)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        u64::from(u32::from_le_bytes(*first) | u32::from_le_bytes(*last))
    } else {
        bytes.iter().fold(0, |found, byte| found | u64::from(*byte))
    };
    found & HIGH == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every length up to several words, with a byte that is not ASCII at every position.
    #[test]
    fn every_byte_is_checked() {
        for length in 0..if cfg!(miri) { 40 } else { 100 } {
            let plain = vec![b'a'; length];
            assert!(is_ascii(&plain));
            assert_eq!(text(&plain).unwrap().len(), length);
            for at in 0..length {
                for byte in [0x80, 0xC3, 0xFF] {
                    let mut bytes = plain.clone();
                    bytes[at] = byte;
                    assert!(!is_ascii(&bytes), "{byte:#x} at {at} of {length}");
                    assert_eq!(text(&bytes), from_utf8(&bytes));
                }
            }
        }
    }

    #[test]
    fn other_texts_are_checked_by_the_standard_library() {
        assert_eq!(text("é✓ and more".as_bytes()), Ok("é✓ and more"));
    }
}
