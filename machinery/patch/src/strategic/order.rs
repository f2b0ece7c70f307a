//! The order of merged lists: that of a directive or of the patch, then that of the object.

use serde_json::{Map, Value};

use crate::Error;

/// By what items of a list are compared.
#[derive(Clone, Copy)]
pub(super) enum Key<'a> {
    /// The value itself.
    Itself,
    /// A member of the object.
    Member(&'a str),
}

impl Key<'_> {
    fn of(self, item: &Value) -> Option<&Value> {
        match self {
            Self::Itself => Some(item),
            Self::Member(key) => item.get(key),
        }
    }

    fn position(self, items: &[Value], wanted: &Value) -> Option<usize> {
        let wanted = self.of(wanted);
        items.iter().position(|item| self.of(item) == wanted)
    }

    /// Checks that all items have the key.
    fn check(self, items: &[Value]) -> Result<(), Error> {
        let Self::Member(key) = self else { return Ok(()) };
        let lacking = items.iter().find(|item| item.get(key).is_none());
        lacking.map_or(Ok(()), |item| Err(no_merge_key(item.as_object().unwrap_or(&Map::new()), key)))
    }
}

/// Arranges items: those that `wanted` names in its order, and the others, in the order of `old`, each before the first
/// item that it was before.
pub(super) fn arrange(
    merged: Vec<Value>,
    wanted: &[Value],
    old: &[Value],
    key: Key<'_>,
) -> Result<Vec<Value>, Error> {
    key.check(&merged)?;
    let (mut named, mut others): (Vec<Value>, Vec<Value>) =
        merged.into_iter().partition(|item| key.position(wanted, item).is_some());
    if !named.is_empty() {
        key.check(wanted)?;
    }
    named.sort_by_key(|item| key.position(wanted, item));
    others.sort_by_key(|item| key.position(old, item));
    let (mut named, mut others) = (named.into_iter().peekable(), others.into_iter().peekable());
    let mut arranged = Vec::new();
    loop {
        let next = match (others.peek(), named.peek()) {
            (Some(other), Some(one)) => {
                let is_before = match (key.position(old, other), key.position(old, one)) {
                    (Some(other), Some(one)) => other < one,
                    _ => false,
                };
                if is_before { others.next() } else { named.next() }
            }
            (Some(_), None) => others.next(),
            (None, _) => named.next(),
        };
        match next {
            Some(item) => arranged.push(item),
            None => return Ok(arranged),
        }
    }
}

pub(super) fn no_merge_key(members: &Map<String, Value>, key: &str) -> Error {
    let members = Value::Object(members.clone());
    Error::Misused(format!("map: {members} does not contain declared merge key: {key}"))
}
