//! What is inside a [`Str`](super::Str): a short text in place, a static text, or a text on the heap that clones share.
//!
//! A library did this before, smol_str. It copies short texts with a call of `memcpy`, which costs more than the rest
//! of reading most texts, and its texts on the heap have two counts of references; triomphe has one.
//! `docs/performance-history.md` contains the figures.
//!
//! `ARCHITECTURE.md` lists the modules with unsafe code. Miri runs their tests.

#![allow(unsafe_code, reason = "short texts are written as three words, and not checked again: measured")]

use hubgen_json::utf8;

use std::mem::{forget, transmute};
use std::ptr;
use std::str::from_utf8_unchecked;

use triomphe::Arc;

/// The length of the longest text in place.
const ROOM: usize = 23;

/// One of three. All are 24 bytes, and one of the many invalid lengths serves an `Option` as its `None`.
pub(super) enum Inside {
    InPlace(InPlace),
    Static(&'static str),
    Shared(Arc<str>),
}

impl Inside {
    /// All zeros, which is the cheapest to write.
    pub const EMPTY: Self = Self::InPlace(InPlace { bytes: [0; ROOM], length: Length::L0 });

    #[inline(always)]
    pub fn new(text: &str) -> Self {
        match words(text.as_bytes()) {
            // SAFETY: these are the words and the length of a `str`.
            Some(words) => Self::InPlace(unsafe { InPlace::new(words, text.len()) }),
            None => Self::Shared(Arc::from(text)),
        }
    }

    /// Replaces the text.
    #[inline(always)]
    pub fn set(&mut self, text: &str) {
        match words(text.as_bytes()) {
            // Nothing has to be dropped, so nothing is saved on the stack for that.
            Some(words) if !matches!(self, Self::Shared(_)) => {
                // SAFETY: these are the words and the length of a `str`.
                *self = Self::InPlace(unsafe { InPlace::new(words, text.len()) });
            }
            _ => self.replace(text),
        }
    }

    #[inline(never)]
    fn replace(&mut self, text: &str) {
        *self = Self::new(text);
    }

    /// Replaces the text with these bytes. Returns whether they are UTF-8; if not, the text does not change.
    #[inline(always)]
    pub fn set_utf8(&mut self, bytes: &[u8]) -> bool {
        match words(bytes) {
            // Short ASCII is checked while it is in registers.
            Some(words) if utf8::are_ascii(words) && !matches!(self, Self::Shared(_)) => {
                // SAFETY: these are the words and the length of bytes that are ASCII.
                *self = Self::InPlace(unsafe { InPlace::new(words, bytes.len()) });
                true
            }
            _ => self.set_other(bytes),
        }
    }

    #[inline(never)]
    fn set_other(&mut self, bytes: &[u8]) -> bool {
        let Ok(text) = utf8::text(bytes) else { return false };
        *self = Self::new(text);
        true
    }

