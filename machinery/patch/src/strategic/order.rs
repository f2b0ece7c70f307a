//! The order of merged lists: that of the directive `$setElementOrder`, then that of the patch, then that of the object.

use serde_json::{Map, Value};

use super::list::{self, no_merge_key};
use super::place::{Place, Strategy};
use super::{ORDER, PATCH, of_directive, without_directives};
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

/// Carries out the directives `$setElementOrder`, and merges the lists that they are about. Both are taken from the patch.
pub(super) fn merge_ordered(
    object: &mut Map<String, Value>,
    patch: &mut Map<String, Value>,
    place: &Place,
) -> Result<(), Error> {
    let directives: Vec<String> = patch.keys().filter(|name| name.starts_with(ORDER)).cloned().collect();
    for directive in directives {
        let wanted = match patch.shift_remove(&directive) {
            Some(Value::Array(wanted)) => wanted,
            other => return Err(no_list(other.as_ref())),
        };
        let name = of_directive(&directive[ORDER.len()..], ORDER)?;
        let list = |members: &Map<String, Value>| match members.get(&name) {
            None => Ok(None),
            Some(Value::Array(items)) => Ok(Some(items.clone())),
            Some(other) => Err(no_list(Some(other))),
        };
        let (old, new) = (list(object)?, list(patch)?);
        let (items, strategy, key) = place.list(&name)?;
        let key = key.as_deref();
        check_order(new.as_deref().unwrap_or_default(), &wanted, key)?;
        let merged = match (&old, new) {
            (None, None) => continue,
            (Some(old), None) => old.clone(),
            (None, Some(new)) => match without_directives(Value::Array(new)) {
                Some(Value::Array(new)) => new,
                _ => continue,
            },
            (Some(old), Some(new)) if strategy == Strategy::Merge => {
                list::merge(old.clone(), new, &items, key, false)?
            }
            (Some(_), Some(new)) => new,
        };
        let key = key.map_or(Key::Itself, Key::Member);
        let arranged = arrange(merged, &wanted, old.as_deref().unwrap_or_default(), key)?;
        patch.shift_remove(&name);
        object.insert(name, Value::Array(arranged));
    }
    Ok(())
}

fn no_list(found: Option<&Value>) -> Error {
    let found = match found {
        Some(Value::Object(_)) => "map[string]interface {}",
        Some(Value::String(_)) => "string",
        Some(Value::Bool(_)) => "bool",
        Some(Value::Number(_)) => "int64",
        _ => "%!s(<nil>)",
    };
    Error::Misused(format!("expected a []interface {{}}, but received a {found}"))
}

/// Checks that the items of a patch have the order that its directive wants, which names all of them.
fn check_order(patch: &[Value], wanted: &[Value], key: Option<&str>) -> Result<(), Error> {
    if patch.is_empty() || wanted.is_empty() {
        return Ok(());
    }
    let mut order = wanted.iter();
    for item in patch.iter().filter(|item| item.get(PATCH).is_none()) {
        let named = match key {
            None => order.any(|wanted| wanted == item),
            Some(key) => {
                let of = |item: &Value| {
                    let members = item.as_object().cloned().unwrap_or_default();
                    members.get(key).cloned().ok_or_else(|| no_merge_key(&members, key))
                };
                let item = of(item)?;
                let mut found = false;
                for wanted in order.by_ref() {
                    if of(wanted)? == item {
                        found = true;
                        break;
                    }
                }
                found
            }
        };
        if !named {
            let (patch, wanted) = (Value::from(patch), Value::from(wanted));
            return Err(Error::Misused(format!(
                "The order in patch list:\n{patch}\n doesn't match {ORDER} list:\n{wanted}\n"
            )));
        }
    }
    Ok(())
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
