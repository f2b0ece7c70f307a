//! Slots of texts: of [`Str`], the type of texts in generated types, and of `String`, which users' types may have.

#![allow(
    unsafe_code,
    reason = "each access is that of the type that implements the trait, and nothing else is unsafe"
)]

use std::fmt;
use std::ops::Deref;

use hubgen_json::utf8;

use super::access::Access;
use super::{Slot, SlotMut, Type, Value};
use crate::Str;

/// A text for reading.
///
/// It is a reference to the text's type and not to its bytes, because most readers only check whether a text is empty,
/// and because a copy of a [`Str`] can share its allocation.
#[derive(Clone, Copy)]
pub enum TextRef<'a> {
    /// A text of a generated type.
    Str(&'a Str),
    /// Any other text.
    Plain(&'a str),
}

impl<'a> TextRef<'a> {
    /// The text.
    #[inline]
    pub fn as_str(self) -> &'a str {
        match self {
            Self::Str(text) => text,
            Self::Plain(text) => text,
        }
    }

    /// The text as [`Str`]. It shares the allocation if it can.
    pub fn to_shared(self) -> Str {
        match self {
            Self::Str(text) => text.clone(),
            Self::Plain(text) => text.into(),
        }
    }
}

impl Deref for TextRef<'_> {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for TextRef<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl fmt::Debug for TextRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

/// A text for writing: a [`Str`], a `String`, or another type that stores texts.
pub trait TextSlot {
    /// The text.
    fn as_str(&self) -> &str;

    /// Replaces the text with a copy of another one.
    fn set(&mut self, text: &str);

    /// As [`set`](Self::set), from bytes. Returns whether they are UTF-8; if not, the text does not change.
    fn set_utf8(&mut self, text: &[u8]) -> bool {
        match utf8::text(text) {
            Ok(text) => self.set(text),
            Err(_) => return false,
        }
        true
    }

    /// Replaces the text. A [`Str`] shares the allocation.
    fn set_shared(&mut self, text: &Str) {
        self.set(text);
    }

    /// The text itself, if it is a [`Str`], which can share its allocation.
    fn as_shared(&mut self) -> Option<&mut Str> {
        None
    }
}

impl TextSlot for Str {
    fn as_str(&self) -> &str {
        self
    }

    #[inline]
    fn set(&mut self, text: &str) {
        Self::set(self, text);
    }

    fn set_utf8(&mut self, text: &[u8]) -> bool {
        Self::set_utf8(self, text)
    }

    fn set_shared(&mut self, text: &Str) {
        self.clone_from(text);
    }

    fn as_shared(&mut self) -> Option<&mut Str> {
        Some(self)
    }
}

impl TextSlot for String {
    fn as_str(&self) -> &str {
        self
    }

    fn set(&mut self, text: &str) {
        if self.capacity() < text.len() {
            // An allocation of exactly the text's length.
            *self = text.to_owned();
        } else {
            self.clear();
            self.push_str(text);
        }
    }
}

unsafe impl Value for Str {
    type Whole = Self;
    const TYPE: Type = Type::String;
    const ACCESS: &'static Access = &Access::STR;

    #[inline]
    fn slot(&self) -> Slot<'_> {
        Slot::String(TextRef::Str(self))
    }

    #[inline]
    fn slot_mut(&mut self) -> SlotMut<'_> {
        SlotMut::String(self)
    }
}

unsafe impl Value for String {
    type Whole = Str;
    const TYPE: Type = Type::String;

    #[inline]
    fn slot(&self) -> Slot<'_> {
        Slot::String(TextRef::Plain(self))
    }

    #[inline]
    fn slot_mut(&mut self) -> SlotMut<'_> {
        SlotMut::String(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slots of all fields of an object are made at once, so they must be small.
    #[test]
    fn a_slot_is_three_words() {
        assert_eq!(size_of::<TextRef<'_>>(), 16);
        assert_eq!(size_of::<Slot<'_>>(), 24);
    }

    #[test]
    fn a_used_string_keeps_its_allocation() {
        let mut text = String::with_capacity(8);
        let kept = text.as_ptr();
        text.set("short");
        assert_eq!((&*text, text.as_ptr()), ("short", kept));
        text.set("longer than eight");
        assert_eq!((&*text, text.capacity()), ("longer than eight", 17));
    }

    #[test]
    fn a_str_shares_what_it_can() {
        let long = Str::from("a text that is too long to be stored in place");
        let mut target = Str::default();
        target.set_shared(&long);
        assert!(target.shares_with(&long));
        target.set(&long);
        assert!(!target.shares_with(&long));
        assert!(TextRef::Str(&long).to_shared().shares_with(&long));
    }
}
