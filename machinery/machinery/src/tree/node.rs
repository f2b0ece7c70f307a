//! A JSON value that is read only where somebody looks.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize as _;
use serde_json::Value;

use crate::json::lexer::{Error, ErrorKind, Kind, Lexer, Result};
use crate::json::writer;

/// A member of an object: its name and its value.
pub type Member<'a> = (Cow<'a, str>, Tree<'a>);

/// A JSON value. Most of an object is text that no conversion looks at: it is copied as it came.
///
/// Text is checked once, by [`Tree::new`], and not again where it is opened.
#[derive(Clone, Debug)]
pub enum Tree<'a> {
    /// A value that nobody has looked at: its text, which is JSON.
    Text(Cow<'a, str>),
    /// An object, each name once.
    Object(Vec<Member<'a>>),
    /// An object that nobody wrote: it is around what a stash restored, and goes when that goes.
    Around(Vec<Member<'a>>),
    /// A list.
    List(Vec<Self>),
}

/// The value of JSON that our own lexer has read, which bounds the depth: serde_json by itself would refuse a depth of
/// 128.
///
/// # Errors
/// When a number has no 64-bit float, such as 1e400.
pub(super) fn value(json: &[u8]) -> serde_json::Result<Value> {
    let mut json = serde_json::Deserializer::from_slice(json);
    json.disable_recursion_limit();
    Value::deserialize(&mut json)
}

impl<'a> Tree<'a> {
    /// Checks that the bytes are one JSON value.
    ///
    /// # Errors
    /// When they are not.
    pub fn new(json: &'a [u8]) -> Result<Self> {
        let mut lexer = Lexer::new(json)?;
        let text = lexer.raw()?;
        lexer.finish()?;
        Ok(Self::Text(Cow::Borrowed(text)))
    }

    /// A string.
    pub fn string(text: &str) -> Self {
        let mut out = Vec::with_capacity(text.len() + 2);
        writer::string(&mut out, text);
        Self::written(out)
    }

    /// JSON that a writer wrote.
    pub(super) fn written(json: Vec<u8>) -> Self {
        Self::Text(Cow::Owned(String::from_utf8(json).expect("JSON is written from strings only")))
    }

    /// What kind of value it is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Object(_) | Self::Around(_) => Kind::Object,
            Self::List(_) => Kind::Array,
            Self::Text(text) => match text.as_bytes().first() {
                Some(b'{') => Kind::Object,
                Some(b'[') => Kind::Array,
                Some(b'"') => Kind::String,
                Some(b't' | b'f') => Kind::Bool,
                Some(b'n') => Kind::Null,
                _ => Kind::Number,
            },
        }
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        self.kind() == Kind::Null
    }

    /// Whether it is a list of so many elements.
    pub(super) fn is_list_of(&mut self, count: usize) -> bool {
        self.elements().is_ok_and(|elements| elements.len() == count)
    }

    /// The members of an object, in the order of the text. Of members with the same name the last counts.
    ///
    /// # Errors
    /// When it is not an object.
    pub fn members(&mut self) -> Result<&mut Vec<Member<'a>>> {
        if let Self::Text(text) = self {
            *self = Self::Object(match text {
                Cow::Borrowed(text) => read_members(text)?,
                Cow::Owned(text) => read_members(text)?.into_iter().map(owned).collect(),
            });
        }
        match self {
            Self::Object(members) | Self::Around(members) => Ok(members),
            other => Err(other.mismatch("an object")),
        }
    }

    /// The elements of a list.
    ///
    /// # Errors
    /// When it is not a list.
    pub fn elements(&mut self) -> Result<&mut Vec<Self>> {
        if let Self::Text(text) = self {
            *self = Self::List(match text {
                Cow::Borrowed(text) => read_elements(text)?,
                Cow::Owned(text) => read_elements(text)?.into_iter().map(Tree::into_owned).collect(),
            });
        }
        match self {
            Self::List(elements) => Ok(elements),
            other => Err(other.mismatch("an array")),
        }
    }

    /// The text of a string.
    ///
    /// # Errors
    /// When it is not a string.
    pub fn str(&self) -> Result<Cow<'_, str>> {
        match self {
            Self::Text(text) => Lexer::over(text).string(),
            other => Err(other.mismatch("a string")),
        }
    }

    /// A member of an object; `None` if the object lacks it.
    ///
    /// # Errors
    /// When it is not an object.
    pub fn get(&mut self, name: &str) -> Result<Option<&mut Self>> {
        Ok(self.members()?.iter_mut().find(|(own, _)| own == name).map(|(_, value)| value))
    }

    /// Sets a member of an object.
    ///
    /// # Errors
    /// When it is not an object.
    pub fn set(&mut self, name: &str, value: Self) -> Result<()> {
        self.set_member(Cow::Owned(name.to_owned()), value)
    }

    /// As [`set`](Self::set), without a copy of the name.
    pub(super) fn set_member(&mut self, name: Cow<'a, str>, value: Self) -> Result<()> {
        let members = self.members()?;
        match members.iter_mut().find(|(own, _)| *own == name) {
            Some((_, old)) => *old = value,
            None => members.push((name, value)),
        }
        Ok(())
    }

    /// Removes a member of an object, and returns it.
    ///
    /// # Errors
    /// When it is not an object.
    pub fn remove(&mut self, name: &str) -> Result<Option<Self>> {
        let members = self.members()?;
        let at = members.iter().position(|(own, _)| own == name);
        Ok(at.map(|at| members.remove(at).1))
    }

    /// Appends the JSON.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Text(text) => out.extend_from_slice(text.as_bytes()),
            Self::Object(members) | Self::Around(members) => {
                out.push(b'{');
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    writer::string(out, name);
                    out.push(b':');
                    value.write(out);
                }
                out.push(b'}');
            }
            Self::List(elements) => {
                out.push(b'[');
                for (index, element) in elements.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    element.write(out);
                }
                out.push(b']');
            }
        }
    }

    /// The JSON.
    pub fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }

    /// The same value, which borrows nothing.
    pub fn into_owned<'b>(self) -> Tree<'b> {
        match self {
            Self::Text(text) => Tree::Text(Cow::Owned(text.into_owned())),
            Self::Object(members) => Tree::Object(members.into_iter().map(owned).collect()),
            Self::Around(members) => Tree::Around(members.into_iter().map(owned).collect()),
            Self::List(elements) => Tree::List(elements.into_iter().map(Tree::into_owned).collect()),
        }
    }

    /// An error for another kind of value than was expected.
    fn mismatch(&self, expected: &str) -> Error {
        let message = format!("expected {expected}, found {}", self.kind().name());
        Error::new(ErrorKind::Mismatch, b"", 0, message)
    }
}

