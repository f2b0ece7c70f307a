//! [`Str`], the type of texts in generated types.

mod inside;

use std::borrow::{Borrow, Cow};
use std::cmp::Ordering;
use std::convert::Infallible;
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{AddAssign, Deref};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::str::FromStr;
use std::sync::Arc;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use self::inside::Inside;

/// An immutable text. All texts and map keys of generated types are of this type.
///
/// It dereferences to `str`, so it has all of its methods and can be passed where a `&str` is expected. A text cannot
/// be changed in place. To change a field, assign a new text: `pod.spec.node_name = "node-1".into()`.
///
/// # Contract
///
/// - A `Str` and an `Option<Str>` are 24 bytes, as a `String` is.
/// - Equality, order and hash are those of `str`, so that `map.get("key")` works for maps whose keys are `Str`.
/// - Short texts need no allocation: most texts of API objects are short. Cloning never copies a long text, because
///   clones share it. How short is short, and how the text is stored, may change between versions of this crate.
///
/// # Examples
///
/// ```
/// use hubgen_machinery::{Str, StrMap};
///
/// let name = Str::from("web");
/// assert_eq!(name, "web");
/// assert!(name.starts_with('w'));
/// assert_eq!(format!("{name}-0"), "web-0");
///
/// let labels = StrMap::from([("app", name)]);
/// assert_eq!(labels.get("app").map(Str::as_str), Some("web"));
/// ```
#[derive(Clone)]
pub struct Str(Inside);

impl Str {
    /// The empty text.
    #[inline]
    pub const fn new() -> Self {
        Self(Inside::EMPTY)
    }

    /// A static text. It is never copied, not even if it is long.
    #[inline]
    pub const fn from_static(text: &'static str) -> Self {
        Self(Inside::Static(text))
    }

    /// Replaces the text.
    #[inline]
    pub(crate) fn set(&mut self, text: &str) {
        self.0.set(text);
    }

    /// Replaces the text with these bytes. Returns whether they are UTF-8; if not, the text does not change.
    #[inline]
    pub(crate) fn set_utf8(&mut self, bytes: &[u8]) -> bool {
        self.0.set_utf8(bytes)
    }

    /// The text.
    #[inline]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Whether the text has no characters.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.as_str().is_empty()
    }

    /// The length in bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.as_str().len()
    }

    /// The text as UTF-8.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        self.as_str().as_bytes()
    }

    /// Replaces the text with the empty text.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// The text as a `String`, which can be changed.
    ///
    /// ```
    /// use hubgen_machinery::Str;
    ///
    /// let mut image = Str::from("nginx").into_string();
    /// image.push_str(":1.27");
    /// let image: Str = image.into();
    /// assert_eq!(image, "nginx:1.27");
    /// ```
    pub fn into_string(self) -> String {
        self.as_str().to_owned()
    }

    /// Whether both share one allocation. Equal texts that were read independently do not.
    pub fn shares_with(&self, other: &Self) -> bool {
        !self.is_in_place() && std::ptr::eq(self.as_str(), other.as_str())
    }

    /// Whether the text needs no allocation.
    pub(crate) fn is_in_place(&self) -> bool {
        !matches!(self.0, Inside::Shared(_))
    }
}

