//! Values of expressions. Those of an object are read from its JSON through their shape, without a copy.

mod collections;

use std::cmp::Ordering;
use std::net::IpAddr;
use std::ops::Deref;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::cel::address::Cidr;
use crate::cel::library::formats::NamedFormat;
use crate::cel::quantity::Quantity;
use crate::cel::semver::Version;
use crate::cel::shape::Shape;
use crate::cel::time::Time;
use crate::cel::types::Type;
use crate::cel::url::Url;
use crate::duration;

pub(crate) use self::collections::{List, Made, Map};

#[derive(Clone, Debug, Default)]
pub(crate) enum Value<'a> {
    #[default]
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(Text<'a>),
    Bytes(Arc<[u8]>),
    Duration(i64),
    Timestamp(Time),
    Type(Type),
    List(List<'a>),
    Map(Map<'a>),
    Optional(Option<Arc<Value<'a>>>),
    Url(Arc<Url>),
    Ip(IpAddr),
    Cidr(Cidr),
    Quantity(Quantity),
    Semver(Arc<Version>),
    Format(&'static NamedFormat),
    /// A value without a schema.
    Kept(&'a Json),
}

/// A text of an object, or one that was made.
#[derive(Clone, Debug)]
pub(crate) enum Text<'a> {
    Json(&'a str),
    Made(Arc<str>),
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Json(text) => text,
            Self::Made(text) => text,
        }
    }
}

/// What is wrong. Errors of overloads have texts of their own.
pub(crate) type Wrong = String;

pub(crate) const NO_OVERLOAD: &str = "no such overload";

impl<'a> Value<'a> {
    pub(crate) fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(Text::Made(text.into()))
    }

    pub(crate) fn list(items: Vec<Self>) -> Self {
        Self::List(List::Made(Arc::new(items)))
    }

    pub(crate) fn texts<T: Into<Arc<str>>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::list(texts.into_iter().map(Self::text).collect())
    }

    pub(crate) fn some(value: Self) -> Self {
        Self::Optional(Some(Arc::new(value)))
    }

    /// The type at run time.
    pub(crate) fn ty(&self) -> Type {
        match self {
            Self::Null => Type::Null,
            Self::Bool(_) => Type::Bool,
            Self::Int(_) => Type::Int,
            Self::Uint(_) => Type::Uint,
            Self::Double(_) => Type::Double,
            Self::Text(_) => Type::String,
            Self::Bytes(_) => Type::Bytes,
            Self::Duration(_) => Type::Duration,
            Self::Timestamp(_) => Type::Timestamp,
            Self::Type(_) => Type::Meta(None),
            Self::List(_) => Type::list(Type::Dyn),
            Self::Map(_) => Type::map(Type::Dyn, Type::Dyn),
            Self::Optional(_) => Type::optional(Type::Dyn),
            Self::Url(_) => Type::Struct("kubernetes.URL".into()),
            Self::Ip(_) => Type::Opaque("net.IP"),
            Self::Cidr(_) => Type::Opaque("net.CIDR"),
            Self::Quantity(_) => Type::Struct("kubernetes.Quantity".into()),
            Self::Semver(_) => Type::Struct("kubernetes.Semver".into()),
            Self::Format(_) => Type::Struct("kubernetes.NamedFormat".into()),
            Self::Kept(_) => Type::Opaque("unknown"),
        }
    }

    /// The size by which costs are computed: 1 for what has none.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Optional(Some(value)) => value.size(),
            _ => self.own_size(),
        }
    }

    /// The same, where upstream does not look into optional values.
    pub(crate) fn own_size(&self) -> u64 {
        let size = match self {
            Self::Text(text) => text.chars().count(),
            Self::Bytes(bytes) => bytes.len(),
            Self::List(list) => list.len(),
            Self::Map(map) => map.len(),
            Self::Ip(ip) => return super::address::size(*ip),
            Self::Cidr(cidr) => return cidr.size(),
            _ => 1,
        };
        size as u64
    }

    /// A value of an object.
    pub(crate) fn of(json: &'a Json, shape: &'a Shape) -> Result<Self, Wrong> {
        use crate::cel::shape::ShapeKind as Kind;
        if json.is_null() {
            return match shape.nullable {
                true => Ok(Self::Null),
                false => Err("invalid data, got null for schema with nullable=false".to_owned()),
            };
        }
        let text =
            || json.as_str().ok_or_else(|| format!("invalid data, expected string, got {}", go_type(json)));
        Ok(match &shape.kind {
            Kind::IntOrString => match json {
                Json::String(text) => Self::Text(Text::Json(text)),
                Json::Number(number) if number.as_i64().is_some() => {
                    Self::Int(number.as_i64().unwrap_or_default())
                }
                _ => {
                    return Err("invalid data, expected XIntOrString value to be either a string or integer"
                        .to_owned());
                }
            },
            Kind::Object(_) | Kind::Map(_) => match json {
                Json::Object(members) => Self::Map(Map::Json { members, shape }),
                _ => {
                    return Err(
                        "invalid data, expected a map for the provided schema with type=object".to_owned()
                    );
                }
            },
            Kind::List(..) => match json {
                Json::Array(items) => Self::List(List::Json { items, shape }),
                _ => {
                    return Err(
                        "invalid data, expected an array for the provided schema with type=array".to_owned()
                    );
                }
            },
            Kind::String => Self::Text(Text::Json(text()?)),
            Kind::Duration => {
                let text = text()?;
                Self::Duration(
                    duration::of_format(text).ok_or_else(|| {
                        format!("Invalid duration {text}: unable to parse {text} as duration")
                    })?,
                )
            }
            Kind::Date => {
                let text = text()?;
                Self::Timestamp(
                    Time::of_date(text).ok_or_else(|| format!("Invalid date formatted string {text}"))?,
                )
            }
            Kind::DateTime => {
                let text = text()?;
                Self::Timestamp(
                    Time::of_date_time(text)
                        .ok_or_else(|| format!("Invalid date-time formatted string {text}"))?,
                )
            }
            Kind::Bytes => {
                let text = text()?;
                let bytes = base64(text).ok_or_else(|| format!("Invalid byte formatted string {text}"))?;
                Self::Bytes(bytes.into())
            }
            Kind::Double => match json.as_f64() {
                Some(number) => Self::Double(number),
                None => return Err(format!("invalid data, expected float, got {}", go_type(json))),
            },
            Kind::Int => match json.as_i64() {
                Some(number) => Self::Int(number),
                None => return Err(format!("invalid data, expected int, got {}", go_type(json))),
            },
            Kind::Bool => match json {
                Json::Bool(value) => Self::Bool(*value),
                _ => return Err(format!("invalid data, expected bool, got {}", go_type(json))),
            },
            Kind::Unknown => Self::Kept(json),
        })
    }

    /// Whether this is `0`, empty, or nothing.
    pub(crate) fn is_zero(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(value) => !value,
            Self::Int(number) => *number == 0,
            Self::Uint(number) => *number == 0,
            Self::Double(number) => *number == 0.0,
            Self::Text(text) => text.is_empty(),
            Self::Bytes(bytes) => bytes.is_empty(),
            Self::Duration(duration) => *duration == 0,
            Self::Timestamp(time) => time.is_zero(),
            // Upstream's values of objects do not say whether they are empty.
            Self::List(List::Made(items)) => items.is_empty(),
            Self::Map(Map::Made(made)) => made.entries.is_empty(),
            _ => false,
        }
    }

    /// The order of two values of types that have one.
    pub(crate) fn compare(&self, other: &Self) -> Result<Ordering, Wrong> {
        let nan = || "NaN values cannot be ordered".to_owned();
        Ok(match (self, other) {
            (Self::Bool(left), Self::Bool(right)) => left.cmp(right),
            (Self::Text(left), Self::Text(right)) => left.cmp(right),
            (Self::Bytes(left), Self::Bytes(right)) => left.cmp(right),
            (Self::Duration(left), Self::Duration(right)) => left.cmp(right),
            (Self::Timestamp(left), Self::Timestamp(right)) => left.order().cmp(&right.order()),
            (
                Self::Int(_) | Self::Uint(_) | Self::Double(_),
                Self::Int(_) | Self::Uint(_) | Self::Double(_),
            ) => numbers(self, other).ok_or_else(nan)?,
            _ => return Err(NO_OVERLOAD.to_owned()),
        })
    }

    /// What `%v` shows in errors about keys and indices.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Int(number) => number.to_string(),
            Self::Uint(number) => number.to_string(),
            Self::Double(number) => double_text(*number),
            Self::Text(text) => text.to_string(),
            Self::Type(ty) => ty.name().to_owned(),
            Self::Duration(nanoseconds) => duration::text(*nanoseconds),
            Self::Timestamp(time) => time.to_string(),
            other => other.ty().name().to_owned(),
        }
    }
}