fn owned<'b>((name, value): Member<'_>) -> Member<'b> {
    (Cow::Owned(name.into_owned()), value.into_owned())
}

/// From this many members on, equal names are found by hashing.
const MANY: usize = 32;

fn read_members(text: &str) -> Result<Vec<Member<'_>>> {
    let mut lexer = Lexer::over(text);
    // Most objects have a few members, and a list may have many objects with none. `"a":1,` is the shortest member.
    let mut members: Vec<Member<'_>> = Vec::with_capacity((text.len() / 6).min(8));
    let mut more = lexer.enter_object()?;
    while more {
        let name = lexer.key()?;
        members.push((name, Tree::Text(Cow::Borrowed(lexer.known()?))));
        more = lexer.next_member()?;
    }
    Ok(without_duplicates(members))
}

/// Members whose names differ, each with its last value at the place of the first.
fn without_duplicates(members: Vec<Member<'_>>) -> Vec<Member<'_>> {
    let is_twice = |at: usize| members[..at].iter().any(|(name, _)| *name == members[at].0);
    if members.len() < MANY && !(1..members.len()).any(is_twice) {
        return members;
    }
    let mut places = HashMap::new();
    let mut out: Vec<Member<'_>> = Vec::with_capacity(members.len());
    for (name, value) in members {
        match places.get(&name) {
            Some(place) => {
                let (_, old): &mut Member<'_> = &mut out[*place];
                *old = value;
            }
            None => {
                places.insert(name.clone(), out.len());
                out.push((name, value));
            }
        }
    }
    out
}

fn read_elements(text: &str) -> Result<Vec<Tree<'_>>> {
    let mut lexer = Lexer::over(text);
    let mut elements = Vec::new();
    let mut more = lexer.enter_array()?;
    while more {
        elements.push(Tree::Text(Cow::Borrowed(lexer.known()?)));
        more = lexer.next_element()?;
    }
    Ok(elements)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(tree: &Tree<'_>) -> String {
        String::from_utf8(tree.to_json()).unwrap()
    }

    #[test]
    fn what_nobody_looks_at_stays_as_it_came() {
        let text = r#"{"a": {"b" : [1.50, null]}, "c":"\u0041"}"#;
        let mut tree = Tree::new(text.as_bytes()).unwrap();
        assert_eq!(json(&tree), text);
        assert_eq!(tree.get("c").unwrap().unwrap().str().unwrap(), "A");
        assert_eq!(json(&tree), r#"{"a":{"b" : [1.50, null]},"c":"\u0041"}"#);
    }

    #[test]
    fn of_equal_names_the_last_counts() {
        for filler in ["", &(0..MANY).map(|at| format!(r#""f{at}":0,"#)).collect::<String>()] {
            let text = format!(r#"{{"a":1,{filler}"b":2,"\u0061":3}}"#);
            let mut tree = Tree::new(text.as_bytes()).unwrap();
            tree.members().unwrap();
            assert_eq!(json(&tree), format!(r#"{{"a":3,{filler}"b":2}}"#));
        }
    }

    #[test]
    fn another_kind_of_value_is_an_error() {
        let mut tree = Tree::new(b"[1]").unwrap();
        assert_eq!(tree.members().unwrap_err().message(), "expected an object, found an array");
        assert_eq!(
            Tree::new(b"{}").unwrap().elements().unwrap_err().message(),
            "expected an array, found an object"
        );
        assert!(Tree::new(b"{\"a\":}").is_err());
        assert!(Tree::new(b"{} {}").is_err());
    }
}
