//! Operators.

use std::sync::Arc;

use super::Result;
use crate::cel::equal;
use crate::cel::shape::ListKind;
use crate::cel::value::{List, NO_OVERLOAD, Value, Wrong};
use crate::cel::work::Work;

pub(super) fn call<'a>(function: &str, args: &[Value<'a>], work: &mut Work) -> Result<'a> {
    match (function, args) {
        ("!_", [Value::Bool(value)]) => Ok(Value::Bool(!value)),
        ("-_", [Value::Int(number)]) => number.checked_neg().map(Value::Int).ok_or_else(overflow),
        ("-_", [Value::Double(number)]) => Ok(Value::Double(-number)),
        ("-_", [Value::Duration(number)]) => {
            number.checked_neg().map(Value::Duration).ok_or_else(|| "duration overflow".to_owned())
        }
        ("!_" | "-_", _) => Err(format!("{NO_OVERLOAD}: {function}")),
        ("_+_", [left, right]) => add(left, right, work),
        ("_-_", [left, right]) => subtract(left, right),
        ("_*_", [left, right]) => multiply(left, right),
        ("_/_", [left, right]) => divide(left, right),
        ("_%_", [left, right]) => modulo(left, right),
        (_, [left, right]) => {
            let order = left.compare(right)?;
            Ok(Value::Bool(match function {
                "_<_" => order.is_lt(),
                "_<=_" => order.is_le(),
                "_>_" => order.is_gt(),
                _ => order.is_ge(),
            }))
        }
        _ => Err(NO_OVERLOAD.to_owned()),
    }
}

fn overflow() -> Wrong {
    "integer overflow".to_owned()
}

fn unsigned_overflow() -> Wrong {
    "unsigned integer overflow".to_owned()
}

pub(super) fn add<'a>(left: &Value<'a>, right: &Value<'a>, work: &mut Work) -> Result<'a> {
    Ok(match (left, right) {
        (Value::Int(left), Value::Int(right)) => Value::Int(left.checked_add(*right).ok_or_else(overflow)?),
        (Value::Uint(left), Value::Uint(right)) => {
            Value::Uint(left.checked_add(*right).ok_or_else(unsigned_overflow)?)
        }
        (Value::Double(left), Value::Double(right)) => Value::Double(left + right),
        (Value::Duration(left), Value::Duration(right)) => {
            Value::Duration(left.checked_add(*right).ok_or("duration overflow")?)
        }
        (Value::Timestamp(time), Value::Duration(duration))
        | (Value::Duration(duration), Value::Timestamp(time)) => {
            Value::Timestamp(time.add(*duration).ok_or("timestamp overflow")?)
        }
        (Value::Text(left), Value::Text(right)) => {
            work.make(left.len() + right.len())?;
            Value::text(format!("{}{}", &**left, &**right))
        }
        (Value::Bytes(left), Value::Bytes(right)) => {
            work.make(left.len() + right.len())?;
            Value::Bytes(left.iter().chain(right.iter()).copied().collect())
        }
        (Value::List(left), Value::List(right)) => Value::List(join(left, right, work)?),
        _ => return Err(NO_OVERLOAD.to_owned()),
    })
}

/// Adds a list to another: items of a set come once, and those of a map replace others with the same keys.
fn join<'a>(left: &List<'a>, right: &List<'a>, work: &mut Work) -> std::result::Result<List<'a>, Wrong> {
    work.make((left.len() + right.len()) * 16)?;
    work.add(left.len() + right.len())?;
    let mut items: Vec<Value<'a>> = left.items().collect::<std::result::Result<_, _>>()?;
    let key = |item: &Value<'_>| match left.kind() {
        ListKind::Set => Some(vec![equal::identity(item)]),
        ListKind::Map(keys) => Some(equal::keys_of(item, keys)),
        ListKind::Atomic => None,
    };
    let mut places: std::collections::HashMap<Vec<String>, usize> = std::collections::HashMap::new();
    if matches!(left.kind(), ListKind::Set) {
        equal::check_set(&items)?;
        equal::check_set(&right.items().collect::<std::result::Result<Vec<_>, _>>()?)?;
    }
    for (at, item) in items.iter().enumerate() {
        if let Some(key) = key(item) {
            places.insert(key, at);
        }
    }
    for item in right.items() {
        let item = item?;
        match key(&item) {
            Some(key) => match places.entry(key) {
                std::collections::hash_map::Entry::Occupied(_) if matches!(left.kind(), ListKind::Set) => {}
                std::collections::hash_map::Entry::Occupied(place) => items[*place.get()] = item,
                std::collections::hash_map::Entry::Vacant(place) => {
                    place.insert(items.len());
                    items.push(item);
                }
            },
            None => items.push(item),
        }
    }
    Ok(match left.kind() {
        ListKind::Atomic => List::Made(Arc::new(items)),
        kind => List::Joined(Arc::new(items), kind),
    })
}

fn subtract<'a>(left: &Value<'a>, right: &Value<'a>) -> Result<'a> {
    Ok(match (left, right) {
        (Value::Int(left), Value::Int(right)) => Value::Int(left.checked_sub(*right).ok_or_else(overflow)?),
        (Value::Uint(left), Value::Uint(right)) => {
            Value::Uint(left.checked_sub(*right).ok_or_else(unsigned_overflow)?)
        }
        (Value::Double(left), Value::Double(right)) => Value::Double(left - right),
        (Value::Duration(left), Value::Duration(right)) => {
            Value::Duration(left.checked_sub(*right).ok_or("duration overflow")?)
        }
        (Value::Timestamp(time), Value::Duration(duration)) => {
            let negative = duration.checked_neg().ok_or("timestamp overflow")?;
            Value::Timestamp(time.add(negative).ok_or("timestamp overflow")?)
        }
        (Value::Timestamp(left), Value::Timestamp(right)) => {
            Value::Duration(left.since(*right).ok_or("duration overflow")?)
        }
        _ => return Err(NO_OVERLOAD.to_owned()),
    })
}

fn multiply<'a>(left: &Value<'a>, right: &Value<'a>) -> Result<'a> {
    Ok(match (left, right) {
        (Value::Int(left), Value::Int(right)) => Value::Int(left.checked_mul(*right).ok_or_else(overflow)?),
        (Value::Uint(left), Value::Uint(right)) => {
            Value::Uint(left.checked_mul(*right).ok_or_else(unsigned_overflow)?)
        }
        (Value::Double(left), Value::Double(right)) => Value::Double(left * right),
        _ => return Err(NO_OVERLOAD.to_owned()),
    })
}

fn divide<'a>(left: &Value<'a>, right: &Value<'a>) -> Result<'a> {
    Ok(match (left, right) {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => {
            return Err("division by zero".to_owned());
        }
        (Value::Int(left), Value::Int(right)) => Value::Int(left.checked_div(*right).ok_or_else(overflow)?),
        (Value::Uint(left), Value::Uint(right)) => Value::Uint(left / right),
        (Value::Double(left), Value::Double(right)) => Value::Double(left / right),
        _ => return Err(NO_OVERLOAD.to_owned()),
    })
}

fn modulo<'a>(left: &Value<'a>, right: &Value<'a>) -> Result<'a> {
    Ok(match (left, right) {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => {
            return Err("modulus by zero".to_owned());
        }
        (Value::Int(left), Value::Int(right)) => Value::Int(left.checked_rem(*right).ok_or_else(overflow)?),
        (Value::Uint(left), Value::Uint(right)) => Value::Uint(left % right),
        _ => return Err(NO_OVERLOAD.to_owned()),
    })
}