/// The order of two numbers of whatever types, or `None` if one is not a number.
fn numbers(left: &Value<'_>, right: &Value<'_>) -> Option<Ordering> {
    let whole = |value: &Value<'_>| match value {
        Value::Int(number) => Some(i128::from(*number)),
        Value::Uint(number) => Some(i128::from(*number)),
        _ => None,
    };
    let float_and_whole = |float: f64, whole: i128| {
        if float.is_nan() {
            return None;
        }
        // Every whole number of 64 bits is between these.
        let (low, high) = (-1e20, 1e20);
        if float < low || float > high {
            return float.partial_cmp(&0.0);
        }
        let truncated = float.trunc() as i128;
        Some(truncated.cmp(&whole).then_with(|| float.fract().partial_cmp(&0.0).unwrap_or(Ordering::Equal)))
    };
    match (whole(left), whole(right), left, right) {
        (Some(left), Some(right), ..) => Some(left.cmp(&right)),
        (None, Some(whole), Value::Double(float), _) => float_and_whole(*float, whole),
        (Some(whole), None, _, Value::Double(float)) => float_and_whole(*float, whole).map(Ordering::reverse),
        (None, None, Value::Double(left), Value::Double(right)) => left.partial_cmp(right),
        _ => None,
    }
}

/// The name of the type that Go decodes JSON into.
pub(crate) fn go_type(json: &Json) -> &'static str {
    match json {
        Json::Null => "<nil>",
        Json::Bool(_) => "bool",
        Json::Number(number) if number.as_i64().is_some() => "int64",
        Json::Number(_) => "float64",
        Json::String(_) => "string",
        Json::Array(_) => "[]interface {}",
        Json::Object(_) => "map[string]interface {}",
    }
}

