//! Edits that a client can make to an object.

use std::collections::BTreeSet;

use serde_json::Value;

use super::generate::{self, Hint, Source};
use crate::convert::plain::{from_json, to_json};
use crate::reflect::{List, Map, Reflect, Slot, SlotMut, Type, copy_slot};

/// Makes one generated edit anywhere but in `metadata`: changes, sets or removes a value, or adds,
/// removes, moves or duplicates elements of a list. Returns what was done and where.
pub fn edit(object: &mut dyn Reflect, source: &mut Source<'_>) -> String {
    let described = object.descriptor().share();
    let fields = &described.fields;
    let all: Vec<usize> = (0..fields.len()).filter(|index| fields[*index].name != "metadata").collect();
    if all.is_empty() {
        return "nothing".to_owned();
    }
    let index = all[source.below(all.len())];
    let field = &fields[index];
    // A named list type and a union count as leaves: they are regenerated as a whole.
    let done = edit_slot(object.write(index), &field.ty, Hint::of(field), source).unwrap_or_else(|| {
        generate::slot(object.write(index), &field.ty, Hint::of(field), source);
        ": regenerated".to_owned()
    });
    format!("{}{}{done}", field.name, if done.starts_with([':', '[']) { "" } else { "." })
}

/// Edits part of a value; `None` if the value has no parts. The value belongs to that field.
fn edit_slot(slot: SlotMut<'_>, ty: &Type, hint: Hint<'_>, source: &mut Source<'_>) -> Option<String> {
    match slot {
        SlotMut::Struct(object) => Some(edit(object, source)),
        SlotMut::Optional(value) => {
            if value.is_present() && source.below(4) == 3 {
                value.clear();
                return Some(": removed".to_owned());
            }
            let was_present = value.is_present();
            let done = edit_slot(value.insert(), ty, hint, source);
            if done.is_none() {
                generate::slot(value.insert(), ty, hint, source);
            }
            match done {
                Some(done) if was_present => Some(done),
                _ if was_present => Some(": regenerated".to_owned()),
                _ => Some(": set".to_owned()),
            }
        }
        SlotMut::List(list) => edit_list(list, ty, hint, source),
        SlotMut::Map(map) => Some(edit_map(map, ty, hint, source)),
        _ => None,
    }
}

fn edit_list(list: &mut dyn List, ty: &Type, hint: Hint<'_>, source: &mut Source<'_>) -> Option<String> {
    let Type::List(node) = ty else { return None };
    let hint = hint.of_items(node);
    let len = list.len();
    if len == 0 {
        generate::slot(list.push(), &node.ty, hint, source);
        return Some(": element added".to_owned());
    }
    let (at, to) = (source.below(len), source.below(len));
    Some(match source.below(5) {
        0 => {
            generate::slot(list.push(), &node.ty, hint, source);
            list.shift(len, at);
            format!("[{at}]: element added")
        }
        1 => {
            list.shift(at, len - 1);
            list.truncate(len - 1);
            format!("[{at}]: removed")
        }
        2 => {
            list.shift(at, to);
            format!("[{at}]: moved to [{to}]")
        }
        3 => {
            double(list, at);
            format!("[{at}]: duplicated")
        }
        _ => match edit_slot(list.get_mut(at), &node.ty, hint, source) {
            Some(done) => format!("[{at}]{}{done}", if done.starts_with([':', '[']) { "" } else { "." }),
            None => {
                generate::slot(list.get_mut(at), &node.ty, hint, source);
                format!("[{at}]: regenerated")
            }
        },
    })
}

/// Appends a copy of an element.
fn double(list: &mut dyn List, at: usize) {
    // Two elements of one list cannot be borrowed at once.
    let value = to_json(&list.get(at));
    let _ = from_json(list.push(), &value);
}

fn edit_map(map: &mut dyn Map, ty: &Type, hint: Hint<'_>, source: &mut Source<'_>) -> String {
    let Type::Map(node) = ty else { return ": unchanged".to_owned() };
    let hint = hint.of_items(node);
    let mut keys = Vec::new();
    map.visit(&mut |key, _| keys.push(key.to_owned()));
    match keys.as_slice().get(source.below(keys.len() + 1)) {
        Some(key) => {
            map.retain(&mut |other| other != key);
            format!("[{key:?}]: removed")
        }
        None => {
            generate::slot(map.entry("edited"), &node.ty, hint, source);
            "[\"edited\"]: set".to_owned()
        }
    }
}

/// The paths at which two objects of one type differ. A list differs as a whole.
pub(super) fn differences(a: &Value, b: &Value) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    compare("", Some(a), Some(b), &mut out);
    out
}

/// The length of the list at a path; zero if there is no list.
pub(super) fn len(value: &Value, path: &str) -> usize {
    let found = path.split('.').skip(1).try_fold(value, |value, name| value.get(name));
    found.and_then(Value::as_array).map_or(0, Vec::len)
}

/// Copies the value at a path from one object to another of the same type.
pub(super) fn put_back(from: &dyn Reflect, to: &mut dyn Reflect, path: &str) {
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
pub(super) fn is_within(path: &str, other: &str) -> bool {
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
        let differ = |a, b| !differences(&a, &b).is_empty();
        assert!(!differ(json!({"a": [{"b": 0}]}), json!({"a": [{"b": 0.0}]})));
        assert!(differ(json!({"a": [{"b": 0}]}), json!({"a": [{"b": 0.5}]})));
        assert!(differ(json!({"a": i64::MAX}), json!({"a": i64::MAX - 1})));
    }
}
