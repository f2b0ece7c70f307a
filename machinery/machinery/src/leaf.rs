//! Leaves: types of other crates that are texts in JSON.

use std::cmp::Ordering;
use std::fmt::{self, Display};
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use crate::Str;
use crate::reflect::{Literal, Type, Value};

/// A text, and the value of a foreign type that it represents: what a type with `#[leaf(…)]` contains.
///
/// The text stays as it came, also where the foreign type would write another one: `https://example.com` does not
/// become `https://example.com/`. Only [`set`](Self::set) replaces it. Equality, order and hash are those of the text.
///
/// The empty text has no value, like a field that nobody has set. Decoding refuses all other texts that the foreign
/// type does not accept, with the path of the field. With `other` in `#[leaf(…)]`, they are kept, and have no value
/// either: for fields that may contain any text in another version of the kind.
///
/// # Examples
///
/// ```
/// use std::net::IpAddr;
///
/// use hubgen_machinery::{ApiType, Leaf, json};
///
/// #[derive(ApiType)]
/// #[leaf(text, max_length = 45, expects = "an IP address", examples("2001:db8::1", "10.0.0.1"))]
/// pub struct Address(Leaf<IpAddr>);
///
/// #[derive(ApiType)]
/// struct Endpoint {
///     address: Address,
/// }
///
/// let mut endpoint: Endpoint = json::decode(br#"{"address": "2001:DB8::1"}"#).unwrap();
/// assert_eq!(endpoint.address.get(), Some(&"2001:db8::1".parse::<IpAddr>().unwrap()));
/// assert_eq!(json::encode(&endpoint).unwrap(), br#"{"address":"2001:DB8::1"}"#);
///
/// endpoint.address = IpAddr::from([127, 0, 0, 1]).into();
/// assert_eq!(endpoint.address.as_str(), "127.0.0.1");
///
/// let error = json::decode::<Endpoint>(br#"{"address": "localhost"}"#).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 1, column 13, address: expected an IP address, found \"localhost\": invalid IP address syntax"
/// );
/// ```
#[derive(Clone)]
pub struct Leaf<T> {
    text: Str,
    value: Option<T>,
}

impl<T> Leaf<T> {
    /// The empty text.
    pub const EMPTY: Self = Self { text: Str::new(), value: None };

    /// The text, as JSON contains it.
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text as [`Str`], which shares its allocation.
    #[inline]
    pub fn as_text(&self) -> &Str {
        &self.text
    }

    /// The text as [`Str`].
    #[inline]
    pub fn into_text(self) -> Str {
        self.text
    }

    /// The value; `None` if the text is empty, or if the foreign type does not accept it.
    #[inline]
    pub fn get(&self) -> Option<&T> {
        self.value.as_ref()
    }

    /// Whether the text is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

impl<T: FromStr> Leaf<T> {
    /// A leaf with any text, which need not represent a value.
    pub fn of_text(text: Str) -> Self {
        let value = if text.is_empty() { None } else { text.parse().ok() };
        Self { text, value }
    }
}

impl<T: Display> Leaf<T> {
    /// Replaces the value, and the text by that of the value.
    pub fn set(&mut self, value: T) {
        *self = value.into();
    }
}

/// The text is what `Display` writes.
impl<T: Display> From<T> for Leaf<T> {
    fn from(value: T) -> Self {
        Self { text: value.to_string().into(), value: Some(value) }
    }
}

impl<T> Default for Leaf<T> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<T> PartialEq for Leaf<T> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl<T> Eq for Leaf<T> {}

impl<T> PartialOrd for Leaf<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Leaf<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}

impl<T> Hash for Leaf<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl<T> Display for Leaf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl<T> fmt::Debug for Leaf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.text, f)
    }
}

/// Why a foreign type does not accept a text, for derived code; `None` if it does, and for the empty text.
#[doc(hidden)]
pub fn refusal<T: FromStr<Err: Display>>(text: &str, expects: &str) -> Option<String> {
    if text.is_empty() {
        return None;
    }
    let error = text.parse::<T>().err()?;
    let found = &text[..text.floor_char_boundary(SHOWN)];
    let dots = if found.len() < text.len() { "…" } else { "" };
    Some(format!("expected {expects}, found {found:?}{dots}: {error}"))
}

/// The text of a literal, unless the leaf refuses it, for derived code.
///
/// # Errors
/// If it does: what was expected, and what was found.
#[doc(hidden)]
pub fn accepted<T: Value>(literal: Literal<'_>) -> Result<&str, String> {
    let Type::Leaf(leaf) = T::TYPE else { unreachable!("the type of a leaf is a leaf") };
    let Literal::Text(text) = literal else {
        return Err(format!("expected {}, found a number", leaf.expects));
    };
    (leaf.refusal)(text).map_or(Ok(text), Err)
}

/// How many bytes of a text errors show.
const SHOWN: usize = 80;
