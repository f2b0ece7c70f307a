//! The paths at which objects differ.

use std::collections::BTreeSet;

use hubgen_machinery::reflect::{Reflect, Slot, SlotMut, copy_slot};
use serde_json::Value;

/// The paths at which two objects of one type differ. A list differs as a whole.
pub(crate) fn paths(a: &Value, b: &Value) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    compare("", Some(a), Some(b), &mut out);
    out
}

/// The length of the list at a path; zero if there is no list.
pub(crate) fn len(value: &Value, path: &str) -> usize {
    let found = path.split('.').skip(1).try_fold(value, |value, name| value.get(name));
    found.and_then(Value::as_array).map_or(0, Vec::len)
}

/// Copies the value at a path from one object to another of the same type.
pub(crate) fn put_back(from: &dyn Reflect, to: &mut dyn Reflect, path: &str) {
    let names: Vec<&str> = path.split('.').skip(1).collect();
    put(&Slot::Struct(from), SlotMut::Struct(to), &names);
}

fn put(from: &Slot<'_>, to: SlotMut<'_>, names: &[&str]) {
    match (from, names) {
        (Slot::Absent, _) => to.clear(),
        (from, []) => copy_slot(from, to),
        (Slot::Struct(from), [name, rest @ ..]) => {
            if let (SlotMut::Struct(to), Some(from)) = (to.present(), from.field(name))
                && let Some(to) = to.field_mut(name)
            {
                put(&from, to, rest);
            }
        }
        (Slot::Map(from), [name, rest @ ..]) => match (to.present(), from.get(name)) {
            (SlotMut::Map(to), Some(from)) => put(&from, to.entry(name), rest),
            (SlotMut::Map(to), None) => {
                to.retain(&mut |other| other != *name);
            }
            _ => {}
        },
        _ => {}
    }
}

fn compare(path: &str, a: Option<&Value>, b: Option<&Value>, out: &mut BTreeSet<String>) {
    match (a, b) {
        (Some(Value::Object(a)), Some(Value::Object(b))) => {
            let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for name in names {
                compare(&format!("{path}.{name}"), a.get(name), b.get(name), out);
            }
        }
        (None, None) => {}
        (Some(a), Some(b)) if is_same(a, b) => {}
        _ => {
            out.insert(path.to_owned());
        }
    }
}

/// Whether two values are the same JSON: `0` and `0.0` are the same number.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) if a.is_f64() || b.is_f64() => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| is_same(a, b)))
        }
        (a, b) => a == b,
    }
}

/// Whether one of two paths equals or contains the other.
pub(crate) fn is_within(path: &str, other: &str) -> bool {
    let is_below =
        |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    is_below(path, other) || is_below(other, path)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equal_numbers_may_be_written_differently() {
        let differ = |a, b| !paths(&a, &b).is_empty();
        assert!(!differ(json!({"a": [{"b": 0}]}), json!({"a": [{"b": 0.0}]})));
        assert!(differ(json!({"a": [{"b": 0}]}), json!({"a": [{"b": 0.5}]})));
        assert!(differ(json!({"a": i64::MAX}), json!({"a": i64::MAX - 1})));
    }
}
