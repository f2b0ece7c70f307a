//! A value in an object, however it is represented.

use std::any::Any;

use crate::reflect::{Literal, REST, Reflect, Scalar, Slot};
use crate::scalar::{MicroTime, Time};

/// A value in an object, or its absence. Reading what is not there finds nothing, as in Go's zero values: the functions
/// of cells need not check each step.
#[derive(Clone, Copy)]
pub enum Value<'a> {
    /// A value of an object.
    Slot(Slot<'a>),
    /// A value of JSON that an object embeds.
    Json(&'a serde_json::Value),
}

impl<'a> Value<'a> {
    /// Nothing.
    pub const ABSENT: Self = Self::Slot(Slot::Absent);

    /// An object.
    pub fn of(object: &'a dyn Reflect) -> Self {
        Self::Slot(Slot::Struct(object))
    }

    /// The field at a path such as `status.phase`, through objects and maps.
    pub fn get(self, path: &str) -> Self {
        path.split('.').fold(self, Self::member)
    }

    /// A field of an object, or the value at a key of a map.
    pub fn member(self, name: &str) -> Self {
        match self {
            Self::Slot(Slot::Struct(object)) => match object.field(name) {
                Some(slot) => Self::Slot(slot),
                // What a type does not have may be in the rest of the object.
                None => match object.field(REST) {
                    Some(Slot::Map(rest)) => Self::Slot(rest.get(name).unwrap_or(Slot::Absent)),
                    _ => Self::ABSENT,
                },
            },
            Self::Slot(Slot::Map(map)) => Self::Slot(map.get(name).unwrap_or(Slot::Absent)),
            Self::Slot(Slot::Union(union)) => Self::Slot(union.active()).member(name),
            Self::Json(json) => json.get(name).map_or(Self::ABSENT, Self::Json),
            Self::Slot(_) => Self::ABSENT,
        }
    }

    /// An item of a list.
    pub fn item(self, index: usize) -> Self {
        match self {
            Self::Slot(Slot::List(list)) if index < list.len() => Self::Slot(list.get(index)),
            Self::Json(json) => json.get(index).map_or(Self::ABSENT, Self::Json),
            Self::Slot(_) => Self::ABSENT,
        }
    }

    /// The number of items of a list or a map, or of bytes.
    pub fn len(self) -> usize {
        match self {
            Self::Slot(Slot::List(list)) => list.len(),
            Self::Slot(Slot::Map(map)) => map.len(),
            Self::Slot(Slot::Bytes(bytes)) => bytes.len(),
            Self::Json(serde_json::Value::Array(list)) => list.len(),
            Self::Json(serde_json::Value::Object(map)) => map.len(),
            _ => 0,
        }
    }

    /// Whether it is no list or map, or one without items.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The items of a list.
    pub fn items(self) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        let len = if self.is_list() { self.len() } else { 0 };
        (0..len).map(move |index| self.item(index))
    }

    /// The items of a map with their keys, in the order of the keys.
    pub fn entries(self) -> Vec<(&'a str, Self)> {
        let mut all = Vec::new();
        match self {
            Self::Slot(Slot::Map(map)) => map.visit(&mut |key, slot| all.push((key, Self::Slot(slot)))),
            Self::Json(serde_json::Value::Object(map)) => {
                all.extend(map.iter().map(|(key, value)| (key.as_str(), Self::Json(value))));
                all.sort_by_key(|(key, _)| *key);
            }
            _ => {}
        }
        all
    }

    /// Whether it is a list.
    pub fn is_list(self) -> bool {
        matches!(self, Self::Slot(Slot::List(_)) | Self::Json(serde_json::Value::Array(_)))
    }

    /// Whether there is a value.
    pub fn is_present(self) -> bool {
        !matches!(self, Self::Slot(Slot::Absent | Slot::Null) | Self::Json(serde_json::Value::Null))
    }

    /// A text; empty if it is none.
    pub fn text(self) -> &'a str {
        match self {
            Self::Slot(Slot::String(text)) => text.as_str(),
            Self::Json(serde_json::Value::String(text)) => text,
            _ => "",
        }
    }

    /// An integer; 0 if it is none.
    pub fn integer(self) -> i64 {
        match self {
            Self::Slot(Slot::Int32(value)) => value.into(),
            Self::Slot(Slot::Int64(value)) => value,
            Self::Json(json) => json.as_i64().unwrap_or_default(),
            Self::Slot(_) => 0,
        }
    }

    /// Whether it is `true`.
    pub fn is_true(self) -> bool {
        matches!(self, Self::Slot(Slot::Bool(true)) | Self::Json(serde_json::Value::Bool(true)))
    }

    /// A time; `None` if it is none.
    pub fn time(self) -> Option<Time> {
        match self {
            Self::Slot(Slot::Scalar(scalar)) => {
                let scalar = scalar as &dyn Any;
                let of_micro = || scalar.downcast_ref::<MicroTime>().map(|time| Time::from(time.0));
                scalar.downcast_ref::<Time>().copied().or_else(of_micro)
            }
            _ => self.text().parse().ok(),
        }
    }

    /// A text, a number, a boolean, or any other scalar, as text; empty if it is none of them.
    pub fn shown(self) -> String {
        match self {
            Self::Slot(Slot::Bool(value)) => value.to_string(),
            Self::Slot(Slot::Int32(_) | Slot::Int64(_)) => self.integer().to_string(),
            Self::Slot(Slot::Double(value)) => value.to_string(),
            Self::Slot(Slot::Scalar(scalar)) => shown(scalar),
            Self::Slot(Slot::Union(union)) => Self::Slot(union.active()).shown(),
            Self::Json(json @ (serde_json::Value::Bool(_) | serde_json::Value::Number(_))) => {
                json.to_string()
            }
            _ => self.text().to_owned(),
        }
    }
}

/// The text of a scalar.
fn shown(scalar: &dyn Scalar) -> String {
    let mut text = String::new();
    scalar.show(&mut |literal| {
        text = match literal {
            Literal::Text(text) | Literal::Number(text) => text.to_owned(),
            Literal::Integer(number) => number.to_string(),
            Literal::Unsigned(number) => number.to_string(),
            Literal::Float(number) => number.to_string(),
        }
    });
    text
}
