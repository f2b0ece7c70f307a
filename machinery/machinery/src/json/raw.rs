//! JSON without a known type, stored as text.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use hubgen_json::{compact, read_value};
use serde::de::DeserializeSeed;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::lexer::{Error, Lexer, Result};
use super::raw_seed::Text;
use super::writer;
use crate::Str;

/// Any JSON value, stored as text. Used for embedded objects and for free-form fields of custom
/// resources.
///
/// The text is compact and escaped as Go writes it. Members keep their order and numbers keep their
/// digits. Two values are equal when their texts are equal. The default is `null`, which is also the
/// value of an absent field.
///
/// A value that [`protobuf::decode`](crate::protobuf::decode) read is an exception: its text is stored as it came and
/// checked only when it is used as JSON, as upstream does. Most readers of protobuf never look at it.
#[derive(Default)]
pub struct Raw {
    /// Empty for `null`, so that the default allocates nothing.
    text: Str,
    /// Whether the text was not checked yet. It may be no JSON, or not compact.
    unchecked: bool,
}

impl Raw {
    /// The value `null`.
    pub const NULL: Self = Self { text: Str::new(), unchecked: false };

    /// Checks and stores one JSON document.
    ///
    /// # Errors
    /// When it is not JSON, or contains a number too large for a 64-bit float, which no reader
    /// could use.
    pub fn new(json: &[u8]) -> Result<Raw> {
        let mut lexer = Lexer::new(json)?;
        let raw = Raw::read(&mut lexer)?;
        lexer.finish()?;
        Ok(raw)
    }

    /// Stores a text that may be no JSON.
    pub(crate) fn unchecked(text: &str) -> Raw {
        if text == "null" { Raw::default() } else { Raw { text: text.into(), unchecked: true } }
    }

    /// Checks a text that was read from protobuf, and makes it compact.
    ///
    /// # Errors
    /// When it is not JSON. The value is then unchanged.
    pub fn check(&mut self) -> Result<()> {
        if self.unchecked {
            *self = Raw::new(self.text.as_bytes())?;
        }
        Ok(())
    }

    /// The compact JSON text.
    ///
    /// # Errors
    /// When the value was read from protobuf and is not JSON.
    pub fn to_json(&self) -> Result<Cow<'_, str>> {
        if !self.unchecked || compact::is_plain(&self.text) {
            return Ok(Cow::Borrowed(self.as_str()));
        }
        Raw::new(self.text.as_bytes()).map(|raw| Cow::Owned(raw.as_str().to_owned()))
    }

    /// Reads the value at the cursor.
    ///
    /// # Errors
    /// As [`Raw::new`].
    pub fn read(lexer: &mut Lexer<'_>) -> Result<Raw> {
        if lexer.take_null()? {
            return Ok(Raw::default());
        }
        Ok(Raw::checked(compact::read(lexer)?))
    }

    fn checked(text: impl Into<Str>) -> Raw {
        Raw { text: text.into(), unchecked: false }
    }

    /// Stores JSON that [`writer`] wrote.
    pub(crate) fn of_written(json: Vec<u8>) -> Raw {
        let text = String::from_utf8(json).expect("JSON is written from strings only");
        Raw::checked(if text == "null" { Str::new() } else { text.into() })
    }

    /// The text. It is compact JSON, unless the value was read from protobuf and not checked.
    pub fn as_str(&self) -> &str {
        if self.text.is_empty() { "null" } else { &self.text }
    }

    /// The compact JSON text, to share its allocation. Empty for `null`.
    pub(crate) fn text_mut(&mut self) -> &mut Str {
        &mut self.text
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        self.text.is_empty()
    }

    /// Parses the text. Of members with the same name the last is used. Integers that need more
    /// than 64 bits become floats.
    ///
    /// # Errors
    /// When the value was read from protobuf and is not JSON.
    pub fn to_value(&self) -> Result<Value> {
        read_value(&mut Lexer::over(&self.to_json()?))
    }
}

impl From<&Value> for Raw {
    fn from(value: &Value) -> Raw {
        let mut out = Vec::new();
        writer::value(&mut out, value);
        Raw::of_written(out)
    }
}

impl From<Value> for Raw {
    fn from(value: Value) -> Raw {
        Raw::from(&value)
    }
}

impl Clone for Raw {
    fn clone(&self) -> Raw {
        Raw { text: self.text.clone(), unchecked: self.unchecked }
    }
}

impl PartialEq for Raw {
    fn eq(&self, other: &Raw) -> bool {
        self.text == other.text
    }
}

impl Eq for Raw {}

impl Hash for Raw {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl FromStr for Raw {
    type Err = Error;

    fn from_str(json: &str) -> Result<Raw> {
        Raw::new(json.as_bytes())
    }
}

impl fmt::Display for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Raw({})", self.as_str())
    }
}

/// Serializes the value itself in human-readable formats, its JSON text in other formats.
impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            self.to_value().map_err(serde::ser::Error::custom)?.serialize(serializer)
        } else {
            serializer.serialize_str(self.as_str())
        }
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Raw, D::Error> {
        if deserializer.is_human_readable() {
            let mut out = Vec::with_capacity(128);
            Text(&mut out).deserialize(deserializer)?;
            Ok(Raw::of_written(out))
        } else {
            String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
        }
    }
}
