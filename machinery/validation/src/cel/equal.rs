//! Equality of values: numbers across types, lists of objects as their kind wants.

use serde_json::Value as Json;

use crate::cel::shape::{ListKind, ShapeKind};
use crate::cel::value::{List, Map, NO_OVERLOAD, Value, Wrong};
use crate::cel::work::Work;
use crate::equal::same;

/// Whether two values are equal. Comparing values of an object with values of another kind is an error.
pub(crate) fn equal(left: &Value<'_>, right: &Value<'_>, work: &mut Work) -> Result<bool, Wrong> {
    work.add(1)?;
    Ok(match (left, right) {
        (Value::Null, _) | (_, Value::Null) => matches!((left, right), (Value::Null, Value::Null)),
        (
            Value::Int(_) | Value::Uint(_) | Value::Double(_),
            Value::Int(_) | Value::Uint(_) | Value::Double(_),
        ) => left.compare(right).is_ok_and(std::cmp::Ordering::is_eq),
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Text(left), Value::Text(right)) => {
            work.add(left.len().min(right.len()) / 64)?;
            **left == **right
        }
        (Value::Bytes(left), Value::Bytes(right)) => left == right,
        (Value::Duration(left), Value::Duration(right)) => left == right,
        (Value::Timestamp(left), Value::Timestamp(right)) => left == right,
        (Value::Type(left), Value::Type(right)) => left.name() == right.name(),
        (Value::Optional(left), Value::Optional(right)) => match (left, right) {
            (Some(left), Some(right)) => equal(left, right, work)?,
            (left, right) => left.is_none() && right.is_none(),
        },
        (Value::List(left), Value::List(right)) => lists(left, right, work)?,
        (Value::Map(left), Value::Map(right)) => maps(left, right, work)?,
        (Value::Url(left), Value::Url(right)) => left == right,
        (Value::Ip(left), Value::Ip(right)) => left == right,
        (Value::Cidr(left), Value::Cidr(right)) => left == right,
        (Value::Quantity(left), Value::Quantity(right)) => left == right,
        (Value::Semver(left), Value::Semver(right)) => left.compare(right).is_eq(),
        (Value::Format(left), Value::Format(right)) => left.function == right.function,
        (Value::Kept(left), Value::Kept(right)) => kept(left, right, work)?,
        (
            Value::List(List::Json { .. } | List::Joined(..))
            | Value::Map(Map::Json { .. })
            | Value::Url(_)
            | Value::Ip(_)
            | Value::Cidr(_)
            | Value::Quantity(_)
            | Value::Semver(_)
            | Value::Format(_),
            _,
        ) => return Err(NO_OVERLOAD.to_owned()),
        _ => false,
    })
}

fn kept(left: &Json, right: &Json, work: &mut Work) -> Result<bool, Wrong> {
    work.add(nodes(left))?;
    Ok(same(left, right))
}

/// How many values are in a value.
fn nodes(json: &Json) -> usize {
    match json {
        Json::Array(items) => 1 + items.iter().map(nodes).sum::<usize>(),
        Json::Object(members) => 1 + members.values().map(nodes).sum::<usize>(),
        _ => 1,
    }
}

fn lists(left: &List<'_>, right: &List<'_>, work: &mut Work) -> Result<bool, Wrong> {
    if left.len() != right.len() {
        return Ok(false);
    }
    match left.kind() {
        ListKind::Atomic => {
            for at in 0..left.len() {
                if !equal(&left.get(at)?, &right.get(at)?, work)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        ListKind::Set => {
            let (left, right) = (distinct(left)?, distinct(right)?);
            work.add(left.len() + right.len())?;
            Ok(left == right)
        }
        ListKind::Map(keys) => {
            let right: Vec<_> = right.items().collect::<Result<_, _>>()?;
            let mut by_key = std::collections::HashMap::new();
            for (at, item) in right.iter().enumerate() {
                by_key.entry(keys_of(item, keys)).or_insert(at);
            }
            for item in left.items() {
                let item = item?;
                let Some(at) = by_key.get(&keys_of(&item, keys)) else { return Ok(false) };
                if !equal(&item, &right[*at], work)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
    }
}

/// What tells the items of a set apart.
fn distinct(list: &List<'_>) -> Result<std::collections::BTreeSet<String>, Wrong> {
    let items: Vec<_> = list.items().collect::<Result<_, _>>()?;
    check_set(&items)?;
    Ok(items.iter().map(identity).collect())
}

/// Checks that a set has only scalar items.
pub(crate) fn check_set(items: &[Value<'_>]) -> Result<(), Wrong> {
    match items.iter().any(|item| matches!(item, Value::List(_) | Value::Map(_))) {
        true => Err("listSet operations are only supported on lists of scalar values".to_owned()),
        false => Ok(()),
    }
}

/// A text that only equal values have.
pub(crate) fn identity(value: &Value<'_>) -> String {
    match value {
        Value::Text(text) => format!("t{}", &**text),
        Value::Int(number) => format!("n{number}"),
        Value::Uint(number) => format!("n{number}"),
        Value::Double(number) if number.fract() == 0.0 => format!("n{number:.0}"),
        Value::Double(number) => format!("n{number}"),
        Value::Bool(value) => format!("b{value}"),
        Value::List(list) => {
            let items: Vec<String> =
                list.items().map(|item| item.map_or_else(|wrong| wrong, |item| identity(&item))).collect();
            format!("l{items:?}")
        }
        Value::Map(map) => {
            let mut entries: Vec<String> = map
                .keys()
                .iter()
                .map(|key| {
                    let value =
                        map.find(key).ok().flatten().map_or_else(String::new, |value| identity(&value));
                    format!("{:?}={value:?}", identity(key))
                })
                .collect();
            entries.sort();
            format!("m{entries:?}")
        }
        Value::Kept(json) => format!("k{json}"),
        other => format!("o{}", other.shown()),
    }
}

/// The keys of an item of a list of type `map`.
pub(crate) fn keys_of(item: &Value<'_>, keys: &[String]) -> Vec<String> {
    let Value::Map(map) = item else { return vec![identity(item)] };
    let of = |key: &String| {
        let name = crate::cel::shape::escape(key).unwrap_or_else(|| key.clone());
        map.find(&Value::text(name)).ok().flatten().map_or_else(String::new, |value| identity(&value))
    };
    keys.iter().map(of).collect()
}

fn maps(left: &Map<'_>, right: &Map<'_>, work: &mut Work) -> Result<bool, Wrong> {
    if left.len() != right.len() {
        return Ok(false);
    }
    if let (Map::Json { members, shape }, Map::Json { members: others, .. }) = (left, right) {
        // Members without a schema are compared as they are, if both have them.
        let ShapeKind::Object(fields) = &shape.kind else { return entries(left, right, work) };
        for (name, value) in members.iter().filter(|(name, _)| !fields.contains_key(*name)) {
            if let Some(other) = others.get(name)
                && !kept(value, other, work)?
            {
                return Ok(false);
            }
        }
    }
    entries(left, right, work)
}

fn entries(left: &Map<'_>, right: &Map<'_>, work: &mut Work) -> Result<bool, Wrong> {
    for key in left.keys() {
        match (left.find(&key)?, right.find(&key)?) {
            (Some(left), Some(right)) if equal(&left, &right, work)? => {}
            (None, None) => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}
