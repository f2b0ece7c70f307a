//! JSON without a known type, stored as text.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use serde::de::DeserializeSeed;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::block::{Block, find};
use super::lexer::{Error, Kind, Lexer, Result};
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
        if !self.unchecked || plain_length(self.text.as_bytes()) == Some(self.text.len()) {
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
        lexer.peek()?;
        let start = lexer.offset();
        let rest = &lexer.input()[start..];
        if let Some(length) = plain_length(rest.as_bytes()) {
            lexer.pass_checked(length);
            return Ok(Raw::checked(&rest[..length]));
        }
        lexer.skip_finite()?;
        Ok(Raw::checked(compact(&lexer.input()[start..lexer.offset()])))
    }

    fn checked(text: impl Into<Str>) -> Raw {
        Raw { text: text.into(), unchecked: false }
    }

    /// Stores JSON that [`writer`] wrote.
    fn of_written(json: Vec<u8>) -> Raw {
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

/// The length of the JSON value that the bytes begin with, if the value is
/// plain: compact, ASCII, without numbers, and with only the escapes that JSON
/// requires. Nearly all values that servers write are plain. `None` means that
/// the value must be read in full: it may be valid or not.
///
/// This is a shortcut for `managedFields`, which are most of the JSON that is
/// stored as text, and half of many objects.
fn plain_length(bytes: &[u8]) -> Option<usize> {
    /// One level for each bit of `open`, except the bit that ends them.
    const DEEPEST: u64 = 1 << 62;
    let mut at = 0;
    // The open objects (1) and arrays (0), the innermost in the lowest bit.
    let mut open = 1_u64;
    // Whether a member's name must be next.
    let mut name = false;
    loop {
        match *bytes.get(at)? {
            b'"' => {
                at = plain_string_end(bytes, at + 1)?;
                if name {
                    if *bytes.get(at)? != b':' {
                        return None;
                    }
                    at += 1;
                    name = false;
                    continue;
                }
            }
            _ if name => return None,
            b'{' => {
                if *bytes.get(at + 1)? != b'}' {
                    if open >= DEEPEST {
                        return None;
                    }
                    open = open << 1 | 1;
                    at += 1;
                    name = true;
                    continue;
                }
                at += 2;
            }
            b'[' => {
                if *bytes.get(at + 1)? != b']' {
                    if open >= DEEPEST {
                        return None;
                    }
                    open <<= 1;
                    at += 1;
                    continue;
                }
                at += 2;
            }
            _ => {
                let rest = &bytes[at..];
                let word = ["true", "false", "null"].iter().find(|word| rest.starts_with(word.as_bytes()))?;
                at += word.len();
            }
        }
        loop {
            if open == 1 {
                return Some(at);
            }
            match (*bytes.get(at)?, open & 1) {
                (b',', object) => {
                    at += 1;
                    name = object == 1;
                    break;
                }
                (b'}', 1) | (b']', 0) => {
                    open >>= 1;
                    at += 1;
                }
                _ => return None,
            }
        }
    }
}

/// The offset of the end of the string whose text begins at `at`. An escaped
/// quote counts as plain: keys of lists in `managedFields` are JSON in JSON.
#[inline(always)]
fn plain_string_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at = find(bytes, at, Block::unusual);
        if *bytes.get(at)? == b'"' {
            return Some(at + 1);
        }
        if bytes[at] != b'\\' || !matches!(bytes.get(at + 1)?, b'"' | b'\\') {
            return None;
        }
        at += 2;
    }
}

/// JSON without the whitespace between its tokens, escaped as Go writes it.
fn compact(json: &str) -> Cow<'_, str> {
    let suspect = |b: u8| matches!(b, 0..=b' ' | b'<' | b'>' | b'&' | 0xE2);
    // Without an early exit, the compiler can check many bytes at a time.
    if !json.bytes().fold(false, |found, b| found | suspect(b)) {
        return json.into();
    }
    let mut out = Vec::with_capacity(json.len());
    let mut rest = json;
    while let Some(quote) = rest.find('"') {
        let (between, literal) = rest.split_at(quote);
        let (literal, after) = literal.split_at(literal_end(literal));
        out.extend(between.bytes().filter(|b| *b > b' '));
        writer::literal_for_html(&mut out, literal);
        rest = after;
    }
    out.extend(rest.bytes().filter(|b| *b > b' '));
    String::from_utf8(out).expect("whole characters of a text were copied").into()
}

/// The length of the string literal that the text begins with.
fn literal_end(text: &str) -> usize {
    let mut escaped = false;
    let closing = text.bytes().skip(1).position(|b| {
        let closes = b == b'"' && !escaped;
        escaped = b == b'\\' && !escaped;
        closes
    });
    closing.map_or(text.len(), |closing| closing + 2)
}

/// Reads the value at the cursor. Of members with the same name the last is used.
pub(crate) fn read_value(lexer: &mut Lexer<'_>) -> Result<Value> {
    Ok(match lexer.peek()? {
        Kind::Object => {
            let mut members = serde_json::Map::new();
            let mut more = lexer.enter_object()?;
            while more {
                let name = lexer.key()?.into_owned();
                members.insert(name, read_value(lexer)?);
                more = lexer.next_member()?;
            }
            Value::Object(members)
        }
        Kind::Array => {
            let mut elements = Vec::new();
            let mut more = lexer.enter_array()?;
            while more {
                elements.push(read_value(lexer)?);
                more = lexer.next_element()?;
            }
            Value::Array(elements)
        }
        Kind::String => Value::String(lexer.string()?.into_owned()),
        Kind::Number => {
            let start = lexer.clone();
            let text = lexer.number()?;
            if let Ok(integer) = text.parse::<i64>() {
                Value::from(integer)
            } else if let Ok(integer) = text.parse::<u64>() {
                Value::from(integer)
            } else {
                Value::from(start.clone().f64()?)
            }
        }
        Kind::Bool => Value::Bool(lexer.bool()?),
        Kind::Null => {
            lexer.null()?;
            Value::Null
        }
    })
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
