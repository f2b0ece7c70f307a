//! Values of the fields of a table.

use std::collections::BTreeMap;
use std::fmt;

use crate::Str;
use crate::convert::parameters::{Plain, PlainType};
use crate::json::{self, Raw, writer};

/// A value; `None` if the field has none, or cannot be absent and is empty.
pub(super) type Value = Option<Known>;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Known {
    Bool(bool),
    Integer(i64),
    Text(Str),
    List(Vec<Self>),
    /// An object or a map.
    Object(BTreeMap<String, Self>),
    /// Other JSON: `null` in a list, or a number that is no whole one of 64 bits.
    Json(Raw),
}

/// What a name of a row has.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) known: Known,
    /// Whether JSON of any form has it: then a number is no text, which would come back as one.
    pub(super) is_exact: bool,
}

impl Named {
    /// No value, in all cells with the name.
    pub(super) const NOTHING: Self = Self { known: Known::Json(Raw::NULL), is_exact: false };
}

/// What the names of a row have.
pub(super) type Bound = BTreeMap<String, Named>;

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(to_json(self).as_str())
    }
}

impl Known {
    /// Whether it is an empty text or list, which is no value unless a row is about it.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::List(items) => items.is_empty(),
            Self::Json(json) => json.is_null(),
            Self::Bool(_) | Self::Integer(_) | Self::Object(_) => false,
        }
    }

    /// Whether both are the same, where a number may be a text.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::List(one), Self::List(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_like(other))
            }
            (one, other) => match (one.text(), other.text()) {
                (Some(one), Some(other)) => one == other,
                _ => one == other,
            },
        }
    }

    /// Whether it is `null`, which is no value.
    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Json(json) if json.is_null())
    }

    /// The text that it is.
    pub(super) fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// What a single value is as a part of a text.
    pub(super) fn text(&self) -> Option<Str> {
        match self {
            Self::Bool(value) => Some(if *value { "true".into() } else { "false".into() }),
            Self::Integer(value) => Some(value.to_string().into()),
            Self::Text(text) => Some(text.clone()),
            Self::List(_) | Self::Object(_) | Self::Json(_) => None,
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

    /// Whether it is a value of a type as it is.
    pub(super) fn is_of(&self, ty: PlainType) -> bool {
        match (ty, self) {
            (PlainType::Optional(inner), _) => self.is_of(*inner),
            (PlainType::List(inner), Self::List(items)) => items.iter().all(|item| item.is_of(*inner)),
            (PlainType::Json, _)
            | (PlainType::Bool, Self::Bool(_))
            | (PlainType::Int32 | PlainType::Int64, Self::Integer(_))
            | (PlainType::Text, Self::Text(_)) => true,
            _ => false,
        }
    }
}

/// A value of a field; `None` if it has another type than those of tables.
pub(super) fn read(plain: Plain) -> Option<Value> {
    Some(match plain {
        Plain::Optional(None) | Plain::Bool(false) | Plain::Int32(0) | Plain::Int64(0) => None,
        Plain::Text(text) if text.is_empty() => None,
        Plain::List(items) if items.is_empty() => None,
        Plain::Map(entries) if entries.is_empty() => None,
        Plain::Optional(Some(value)) => there(item(*value)?),
        value => there(item(value)?),
    })
}

/// A value, which `null` is not.
pub(super) fn there(known: Known) -> Value {
    Some(known).filter(|known| !known.is_null())
}

/// A value that may be an item of a list, and empty there.
fn item(plain: Plain) -> Option<Known> {
    Some(match plain {
        Plain::Bool(value) => Known::Bool(value),
        Plain::Int32(value) => Known::Integer(value.into()),
        Plain::Int64(value) => Known::Integer(value),
        Plain::Text(text) => Known::Text(text),
        Plain::List(items) => Known::List(items.into_iter().map(item).collect::<Option<_>>()?),
        Plain::Map(entries) => {
            let entry = |(name, value): (Str, Plain)| Some((name.to_string(), item(value)?));
            Known::Object(entries.into_iter().map(entry).collect::<Option<_>>()?)
        }
        Plain::Struct(object) => of_json(Raw::of_written(json::encode(&*object).ok()?)),
        Plain::Json(json) => of_json(json),
        _ => return None,
    })
}

/// What JSON is.
pub(super) fn of_json(json: Raw) -> Known {
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
        serde_json::Value::Object(members) => {
            Known::Object(members.iter().map(|(name, value)| (name.clone(), of_value(value))).collect())
        }
        value => value.as_i64().map_or_else(|| Known::Json(value.into()), Known::Integer),
    }
}

/// A value for a field of a type; `None` if it is none of that type.
pub(super) fn plain(value: Value, ty: PlainType) -> Option<Plain> {
    Some(match (ty, value) {
        (PlainType::Optional(_), None) => Plain::Optional(None),
        (PlainType::Optional(inner), value) => Plain::Optional(Some(Box::new(plain(value, *inner)?))),
        (PlainType::Bool, value) => Plain::Bool(value == Some(Known::Bool(true))),
        (PlainType::Int32, Some(Known::Integer(value))) => {
            Plain::Int32(i32::try_from(value).unwrap_or_default())
        }
        (PlainType::Int32, _) => Plain::Int32(0),
        (PlainType::Int64, Some(Known::Integer(value))) => Plain::Int64(value),
        (PlainType::Int64, _) => Plain::Int64(0),
        (PlainType::List(inner), Some(Known::List(items))) => {
            Plain::List(items.into_iter().map(|item| plain(Some(item), *inner)).collect::<Option<_>>()?)
        }
        (PlainType::List(_), _) => Plain::List(Vec::new()),
        (PlainType::Map(inner), Some(Known::Object(entries))) => {
            let entry =
                |(name, value): (String, Known)| Some((Str::from(name), plain(there(value), *inner)?));
            Plain::Map(entries.into_iter().map(entry).collect::<Option<_>>()?)
        }
        (PlainType::Map(_), _) => Plain::Map(crate::StrMap::new()),
        (PlainType::Struct(of), value) => {
            let mut object = of.new_object();
            if let Some(known) = value {
                json::decode_into(to_json(&known).as_str().as_bytes(), &mut *object).ok()?;
            }
            Plain::Struct(object)
        }
        (PlainType::Json, value) => Plain::Json(value.as_ref().map(to_json).unwrap_or_default()),
        (_, Some(Known::Text(text))) => Plain::Text(text),
        (_, _) => Plain::Text(Str::new()),
    })
}

/// A value as JSON.
fn to_json(known: &Known) -> Raw {
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
        Known::Object(members) => {
            out.push(b'{');
            for (index, (name, member)) in members.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                writer::string(out, name);
                out.push(b':');
                append(out, member);
            }
            out.push(b'}');
        }
        Known::Json(json) => out.extend_from_slice(json.as_str().as_bytes()),
    }
}