impl Default for Str {
    #[inline]
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for Str {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Debug for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl fmt::Display for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl Hash for Str {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl Eq for Str {}

impl PartialEq for Str {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Ord for Str {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl PartialOrd for Str {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Comparisons with other types of text, in both directions.
macro_rules! compares_with {
    ($($other:ty),*) => {$(
        impl PartialEq<$other> for Str {
            #[inline]
            fn eq(&self, other: &$other) -> bool {
                let other: &str = other;
                self.as_str() == other
            }
        }

        impl PartialEq<Str> for $other {
            #[inline]
            fn eq(&self, other: &Str) -> bool {
                other == self
            }
        }
    )*};
}

compares_with!(str, &str, String, Cow<'_, str>);

impl Borrow<str> for Str {
    #[inline]
    fn borrow(&self) -> &str {
        self
    }
}

/// Access to the text as other types.
macro_rules! as_ref {
    ($($target:ty),*) => {$(
        impl AsRef<$target> for Str {
            #[inline]
            fn as_ref(&self) -> &$target {
                self.as_str().as_ref()
            }
        }
    )*};
}

as_ref!(str, [u8], OsStr, Path);

impl From<&str> for Str {
    #[inline]
    fn from(text: &str) -> Self {
        Self(Inside::new(text))
    }
}

/// Conversions from other types of text.
macro_rules! from_text {
    ($($source:ty),*) => {$(
        impl From<$source> for Str {
            #[inline]
            fn from(text: $source) -> Self {
                let text: &str = &text;
                text.into()
            }
        }
    )*};
}

from_text!(&mut str, &String, String, Box<str>, Arc<str>, Cow<'_, str>);

impl From<char> for Str {
    fn from(character: char) -> Self {
        (&*character.encode_utf8(&mut [0; 4])).into()
    }
}

impl From<&Str> for Str {
    #[inline]
    fn from(text: &Str) -> Self {
        text.clone()
    }
}

/// Conversions to types that own a text.
macro_rules! into_text {
    ($($target:ty),*) => {$(
        impl From<Str> for $target {
            fn from(text: Str) -> Self {
                text.into_string().into()
            }
        }
    )*};
}

into_text!(
    Box<str>,
    Rc<str>,
    Vec<u8>,
    Cow<'_, str>,
    PathBuf,
    OsString,
    serde_json::Value,
    Box<dyn Error>,
    Box<dyn Error + Send + Sync>
);

impl From<Str> for String {
    fn from(text: Str) -> Self {
        text.into_string()
    }
}

impl From<&Str> for String {
    fn from(text: &Str) -> Self {
        text.as_str().to_owned()
    }
}

impl From<Str> for Arc<str> {
    fn from(text: Str) -> Self {
        text.as_str().into()
    }
}

impl<'a> From<&'a Str> for Cow<'a, str> {
    fn from(text: &'a Str) -> Self {
        Cow::Borrowed(text)
    }
}

impl FromStr for Str {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(text.into())
    }
}

/// Replaces the text with itself and another one: `name += "-canary"`.
impl AddAssign<&str> for Str {
    fn add_assign(&mut self, more: &str) {
        *self = format!("{self}{more}").into();
    }
}

/// Concatenates texts or characters.
macro_rules! from_iter {
    ($([$($generics:tt)*] $item:ty),*) => {$(
        impl<$($generics)*> FromIterator<$item> for Str {
            fn from_iter<I: IntoIterator<Item = $item>>(items: I) -> Self {
                items.into_iter().collect::<String>().into()
            }
        }
    )*};
}

from_iter!([] char, [] String, [] Str, ['a] &'a char, ['a] &'a str, ['a] &'a Str, ['a] Cow<'a, str>);

impl FromIterator<Str> for String {
    fn from_iter<I: IntoIterator<Item = Str>>(texts: I) -> Self {
        let mut all = Self::new();
        all.extend(texts);
        all
    }
}

impl<'a> FromIterator<&'a Str> for String {
    fn from_iter<I: IntoIterator<Item = &'a Str>>(texts: I) -> Self {
        let mut all = Self::new();
        all.extend(texts);
        all
    }
}

impl Extend<Str> for String {
    fn extend<I: IntoIterator<Item = Str>>(&mut self, texts: I) {
        texts.into_iter().for_each(|text| self.push_str(&text));
    }
}

impl<'a> Extend<&'a Str> for String {
    fn extend<I: IntoIterator<Item = &'a Str>>(&mut self, texts: I) {
        texts.into_iter().for_each(|text| self.push_str(text));
    }
}

impl Serialize for Str {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Str {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(StrVisitor)
    }
}

struct StrVisitor;

impl Visitor<'_> for StrVisitor {
    type Value = Str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Str, E> {
        Ok(text.into())
    }

    fn visit_string<E: serde::de::Error>(self, text: String) -> Result<Str, E> {
        Ok(text.into())
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Str, E> {
        let text = std::str::from_utf8(bytes);
        text.map(Str::from).map_err(|_| E::invalid_value(serde::de::Unexpected::Bytes(bytes), &self))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_is_as_large_as_a_string_and_an_option_is_free() {
        assert_eq!(size_of::<Str>(), size_of::<String>());
        assert_eq!(size_of::<Option<Str>>(), size_of::<Str>());
    }

    #[test]
    fn short_texts_are_stored_in_place_and_long_ones_are_shared() {
        let longest = Str::from("x".repeat(23));
        assert!(!longest.shares_with(&longest.clone()));
        assert_ne!(longest.as_ptr(), longest.clone().as_ptr());
        let long = Str::from("x".repeat(24));
        assert!(long.shares_with(&long.clone()));
        assert!(!long.shares_with(&Str::from(long.as_str())));
    }

    #[test]
    fn maps_are_looked_up_with_plain_texts() {
        let ordered = BTreeMap::from([(Str::from("b"), 1), (Str::from("a"), 2)]);
        assert_eq!(ordered.get("a"), Some(&2));
        let hashed: HashMap<Str, i32> = ordered.into_iter().collect();
        assert_eq!(hashed.get("b"), Some(&1));
    }

    #[test]
    fn texts_compare_with_all_types_of_text() {
        let text = Str::from("web");
        assert_eq!(text, *"web");
        assert_eq!(text, "web");
        assert_eq!("web", text);
        assert_eq!(text, "web".to_owned());
        assert_eq!("web".to_owned(), text);
        assert_eq!(text, Cow::Borrowed("web"));
        assert_eq!(Some(text).as_deref(), Some("web"));
    }

    #[test]
    fn texts_convert_from_and_to_all_types_of_text() {
        for long in [false, true] {
            let text = if long { "x".repeat(30) } else { "web".to_owned() };
            let from = [
                Str::from(&*text),
                Str::from(&text),
                Str::from(text.clone()),
                Str::from(text.clone().into_boxed_str()),
                Str::from(Arc::<str>::from(&*text)),
                Str::from(Cow::Borrowed(&*text)),
                text.parse().unwrap(),
                text.chars().collect(),
                [&*text].into_iter().collect(),
            ];
            for from in from {
                assert_eq!(from, text);
                assert_eq!(String::from(from.clone()), text);
                assert_eq!(*Arc::<str>::from(from.clone()), *text);
                assert_eq!(Vec::<u8>::from(from), text.as_bytes());
            }
        }
        assert_eq!(["a", "b"].map(Str::from).into_iter().collect::<String>(), "ab");
        assert_eq!(["a", "b"].map(Str::from).join("-"), "a-b");
        assert_eq!(
            format!("{:>4}|{:<4}|{:?}", Str::from("é"), Str::from("é"), Str::from("é")),
            "   é|é   |\"é\""
        );
    }

    proptest! {
        /// A text behaves as the `str` that it contains.
        #[test]
        fn a_text_is_its_str(one in ".{0,40}", other in ".{0,40}") {
            let (a, b) = (Str::from(&*one), Str::from(other.clone()));
            prop_assert_eq!(a.as_str(), &*one);
            prop_assert_eq!(a.clone().into_string(), one.clone());
            prop_assert_eq!(a.cmp(&b), one.cmp(&other));
            prop_assert_eq!(a == b, one == other);
            let hash = |value: &dyn Fn(&mut std::hash::DefaultHasher)| {
                let mut hasher = std::hash::DefaultHasher::new();
                value(&mut hasher);
                hasher.finish()
            };
            prop_assert_eq!(hash(&|hasher| a.hash(hasher)), hash(&|hasher| one.hash(hasher)));
            let json = serde_json::to_string(&a).unwrap();
            prop_assert_eq!(serde_json::from_str::<Str>(&json).unwrap(), a);
        }
    }
}
