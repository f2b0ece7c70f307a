//! What the cells of a column show.

use super::cell::Cell;
use super::value::Value;
use super::{age, path};
use crate::reflect::{Literal, Ref, Slot, Text, Words};
use crate::scalar::Time;

/// A function that makes a cell of a value in an object, at a time.
pub type CellFunction = fn(Value<'_>, Time) -> Cell;

/// What a cell shows.
pub enum Show {
    /// A value.
    Value(ValueAt),
    /// A text with values in it.
    Text(Ref<[TextPart]>),
    /// All values at a path, with a comma between them.
    Joined {
        /// The path.
        path: Text,
        /// What is shown without a value.
        or: Text,
        /// Whether an empty text is no value.
        empty_is_none: bool,
    },
    /// The number of items of the lists and maps at these paths together.
    Count(Words),
    /// How long ago the time at a path was.
    Age {
        /// The path.
        path: Text,
        /// What is shown without a time.
        or: Text,
    },
    /// What a function makes of the value at a path; of the object, if the path is empty.
    Function {
        /// The function.
        function: CellFunction,
        /// The path.
        path: Text,
    },
    /// The first value at the path of a definition's column, if it fits the type of the column.
    Defined {
        /// The path.
        path: Text,
        /// The type of the column.
        ty: Text,
    },
}

/// A value at a path.
pub struct ValueAt {
    /// The path.
    pub path: Text,
    /// What is shown without a value.
    pub or: Or,
    /// Whether an empty text is no value.
    pub empty_is_none: bool,
}

/// What is shown without a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Or {
    /// A text.
    Text(Text),
    /// An integer.
    Integer(i64),
    /// A boolean.
    Bool(bool),
}

/// A value in a text.
pub struct TextPart {
    /// What is between the value before and this one.
    pub before: Text,
    /// The value; `None` after the last one.
    pub value: Option<ValueAt>,
}

impl ValueAt {
    /// A value of a static table.
    pub const fn fixed(path: &'static str, or: Or, empty_is_none: bool) -> Self {
        Self { path: Text::Static(path), or, empty_is_none }
    }

    fn cell(&self, object: Value<'_>) -> Cell {
        let mut found = None;
        path::each(object, &self.path, &mut |value| {
            if found.is_none() && value.is_present() {
                found = Some(as_it_is(value));
            }
        });
        match found {
            Some(Cell::Text(text)) if self.empty_is_none && text.is_empty() => self.or.cell(),
            Some(cell) => cell,
            None => self.or.cell(),
        }
    }
}

impl Or {
    fn cell(&self) -> Cell {
        match self {
            Self::Text(text) => Cell::text(&**text),
            Self::Integer(value) => Cell::Integer(*value),
            Self::Bool(value) => Cell::Bool(*value),
        }
    }
}

impl Show {
    /// A text of a static table, which is empty if it is absent.
    pub const fn text_at(path: &'static str) -> Self {
        Self::Value(ValueAt::fixed(path, Or::Text(Text::Static("")), false))
    }

    /// An age of a static table.
    pub const fn age_at(path: &'static str, or: &'static str) -> Self {
        Self::Age { path: Text::Static(path), or: Text::Static(or) }
    }

    /// What a function of a static table makes of a value.
    pub const fn of(function: CellFunction, path: &'static str) -> Self {
        Self::Function { function, path: Text::Static(path) }
    }

    /// The cell of an object.
    pub fn cell(&self, object: Value<'_>, now: Time) -> Cell {
        match self {
            Self::Value(value) => value.cell(object),
            Self::Text(parts) => {
                let mut out = String::new();
                for TextPart { before, value } in parts.iter() {
                    out.push_str(before);
                    match value.as_ref().map(|value| value.cell(object)) {
                        Some(Cell::Text(text)) => out.push_str(&text),
                        Some(Cell::Integer(number)) => out.push_str(&number.to_string()),
                        Some(Cell::Bool(value)) => out.push_str(&value.to_string()),
                        Some(Cell::Number(_) | Cell::Null) | None => {}
                    }
                }
                Cell::Text(out)
            }
            Self::Joined { path, or, empty_is_none } => {
                let mut all = Vec::new();
                path::each(object, path, &mut |value| all.push(value.shown()));
                let joined = all.join(",");
                let is_none = all.is_empty() || (*empty_is_none && joined.is_empty());
                Cell::Text(if is_none { or.to_string() } else { joined })
            }
            Self::Count(paths) => {
                let mut count = 0;
                for path in paths.iter() {
                    path::each(object, path, &mut |value| count += value.len());
                }
                Cell::Integer(i64::try_from(count).unwrap_or(i64::MAX))
            }
            Self::Age { path, or } => {
                let mut since = None;
                path::each(object, path, &mut |value| since = since.or(value.time()));
                Cell::Text(since.map_or_else(|| or.to_string(), |since| age(since, now)))
            }
            Self::Function { function, path } if path.is_empty() => function(object, now),
            Self::Function { function, path } => {
                let mut cell = None;
                path::each(object, path, &mut |value| {
                    cell.get_or_insert_with(|| function(value, now));
                });
                cell.unwrap_or_else(|| function(Value::ABSENT, now))
            }
            Self::Defined { path, ty } => {
                let mut cell = None;
                path::each(object, path, &mut |value| {
                    cell.get_or_insert_with(|| defined(value, ty, now));
                });
                cell.unwrap_or(Cell::Null)
            }
        }
    }
}