/// A number as `%g` of Go writes it.
pub(crate) fn double_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..21).contains(&exponent) {
        return number.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// Decodes base64.
fn base64(text: &str) -> Option<Vec<u8>> {
    let (mut out, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for b in text.bytes().filter(|b| !matches!(b, b'\n' | b'\r')) {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => break,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_across_types() {
        let compare = |left: Value<'_>, right: Value<'_>| left.compare(&right);
        assert_eq!(compare(Value::Int(1), Value::Double(1.5)), Ok(Ordering::Less));
        assert_eq!(compare(Value::Double(-1.5), Value::Int(-1)), Ok(Ordering::Less));
        assert_eq!(compare(Value::Uint(u64::MAX), Value::Int(-1)), Ok(Ordering::Greater));
        assert_eq!(
            compare(Value::Double(9007199254740993.0), Value::Int(9007199254740993)),
            Ok(Ordering::Less)
        );
        assert!(compare(Value::Double(f64::NAN), Value::Int(1)).is_err());
    }

    #[test]
    fn doubles_are_written_as_go_writes_them() {
        for (number, text) in
            [(1.0, "1"), (0.1, "0.1"), (1e21, "1e+21"), (1e20, "100000000000000000000"), (1e-5, "1e-05")]
        {
            assert_eq!(double_text(number), text);
        }
    }

    #[test]
    fn base64_is_decoded() {
        assert_eq!(base64("aGVsbG8=").as_deref(), Some(&b"hello"[..]));
        assert_eq!(base64("a*"), None);
    }
}
