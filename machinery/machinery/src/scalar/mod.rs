//! Scalar types with their own text format: times, durations, quantities, int-or-strings.

mod duration;
mod int_or_string;
mod quantity;
mod time;

use std::fmt;

pub use duration::Duration;
pub use int_or_string::IntOrString;
pub use quantity::Quantity;
pub use time::{MicroTime, Time};

/// The error of a text that is not in its scalar's format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    expected: &'static str,
    found: String,
}

impl ParseError {
    #[cold]
    fn new(expected: &'static str, found: &str) -> ParseError {
        let found = match found.char_indices().nth(60) {
            None => found.to_owned(),
            Some((end, _)) => format!("{}…", &found[..end]),
        };
        ParseError { expected, found }
    }

    /// The expected format, with an example.
    pub fn expected(&self) -> &'static str {
        self.expected
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ParseError { expected, found } = self;
        write!(f, "expected {expected}, found `{}`", found.escape_debug())
    }
}

impl std::error::Error for ParseError {}

/// Implements serde for a scalar that is its text in every format.
macro_rules! serde_as_text {
    ($name:ident) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
use serde_as_text;