    #[inline(always)]
    pub fn as_str(&self) -> &str {
        match self {
            Self::InPlace(text) => text.as_str(),
            Self::Static(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl Clone for Inside {
    #[inline]
    fn clone(&self) -> Self {
        if let Self::Shared(text) = self {
            forget(Arc::clone(text));
        }
        // SAFETY: a text in place and a static one are plain bytes. Another reference to a shared one has been counted
        // above. One copy for all of them is cheaper than one for each.
        unsafe { ptr::read(self) }
    }
}

/// A text in place: the first `length` bytes, which are UTF-8.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(super) struct InPlace {
    bytes: [u8; ROOM],
    length: Length,
}

/// The number of bytes of a text in place.
#[derive(Clone, Copy)]
#[repr(u8)]
#[rustfmt::skip]
#[allow(dead_code, reason = "made from numbers")]
enum Length {
    L0, L1, L2, L3, L4, L5, L6, L7, L8, L9, L10, L11, L12, L13, L14, L15, L16, L17, L18, L19, L20, L21, L22, L23,
}

impl InPlace {
    /// # Safety
    /// `words` are the [`words`] of that many bytes, which are UTF-8.
    #[inline(always)]
    unsafe fn new([first, second, third]: [u64; 3], length: usize) -> Self {
        let words = [first, second, third | (length as u64) << 56].map(u64::to_le);
        // SAFETY: both are 24 bytes. The last byte is the length, which is at most `ROOM`, as there are words.
        unsafe { transmute::<[u64; 3], Self>(words) }
    }

    #[inline(always)]
    fn as_str(&self) -> &str {
        // SAFETY: a length is at most `ROOM`, and the bytes up to it are UTF-8.
        unsafe { from_utf8_unchecked(self.bytes.get_unchecked(..self.length as usize)) }
    }
}

/// Up to `ROOM` bytes as words in little-endian order, followed by zeros; `None` if there are more.
///
/// They are read as words that may overlap, because a call of `memcpy` costs more than the copy.
#[inline(always)]
fn words(bytes: &[u8]) -> Option<[u64; 3]> {
    let length = bytes.len();
    let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    if length > ROOM {
        return None;
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        let (first, last) = (word(first), word(last) >> 8);
        return Some(match bytes[8..].first_chunk::<8>() {
            Some(second) => [first, word(second), last >> (8 * (23 - length))],
            None => [first, last >> (8 * (15 - length)), 0],
        });
    }
    let half = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes));
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        return Some([half(first) | half(last) << (8 * (length - 4)), 0, 0]);
    }
    let byte = |index: usize| u64::from(bytes[index]) << (8 * index);
    Some(if length == 0 { [0; 3] } else { [byte(0) | byte(length / 2) | byte(length - 1), 0, 0] })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    /// Texts of every length in place and beyond, of one to four bytes per character.
    fn texts() -> impl Iterator<Item = String> {
        let longest = if cfg!(miri) { 26 } else { 100 };
        (0..longest).flat_map(|length| {
            ['a', '\0', 'é', '✓', '🦀']
                .map(|last| (0..length).map(|at| char::from(b'a' + at % 26)).chain([last]).collect())
        })
    }

    #[test]
    fn every_text_is_as_it_was_written() {
        assert_eq!(Inside::EMPTY.as_str(), "");
        for text in texts() {
            let new = Inside::new(&text);
            assert_eq!(new.as_str(), text);
            assert_eq!(matches!(new, Inside::InPlace(_)), text.len() <= ROOM);
            assert_eq!(new.clone().as_str(), text);
            assert_eq!(Some(new).as_ref().map(Inside::as_str), Some(&*text));
            assert_eq!(size_of::<Option<Inside>>(), size_of::<Inside>());
        }
    }

    #[test]
    fn a_text_of_any_kind_is_replaced() {
        let long = "a text that is too long to be stored in place";
        for before in [Inside::EMPTY, Inside::new("short"), Inside::Static(long), Inside::new(long)] {
            for text in texts() {
                let (mut set, mut set_utf8) = (before.clone(), before.clone());
                set.set(&text);
                assert_eq!(set.as_str(), text);
                assert!(set_utf8.set_utf8(text.as_bytes()));
                assert_eq!(set_utf8.as_str(), text);
            }
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused() {
        for length in [1, 3, 4, 7, 8, 15, 16, 23, 24, 40] {
            for at in 0..length {
                let mut bytes = vec![b'a'; length];
                bytes[at] = 0xFF;
                let mut text = Inside::new("before");
                assert!(!text.set_utf8(&bytes), "{at} of {length}");
                assert_eq!(text.as_str(), "before");
            }
        }
    }

    /// The last reference frees a text, in whatever thread and order. Miri reports what is freed twice or never.
    #[test]
    fn threads_share_a_text() {
        let text = Arc::new(Inside::new("a text that is too long to be stored in place"));
        let start = text.as_str().as_ptr() as usize;
        let clones = [(); 4].map(|()| {
            let text = Arc::clone(&text);
            thread::spawn(move || {
                let clone = Inside::clone(&text);
                drop(text);
                assert_eq!(clone.as_str().as_ptr() as usize, start);
                clone.clone()
            })
        });
        drop(text);
        for clone in clones {
            assert_eq!(clone.join().unwrap().as_str().len(), 45);
        }
    }
}