/// A scalar as a cell: numbers and booleans as they are, all others as text.
fn as_it_is(value: Value<'_>) -> Cell {
    match value {
        Value::Slot(Slot::Bool(value)) => Cell::Bool(value),
        Value::Slot(Slot::Int32(_) | Slot::Int64(_)) => Cell::Integer(value.integer()),
        Value::Slot(Slot::Double(value)) => Cell::Number(value),
        other => Cell::Text(other.shown()),
    }
}

/// A value as a definition's column of this type shows it. As upstream, a column of texts shows any value, and all others
/// only those of their type.
fn defined(value: Value<'_>, ty: &str, now: Time) -> Cell {
    if let Value::Slot(Slot::Union(union)) = value {
        return defined(Value::Slot(union.active()), ty, now);
    }
    if !value.is_present() {
        return Cell::Null;
    }
    match ty {
        "string" => match value.composite() {
            Some(json) => Cell::Text(json),
            None => Cell::Text(value.shown()),
        },
        "integer" => match value.number() {
            Some(Number::Integer(number)) => Cell::Integer(number),
            Some(Number::Float(number)) => Cell::Integer(number as i64),
            None => Cell::Null,
        },
        "number" => match value.number() {
            Some(Number::Integer(number)) => Cell::Number(number as f64),
            Some(Number::Float(number)) => Cell::Number(number),
            None => Cell::Null,
        },
        "boolean" => match value {
            Value::Slot(Slot::Bool(value)) | Value::Json(&serde_json::Value::Bool(value)) => {
                Cell::Bool(value)
            }
            _ => Cell::Null,
        },
        "date" => match value {
            Value::Slot(Slot::String(_) | Slot::Scalar(_)) | Value::Json(serde_json::Value::String(_)) => {
                let time = value.time();
                Cell::Text(time.map_or_else(|| "<invalid>".to_owned(), |time| age(time, now)))
            }
            _ => Cell::Null,
        },
        _ => Cell::Null,
    }
}

/// A number of JSON.
enum Number {
    Integer(i64),
    Float(f64),
}

impl Value<'_> {
    fn number(self) -> Option<Number> {
        match self {
            Self::Slot(Slot::Int32(_) | Slot::Int64(_)) => Some(Number::Integer(self.integer())),
            Self::Slot(Slot::Double(value)) => Some(Number::Float(value)),
            Self::Slot(Slot::Scalar(scalar)) => {
                let mut found = None;
                scalar.show(&mut |literal| {
                    found = match literal {
                        Literal::Integer(number) => Some(Number::Integer(number)),
                        Literal::Unsigned(number) => Some(Number::Float(number as f64)),
                        Literal::Float(number) => Some(Number::Float(number.into())),
                        Literal::Number(text) => text.parse().ok().map(Number::Float),
                        Literal::Text(_) => None,
                    };
                });
                found
            }
            Self::Json(serde_json::Value::Number(number)) => {
                number.as_i64().map(Number::Integer).or_else(|| number.as_f64().map(Number::Float))
            }
            _ => None,
        }
    }

    /// The JSON of an object, a list or a map.
    fn composite(self) -> Option<String> {
        let json = self.json();
        // As Go writes it.
        (json.is_object() || json.is_array()).then(|| crate::json::Raw::from(json).as_str().to_owned())
    }

    /// The value as JSON.
    fn json(self) -> serde_json::Value {
        use serde_json::Value as Json;
        match self {
            Self::Json(json) => json.clone(),
            Self::Slot(Slot::List(_)) => self.items().map(Self::json).collect(),
            Self::Slot(Slot::Map(_)) => Json::Object(
                self.entries().into_iter().map(|(key, value)| (key.to_owned(), value.json())).collect(),
            ),
            Self::Slot(Slot::Struct(object)) => {
                let text = crate::json::encode(object).unwrap_or_default();
                serde_json::from_slice(&text).unwrap_or_default()
            }
            Self::Slot(Slot::Raw(raw)) => raw.to_value().unwrap_or_default(),
            Self::Slot(Slot::Union(union)) => Value::Slot(union.active()).json(),
            Self::Slot(Slot::Bool(value)) => Json::Bool(value),
            Self::Slot(Slot::Int32(_) | Slot::Int64(_)) => self.integer().into(),
            Self::Slot(Slot::Double(value)) => value.into(),
            Self::Slot(Slot::String(_) | Slot::Scalar(_)) => match self.number() {
                Some(Number::Integer(number)) => number.into(),
                Some(Number::Float(number)) => number.into(),
                None => Json::String(self.shown()),
            },
            Self::Slot(Slot::Absent | Slot::Null | Slot::Bytes(_)) => Json::Null,
        }
    }
}
