//! Sets as `managedFields` has them, in the format `FieldsV1`: objects in objects, in canonical order.
//!
//! An element is the name of a member. What is behind it is the object; that the element itself is in the set is told by
//! an empty object, or by a member `.` beside others.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use hubgen_machinery::json::writer;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use super::joined::joined;
use super::{Element, ElementError, FieldsError, Set};

impl Set {
    /// Appends the set in JSON.
    pub fn write(&self, out: &mut Vec<u8>) {
        self.write_node(false, out);
    }

    /// Appends a node; `is_member`: whether the element before it is in the set.
    fn write_node(&self, is_member: bool, out: &mut Vec<u8>) {
        let mut before = b'{';
        let mut name = Vec::new();
        if is_member {
            out.extend_from_slice(b"{\".\":{}");
            before = b',';
        }
        for (member, child) in joined(&self.members, &self.children) {
            let Some(element) = member.or(child.map(|(element, _)| element)) else { continue };
            out.push(before);
            before = b',';
            name.clear();
            element.write(&mut name);
            writer::string(out, str::from_utf8(&name).expect("names and JSON are UTF-8"));
            out.push(b':');
            match child {
                Some((_, child)) => child.write_node(member.is_some(), out),
                None => out.extend_from_slice(b"{}"),
            }
        }
        if before == b'{' {
            out.push(before);
        }
        out.push(b'}');
    }
}

/// The set in JSON.
impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Vec::new();
        self.write(&mut out);
        f.write_str(str::from_utf8(&out).expect("names and JSON are UTF-8"))
    }
}

impl FromStr for Set {
    type Err = FieldsError;

    /// Reads a set in JSON, in any order. Elements of a kind that is not known here are left out: a newer server may have
    /// written them.
    fn from_str(text: &str) -> Result<Self, FieldsError> {
        let mut wrong = None;
        let mut json = serde_json::Deserializer::from_str(text);
        let read =
            Node { wrong: &mut wrong }.deserialize(&mut json).and_then(|read| json.end().map(|()| read));
        match (wrong, read) {
            (Some(wrong), _) => Err(wrong),
            (None, Err(error)) => Err(FieldsError::Json(error.to_string())),
            (None, Ok((set, _))) => Ok(set),
        }
    }
}

/// Reads what is behind an element, and whether the element itself is in the set.
struct Node<'w> {
    /// Why a name is no element, if that is what stopped the reader.
    wrong: &'w mut Option<FieldsError>,
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = (Set, bool);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = (Set, bool);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok((Set::EMPTY, true))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut members, mut children, mut is_member) = (Vec::new(), Vec::new(), false);
        while let Some(Name(name)) = map.next_key()? {
            if name == "." {
                map.next_value::<IgnoredAny>()?;
                is_member = true;
                continue;
            }
            let element: Element = match name.parse() {
                Ok(element) => element,
                Err(ElementError::Unknown) => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
                Err(why) => {
                    *self.wrong = Some(FieldsError::Element { text: name.into_owned(), why });
                    return Err(A::Error::custom("a name is no element"));
                }
            };
            let (child, is_member) = map.next_value_seed(Node { wrong: self.wrong })?;
            if is_member {
                members.push(element.clone());
            }
            if !child.is_empty() {
                children.push((element, child));
            }
        }
        let is_empty = members.is_empty() && children.is_empty();
        Ok((Set::of(members, children), is_member || is_empty))
    }
}

/// The name of a member, without a copy where JSON has no escapes.
#[derive(serde::Deserialize)]
struct Name<'t>(#[serde(borrow)] Cow<'t, str>);
