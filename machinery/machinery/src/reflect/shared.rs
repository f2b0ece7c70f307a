//! Data of descriptors: static for compiled types, shared or owned for run-time
//! types.
//!
//! All of it can be written in a `static`, so that derived code needs no
//! initialization. Reading costs compiled types nothing: address and length are
//! at the same offset for static and for boxed values.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A string of a descriptor.
pub type Text = Held<str>;

/// A static or boxed value of a descriptor.
///
/// A `Cow` would do as well. But for every `Cow` the compiler proves the bound
/// `ToOwned`, which is 3 % of the time to check a crate of types, where every
/// field has several.
pub enum Held<T: ?Sized + 'static> {
    /// The value of a compiled type.
    Static(&'static T),
    /// The value of a run-time type.
    Boxed(Box<T>),
}

impl<T: ?Sized> Held<T> {
    /// The value of a compiled type.
    pub(super) const fn as_static(&self) -> &'static T {
        match self {
            Self::Static(value) => value,
            Self::Boxed(_) => panic!("the value is that of a run-time type"),
        }
    }
}

impl<T: ?Sized> Deref for Held<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match self {
            Self::Static(value) => value,
            Self::Boxed(value) => value,
        }
    }
}

impl<T: ?Sized> Clone for Held<T>
where
    Box<T>: Clone,
{
    fn clone(&self) -> Self {
        match self {
            Self::Static(value) => Self::Static(value),
            Self::Boxed(value) => Self::Boxed(value.clone()),
        }
    }
}

impl<T: ?Sized + PartialEq> PartialEq for Held<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: ?Sized + Eq> Eq for Held<T> {}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Held<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for Held<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl PartialEq<Text> for &str {
    fn eq(&self, other: &Text) -> bool {
        **self == **other
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::Boxed(text.into())
    }
}

impl<T> From<Vec<T>> for Held<[T]> {
    fn from(list: Vec<T>) -> Self {
        Self::Boxed(list.into())
    }
}

/// A static or shared value of a descriptor.
pub enum Ref<T: ?Sized + 'static> {
    /// The value of a compiled type.
    Static(&'static T),
    /// The value of a run-time type.
    Shared(Arc<T>),
}

impl<T: ?Sized> Deref for Ref<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match self {
            Self::Static(value) => value,
            Self::Shared(value) => value,
        }
    }
}

impl<T: ?Sized> Clone for Ref<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Static(value) => Self::Static(value),
            Self::Shared(value) => Self::Shared(Arc::clone(value)),
        }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Ref<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// A list of words, such as the values that a schema allows.
#[derive(Clone)]
pub enum Words {
    /// The words of a compiled type.
    Static(&'static [&'static str]),
    /// The words of a run-time type.
    Shared(Arc<[String]>),
}

impl Words {
    /// No words.
    pub const NONE: Self = Self::Static(&[]);

    /// The number of words.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Self::Static(words) => words.len(),
            Self::Shared(words) => words.len(),
        }
    }

    /// Whether there are no words.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The word at `index`.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&str> {
        match self {
            Self::Static(words) => words.get(index).copied(),
            Self::Shared(words) => words.get(index).map(String::as_str),
        }
    }

    /// The words, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator + Clone {
        (0..self.len()).map(|index| self.get(index).unwrap_or_default())
    }

    /// Whether `word` is one of them.
    pub fn contains(&self, word: &str) -> bool {
        self.iter().any(|other| other == word)
    }
}

impl Default for Words {
    fn default() -> Self {
        Self::NONE
    }
}

impl FromIterator<String> for Words {
    fn from_iter<I: IntoIterator<Item = String>>(words: I) -> Self {
        Self::Shared(words.into_iter().collect())
    }
}

impl PartialEq for Words {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Words {}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
