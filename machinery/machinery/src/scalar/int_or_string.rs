//! A number or a string: ports by number or name, counts or percentages.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use crate::Str;
use serde::de::{Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A 32-bit integer or a string. In JSON it is a number or a string.
///
/// Schemas with `x-kubernetes-int-or-string` allow larger integers, which are refused here, as by upstream's type: what
/// Kubernetes makes of such a number, a port or a count, has 32 bits as well, and so has its field in protobuf. Limits
/// of the field (`minimum`, `maximum`) let an API server refuse them, too.
///
/// ```
/// use hubgen_machinery::scalar::IntOrString;
///
/// let ports: Vec<IntOrString> = serde_json::from_str(r#"[80, "https"]"#).unwrap();
/// assert_eq!(ports, [IntOrString::Int(80), IntOrString::String("https".into())]);
/// ```
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IntOrString {
    /// `80`
    Int(i32),
    /// `"http"`, `"25%"`
    String(Str),
}

impl Default for IntOrString {
    fn default() -> IntOrString {
        IntOrString::Int(0)
    }
}

impl Clone for IntOrString {
    fn clone(&self) -> IntOrString {
        match self {
            IntOrString::Int(number) => IntOrString::Int(*number),
            IntOrString::String(text) => IntOrString::String(text.clone()),
        }
    }

    fn clone_from(&mut self, source: &IntOrString) {
        match (self, source) {
            (IntOrString::String(target), IntOrString::String(source)) => target.clone_from(source),
            (target, source) => *target = source.clone(),
        }
    }
}

impl From<i32> for IntOrString {
    fn from(value: i32) -> IntOrString {
        IntOrString::Int(value)
    }
}

impl From<Str> for IntOrString {
    fn from(text: Str) -> IntOrString {
        IntOrString::String(text)
    }
}

impl From<String> for IntOrString {
    fn from(text: String) -> IntOrString {
        IntOrString::String(text.into())
    }
}

impl From<&str> for IntOrString {
    fn from(text: &str) -> IntOrString {
        IntOrString::String(text.into())
    }
}

/// Parses a text that is a 32-bit integer as an integer, for command lines and annotations. (A JSON
/// string is always a string, even if it contains digits only.)
impl FromStr for IntOrString {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<IntOrString, Infallible> {
        Ok(text.parse().map_or_else(|_| IntOrString::from(text), IntOrString::Int))
    }
}

impl fmt::Display for IntOrString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IntOrString::Int(value) => value.fmt(f),
            IntOrString::String(text) => text.fmt(f),
        }
    }
}

/// The representation in formats that are not self-describing.
#[derive(Serialize, Deserialize)]
enum Tagged<T> {
    Int(i32),
    String(T),
}

impl Serialize for IntOrString {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let readable = serializer.is_human_readable();
        match self {
            IntOrString::Int(value) if readable => serializer.serialize_i32(*value),
            IntOrString::String(text) if readable => serializer.serialize_str(text),
            IntOrString::Int(value) => Tagged::<&str>::Int(*value).serialize(serializer),
            IntOrString::String(text) => Tagged::String(text.as_str()).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for IntOrString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<IntOrString, D::Error> {
        if deserializer.is_human_readable() {
            return deserializer.deserialize_any(IntOrStringVisitor);
        }
        Ok(match Tagged::<Str>::deserialize(deserializer)? {
            Tagged::Int(value) => IntOrString::Int(value),
            Tagged::String(text) => IntOrString::String(text),
        })
    }
}

struct IntOrStringVisitor;

impl Visitor<'_> for IntOrStringVisitor {
    type Value = IntOrString;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a 32-bit integer or a string")
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<IntOrString, E> {
        i32::try_from(value)
            .map(IntOrString::Int)
            .map_err(|_| E::invalid_value(Unexpected::Signed(value), &self))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<IntOrString, E> {
        i32::try_from(value)
            .map(IntOrString::Int)
            .map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<IntOrString, E> {
        Ok(IntOrString::from(text))
    }

    fn visit_string<E: serde::de::Error>(self, text: String) -> Result<IntOrString, E> {
        Ok(IntOrString::from(text))
    }
}
