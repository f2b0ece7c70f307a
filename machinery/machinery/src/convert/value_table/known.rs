//! Values of the fields of a table.

use std::collections::BTreeMap;
use std::fmt;

use crate::Str;
use crate::convert::parameters::{Plain, PlainType};
use crate::json::{Raw, writer};

/// A value; `None` if the field has none, or an empty text or list, or cannot be absent and is zero.
pub(super) type Value = Option<Known>;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Known {
    Bool(bool),
    Integer(i64),
    Text(Str),
    List(Vec<Self>),
    /// Other JSON: an object, or a number that is no whole one of 64 bits.
    Json(Raw),
}

/// What the names of a row have.
pub(super) type Bound = BTreeMap<String, Known>;

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(json(self).as_str())
    }
}

impl Known {
    /// Whether both are the same, where a number may be a text.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::List(one), Self::List(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_like(other))
            }
            (Self::List(_) | Self::Json(_), _) | (_, Self::List(_) | Self::Json(_)) => self == other,
            _ => self.text() == other.text(),
        }
    }

    /// What a single value is as a part of a text.
    pub(super) fn text(&self) -> Option<Str> {
        match self {
            Self::Bool(value) => Some(if *value { "true".into() } else { "false".into() }),
            Self::Integer(value) => Some(value.to_string().into()),
            Self::Text(text) => Some(text.clone()),
            Self::List(_) | Self::Json(_) => None,
        }
    }

    /// The value of a type that this one stands for.
    pub(super) fn of_type(&self, ty: PlainType) -> Option<Self> {
        Some(match (ty, self) {
            (PlainType::Optional(inner), _) => self.of_type(*inner)?,
            (PlainType::Json, _) => self.clone(),
            (PlainType::List(inner), Self::List(items)) => {
                Self::List(items.iter().map(|item| item.of_type(*inner)).collect::<Option<_>>()?)
            }
            (PlainType::Bool, _) => Self::Bool(self.text()?.parse().ok()?),
            (PlainType::Int32, _) => Self::Integer(self.text()?.parse::<i32>().ok()?.into()),
            (PlainType::Int64, _) => Self::Integer(self.text()?.parse().ok()?),
            (PlainType::Text, _) => Self::Text(self.text()?),
            _ => return None,
        })
    }
}

/// A value of a field; `None` if it has another type than those of tables.
pub(super) fn read(plain: Plain) -> Option<Value> {
    Some(match plain {
        Plain::Optional(None) | Plain::Bool(false) | Plain::Int32(0) | Plain::Int64(0) => None,
        Plain::Optional(Some(value)) => present(*value)?,
        value => present(value)?,
    })
}

/// A value that is there; `None` if it has another type, and no value if it is empty.
fn present(plain: Plain) -> Option<Value> {
    let known = item(plain)?;
    let is_empty = match &known {
        Known::Text(text) => text.is_empty(),
        Known::List(items) => items.is_empty(),
        Known::Json(json) => json.is_null(),
        Known::Bool(_) | Known::Integer(_) => false,
    };
    Some((!is_empty).then_some(known))
}

/// A value that may be an item of a list, and empty there.
fn item(plain: Plain) -> Option<Known> {
    Some(match plain {
        Plain::Bool(value) => Known::Bool(value),
        Plain::Int32(value) => Known::Integer(value.into()),
        Plain::Int64(value) => Known::Integer(value),
        Plain::Text(text) => Known::Text(text),
        Plain::List(items) => Known::List(items.into_iter().map(item).collect::<Option<_>>()?),
        Plain::Json(json) => of_json(json),
        _ => return None,
    })
}

fn of_json(json: Raw) -> Known {
    match json.to_value() {
        Ok(value) => of_value(&value),
        // It is kept as it is: whatever uses it as JSON refuses it.
        Err(_) => Known::Json(json),
    }
}

fn of_value(value: &serde_json::Value) -> Known {
    match value {
        serde_json::Value::Bool(value) => Known::Bool(*value),
        serde_json::Value::String(text) => Known::Text(text.as_str().into()),
        serde_json::Value::Array(items) => Known::List(items.iter().map(of_value).collect()),
        value => value.as_i64().map_or_else(|| Known::Json(value.into()), Known::Integer),
    }
}

/// A value for a field of a type.
pub(super) fn plain(value: Value, ty: PlainType) -> Plain {
    match (ty, value) {
        (PlainType::Optional(_), None) => Plain::Optional(None),
        (PlainType::Optional(inner), value) => Plain::Optional(Some(Box::new(plain(value, *inner)))),
        (PlainType::Bool, value) => Plain::Bool(value == Some(Known::Bool(true))),
        (PlainType::Int32, Some(Known::Integer(value))) => {
            Plain::Int32(i32::try_from(value).unwrap_or_default())
        }
        (PlainType::Int32, _) => Plain::Int32(0),
        (PlainType::Int64, Some(Known::Integer(value))) => Plain::Int64(value),
        (PlainType::Int64, _) => Plain::Int64(0),
        (PlainType::List(inner), Some(Known::List(items))) => {
            Plain::List(items.into_iter().map(|item| plain(Some(item), *inner)).collect())
        }
        (PlainType::List(_), _) => Plain::List(Vec::new()),
        (PlainType::Json, value) => Plain::Json(value.as_ref().map(json).unwrap_or_default()),
        (_, Some(Known::Text(text))) => Plain::Text(text),
        (_, _) => Plain::Text(Str::new()),
    }
}

fn json(known: &Known) -> Raw {
    let mut out = Vec::new();
    append(&mut out, known);
    Raw::of_written(out)
}

fn append(out: &mut Vec<u8>, known: &Known) {
    match known {
        Known::Bool(value) => writer::bool(out, *value),
        Known::Integer(value) => writer::integer(out, *value),
        Known::Text(text) => writer::string(out, text),
        Known::List(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                append(out, item);
            }
            out.push(b']');
        }
        Known::Json(json) => out.extend_from_slice(json.as_str().as_bytes()),
    }
}
