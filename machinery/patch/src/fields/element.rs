use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use hubgen_machinery::Str;
use hubgen_machinery::json::writer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::error::ElementError;
use super::order;

/// A step of a path. As text it is what `managedFields` has: `f:name`, `k:{"name":"web"}`, `v:"x"` or `i:0`.
///
/// Elements are ordered as upstream orders them: members of objects first, then items by their keys, by their value, and
/// by their index.
#[derive(Clone, Debug)]
pub enum Element {
    /// A member of an object.
    Field(Str),
    /// The item of a list that has these members, which are in the order of their names.
    Key(Vec<(Str, Value)>),
    /// The item of a list that is this value.
    Value(Value),
    /// The item of a list that is at this index.
    Index(i64),
}

impl Element {
    /// The member of an object with that name.
    pub fn field(name: &str) -> Self {
        Self::Field(name.into())
    }

    /// The item of a list that has these members.
    pub fn key(members: impl IntoIterator<Item = (Str, Value)>) -> Self {
        let mut members: Vec<(Str, Value)> = members.into_iter().collect();
        members.sort_by(|(left, _), (right, _)| left.cmp(right));
        Self::Key(members)
    }

    /// Appends the text.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Field(name) => {
                out.extend_from_slice(b"f:");
                out.extend_from_slice(name.as_bytes());
            }
            Self::Key(members) => {
                out.extend_from_slice(b"k:{");
                for (at, (name, value)) in members.iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    writer::string(out, name);
                    out.push(b':');
                    writer::value(out, value);
                }
                out.push(b'}');
            }
            Self::Value(value) => {
                out.extend_from_slice(b"v:");
                writer::value(out, value);
            }
            Self::Index(index) => {
                out.extend_from_slice(b"i:");
                writer::integer(out, *index);
            }
        }
    }

    /// The text, as `managedFields` has it.
    pub fn to_text(&self) -> String {
        let mut out = Vec::new();
        self.write(&mut out);
        String::from_utf8(out).expect("names and JSON are UTF-8")
    }
}

impl FromStr for Element {
    type Err = ElementError;

    fn from_str(text: &str) -> Result<Self, ElementError> {
        let json = |error: serde_json::Error| ElementError::Json(error.to_string());
        let Some((letter @ [_, b':'], _)) = text.as_bytes().split_first_chunk() else {
            return Err(ElementError::NoPrefix);
        };
        match letter[0] {
            b'f' => Ok(Self::Field(text[2..].into())),
            b'k' => serde_json::from_str(&text[2..]).map(|Members(members)| Self::key(members)).map_err(json),
            b'v' => serde_json::from_str(&text[2..]).map(Self::Value).map_err(json),
            b'i' => text[2..].parse().map(Self::Index).map_err(|_| ElementError::Index),
            _ => Err(ElementError::Unknown),
        }
    }
}

/// The members of an object in their order, those of the same name included.
struct Members(Vec<(Str, Value)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfObject;

        impl<'de> Visitor<'de> for OfObject {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_unit<E>(self) -> Result<Members, E> {
                Ok(Members(Vec::new()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_any(OfObject)
    }
}

impl Ord for Element {
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = |element: &Self| match element {
            Self::Field(_) => 0,
            Self::Key(_) => 1,
            Self::Value(_) => 2,
            Self::Index(_) => 3,
        };
        match (self, other) {
            (Self::Field(left), Self::Field(right)) => left.cmp(right),
            (Self::Key(left), Self::Key(right)) => {
                let unequal = left.iter().zip(right).map(|(left, right)| {
                    left.0.cmp(&right.0).then_with(|| order::compare(&left.1, &right.1))
                });
                unequal.fold(Ordering::Equal, Ordering::then).then(left.len().cmp(&right.len()))
            }
            (Self::Value(left), Self::Value(right)) => order::compare(left, right),
            (Self::Index(left), Self::Index(right)) => left.cmp(right),
            _ => rank(self).cmp(&rank(other)),
        }
    }
}

impl PartialOrd for Element {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Element {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Element {}

/// The text of a value without characters that end lines, which Go does not print.
fn printable(value: &impl fmt::Display) -> String {
    value.to_string().replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// The element in a message for people: `.name`, `[name="web"]`, `[="x"]` or `[0]`.
impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Key(members) => {
                f.write_str("[")?;
                for (at, (name, value)) in members.iter().enumerate() {
                    let comma = if at > 0 { "," } else { "" };
                    write!(f, "{comma}{name}={}", printable(value))?;
                }
                f.write_str("]")
            }
            Self::Value(value) => write!(f, "[={}]", printable(value)),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}
