//! What one side of a difference has.

use std::collections::BTreeMap;

use hubgen_kubernetes::machinery::scheme::KindEntry;
use serde::Deserialize;
use serde_json::{Value, json};

use super::convert::is_same;
use super::form::{is_empty, without_empty};
use super::path::{Path, Pattern, Step};

/// What one side has.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Side {
    /// Nothing.
    Absent,
    /// Nothing, `null`, `""`, zero, `false`, or a list or an object without anything.
    Empty,
    /// Something that is not empty.
    Filled,
    /// This value.
    Is(Value),
    /// One of these values.
    OneOf(Vec<Value>),
    /// What the object that was asked has at a place. Types at different versions leave out different empty values.
    Asked(Place),
    /// What comes back from the operator's own functions, to the version that it stores and back. Only of what comes back
    /// from the hub.
    Returned,
    /// A list with this value alone.
    ListOf(Box<Side>),
    /// A list, of which an item is this.
    Contains(Box<Side>),
    /// A text that begins so. It says little about the rest, so it is for what the operator computes of many fields.
    Begins(String),
    /// A text of these, one after the other.
    Joined(Vec<Piece>),
    /// A list of objects with one member each: the items of a list that the asked object has. An empty item is an empty
    /// object.
    Objects {
        /// The name of the member.
        member: String,
        /// The list.
        of: Place,
    },
    /// An object with these members, and no other.
    Only(BTreeMap<String, Side>),
}

/// A part of a text: these characters, or a text that the asked object has. It is empty if the object has none.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Piece {
    Literal(String),
    Asked {
        asked: Place,
        /// Without what is before the first such text, and without that text, if it has it.
        #[serde(default)]
        after: String,
    },
}

/// A pattern in check.toml.
#[derive(Deserialize)]
#[serde(try_from = "String")]
pub struct Place(pub Pattern);

impl TryFrom<String> for Place {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let help = "expected names with dots, `[]` for any item, `*` for any member";
        Pattern::parse(&text).map(Self).ok_or_else(|| format!("{text:?} is no path: {help}"))
    }
}

/// A conversion.
pub struct Case<'a> {
    pub kind: &'a str,
    pub from: &'a KindEntry,
    pub to: &'a KindEntry,
    /// The object that both convert.
    pub asked: &'a Value,
    /// If both versions are one: what comes back from the operator's own functions.
    pub returned: Option<&'a Value>,
}

impl Case<'_> {
    /// Whether it is about what comes back from the hub.
    pub fn is_through_hub(&self) -> bool {
        is_same(self.from, self.to)
    }
}

impl Place {
    /// What the object that was asked has at this place, beside a path of the answer.
    pub fn in_asked<'a>(&self, case: &Case<'a>, path: &Path) -> Option<&'a Value> {
        value_at(case.asked, &self.0.at(path)?)
    }
}

fn value_at<'a>(object: &'a Value, path: &Path) -> Option<&'a Value> {
    path.0.iter().try_fold(object, |value, step| match step {
        Step::Member(name) => value.get(name),
        Step::Item(index) => value.get(index),
    })
}

impl Side {
    pub fn has(&self, value: Option<&Value>, case: &Case<'_>, path: &Path) -> bool {
        match self {
            Self::Absent => value.is_none(),
            Self::Empty => value.is_none_or(is_empty),
            Self::Filled => value.is_some_and(|value| !is_empty(value)),
            Self::Is(expected) => value == Some(expected),
            Self::OneOf(expected) => value.is_some_and(|value| expected.contains(value)),
            Self::Asked(place) => match (value, place.in_asked(case, path)) {
                (Some(value), Some(asked)) => without_empty(value) == without_empty(asked),
                (None, Some(asked)) => is_empty(asked),
                (_, None) => false,
            },
            Self::Returned => case.returned.is_some_and(|returned| value_at(returned, path) == value),
            Self::ListOf(item) => match value.and_then(Value::as_array).map(Vec::as_slice) {
                Some([only]) => item.has(Some(only), case, path),
                _ => false,
            },
            Self::Contains(item) => value
                .and_then(Value::as_array)
                .is_some_and(|items| items.iter().any(|found| item.has(Some(found), case, path))),
            Self::Objects { member, of } => {
                let items = of.in_asked(case, path).and_then(Value::as_array);
                let found = value.and_then(Value::as_array);
                found.zip(items).is_some_and(|(found, items)| {
                    let is_it = |(found, item): (&Value, &Value)| match is_empty(item) {
                        true => *found == json!({}),
                        false => *found == json!({ member: item }),
                    };
                    found.len() == items.len() && found.iter().zip(items).all(is_it)
                })
            }
            Self::Only(expected) => match value.and_then(Value::as_object) {
                Some(members) => {
                    let is_expected =
                        |(name, side): (&String, &Self)| side.has(members.get(name), case, path);
                    expected.iter().all(is_expected) && members.keys().all(|name| expected.contains_key(name))
                }
                None => false,
            },
            Self::Joined(pieces) => {
                let text = |piece: &Piece| match piece {
                    Piece::Literal(text) => text.clone(),
                    Piece::Asked { asked, after } => {
                        let text = asked.in_asked(case, path).and_then(Value::as_str).unwrap_or_default();
                        text.split_once(after.as_str()).map_or(text, |(_, rest)| rest).to_owned()
                    }
                };
                // No value is an empty text.
                let found = value.map_or(Some(""), Value::as_str);
                found == Some(&*pieces.iter().map(text).collect::<String>())
            }
            Self::Begins(start) => value.and_then(Value::as_str).is_some_and(|text| text.starts_with(start)),
        }
    }
}
