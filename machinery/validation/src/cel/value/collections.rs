//! Lists and maps, of JSON or made by expressions.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map as JsonMap, Value as Json};

use super::{NO_OVERLOAD, Text, Value, Wrong};
use crate::cel::shape::{ListKind, Shape, ShapeKind};

#[derive(Clone, Debug)]
pub(crate) enum List<'a> {
    Made(Arc<Vec<Value<'a>>>),
    /// A set, or a list with keys, to which another list was added.
    Joined(Arc<Vec<Value<'a>>>, &'a ListKind),
    /// A list of an object, with its shape and that of its items.
    Json {
        items: &'a [Json],
        shape: &'a Shape,
    },
}

#[derive(Clone, Debug)]
pub(crate) enum Map<'a> {
    Made(Arc<Made<'a>>),
    /// An object in an object, with its shape.
    Json {
        members: &'a JsonMap<String, Json>,
        shape: &'a Shape,
    },
}

/// The entries of a map that was made, in their order, and where each key is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made<'a> {
    pub(crate) entries: Vec<(Value<'a>, Value<'a>)>,
    index: HashMap<Key, usize>,
}

/// What makes keys equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Bool(bool),
    /// Numbers are equal across types; as bits if they are no whole numbers.
    Whole(i128),
    Fraction(u64),
    Text(String),
    Other(String),
}

impl<'a> List<'a> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Made(items) | Self::Joined(items, _) => items.len(),
            Self::Json { items, .. } => items.len(),
        }
    }

    pub(crate) fn get(&self, at: usize) -> Result<Value<'a>, Wrong> {
        let missing = || format!("index out of bounds: {at}");
        match self {
            Self::Made(items) | Self::Joined(items, _) => items.get(at).cloned().ok_or_else(missing),
            Self::Json { items, shape } => match &shape.kind {
                ShapeKind::List(item, _) => Value::of(items.get(at).ok_or_else(missing)?, item),
                _ => Err(missing()),
            },
        }
    }

    pub(crate) fn items(&self) -> impl Iterator<Item = Result<Value<'a>, Wrong>> + '_ {
        (0..self.len()).map(|at| self.get(at))
    }

    /// How upstream compares and adds the list.
    pub(crate) fn kind(&self) -> &'a ListKind {
        match self {
            Self::Joined(_, kind) => kind,
            Self::Json { shape: Shape { kind: ShapeKind::List(_, kind), .. }, .. } => kind,
            _ => &ListKind::Atomic,
        }
    }
}

impl<'a> Map<'a> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Made(made) => made.entries.len(),
            Self::Json { members, .. } => members.len(),
        }
    }

    pub(crate) fn find(&self, key: &Value<'a>) -> Result<Option<Value<'a>>, Wrong> {
        use ShapeKind as Kind;
        match self {
            Self::Made(made) => Ok(made.get(key).cloned()),
            Self::Json { members, shape } => {
                let Value::Text(name) = key else { return Err(NO_OVERLOAD.to_owned()) };
                let (value, shape) = match &shape.kind {
                    Kind::Object(fields) if fields.is_empty() => return Ok(None),
                    Kind::Object(fields) => {
                        let Some(name) = crate::cel::shape::unescape(name) else { return Ok(None) };
                        match (members.get(&name), fields.get(&name)) {
                            (Some(Json::Null), _) => return Ok(None),
                            (Some(value), Some(shape)) => (value, &**shape),
                            _ => return Ok(None),
                        }
                    }
                    Kind::Map(values) => match members.get(&**name) {
                        Some(value) => (value, &**values),
                        None => return Ok(None),
                    },
                    _ => return Ok(None),
                };
                Value::of(value, shape).map(Some)
            }
        }
    }

    /// The keys, as loops see them.
    pub(crate) fn keys(&self) -> Vec<Value<'a>> {
        use ShapeKind as Kind;
        match self {
            Self::Made(made) => made.entries.iter().map(|(key, _)| key.clone()).collect(),
            Self::Json { members, shape } => members
                .keys()
                .filter_map(|name| match &shape.kind {
                    Kind::Object(fields) => {
                        fields.get(name)?;
                        Some(
                            crate::cel::shape::escape(name)
                                .map_or(Value::Text(Text::Json(name)), Value::text),
                        )
                    }
                    Kind::Map(_) => Some(Value::Text(Text::Json(name))),
                    _ => None,
                })
                .collect(),
        }
    }
}

impl<'a> Made<'a> {
    /// Sets the value of a key. The last value of a key counts.
    pub(crate) fn set(&mut self, key: Value<'a>, value: Value<'a>) {
        match self.index.entry(Key::of(&key)) {
            std::collections::hash_map::Entry::Occupied(found) => self.entries[*found.get()].1 = value,
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(self.entries.len());
                self.entries.push((key, value));
            }
        }
    }

    pub(crate) fn get(&self, key: &Value<'_>) -> Option<&Value<'a>> {
        self.index.get(&Key::of(key)).map(|at| &self.entries[*at].1)
    }
}

impl Key {
    fn of(value: &Value<'_>) -> Self {
        match value {
            Value::Bool(value) => Self::Bool(*value),
            Value::Int(number) => Self::Whole((*number).into()),
            Value::Uint(number) => Self::Whole((*number).into()),
            Value::Double(number) if number.fract() == 0.0 && number.abs() < 1e20 => {
                Self::Whole(*number as i128)
            }
            Value::Double(number) => Self::Fraction(number.to_bits()),
            Value::Text(text) => Self::Text(text.to_string()),
            other => Self::Other(format!("{other:?}")),
        }
    }
}
