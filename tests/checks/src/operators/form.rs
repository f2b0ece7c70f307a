//! Brings objects into a form in which they can be compared.

use serde_json::{Value, json};

use super::path::{Path, Pattern, Step};
use crate::annotations::is_ours;

/// Removes hubgen's annotations, and the map if it has no other.
pub fn remove_ours(object: &mut Value) {
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) else { return };
    let before = annotations.len();
    annotations.retain(|key, _| !is_ours(key));
    if before > 0 && annotations.is_empty() {
        metadata.remove("annotations");
    }
}
/// An answer with texts of JSON read at some places, and with lists sorted at others.
pub fn comparable(mut answer: Value, json: &[&Pattern], unordered: &[&Pattern]) -> Value {
    // So that an annotation that only one side has differs, and not the map of them.
    if let Some(metadata) = answer.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.entry("annotations").or_insert_with(|| json!({}));
    }
    prepare(&mut answer, &Path::default(), json, unordered);
    answer
}

fn prepare(value: &mut Value, path: &Path, json: &[&Pattern], unordered: &[&Pattern]) {
    let is_in = |places: &[&Pattern]| places.iter().any(|place| place.matches(path));
    if is_in(json)
        && let Some(read) = value.as_str().and_then(|text| serde_json::from_str(text).ok())
    {
        *value = read;
    }
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                prepare(member, &path.below(Step::Member(name.clone())), json, unordered);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                prepare(item, &path.below(Step::Item(index)), json, unordered);
            }
            if is_in(unordered) {
                items.sort_by_key(Value::to_string);
            }
        }
        _ => {}
    }
}

/// The value at a place that names lead to.
pub fn get<'a>(object: &'a Value, place: &Pattern) -> Option<&'a Value> {
    place.at(&Path::default())?.0.iter().try_fold(object, |value, step| match step {
        Step::Member(name) => value.get(name),
        Step::Item(index) => value.get(index),
    })
}

/// Writes a member at a place that names lead to, or removes it, if the object around it is there.
pub fn set(object: &mut Value, place: &Pattern, value: Option<&Value>) {
    let Some((Step::Member(last), around)) =
        place.at(&Path::default()).and_then(|mut path| Some((path.0.pop()?, path.0)))
    else {
        return;
    };
    let around = around.iter().try_fold(object, |value, step| match step {
        Step::Member(name) => value.get_mut(name),
        Step::Item(index) => value.get_mut(index),
    });
    let Some(members) = around.and_then(Value::as_object_mut) else { return };
    match value {
        Some(value) => drop(members.insert(last, value.clone())),
        None => drop(members.remove(&last)),
    }
}

/// Removes the members at some places.
pub fn remove(object: &mut Value, places: &[&Pattern]) {
    remove_below(object, &Path::default(), places);
}

fn remove_below(value: &mut Value, path: &Path, places: &[&Pattern]) {
    match value {
        Value::Object(members) => members.retain(|name, member| {
            let path = path.below(Step::Member(name.clone()));
            remove_below(member, &path, places);
            !places.iter().any(|place| place.matches(&path))
        }),
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                remove_below(item, &path.below(Step::Item(index)), places);
            }
        }
        _ => {}
    }
}

/// A value without empty members.
pub fn without_empty(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().map(|(name, member)| (name.clone(), without_empty(member)));
            Value::Object(members.filter(|(_, member)| !is_empty(member)).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_empty).collect()),
        value => value.clone(),
    }
}

pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_brought_into_one_form() {
        let pattern = |text: &str| Pattern::parse(text).unwrap();
        let answer = json!({"metadata": {}, "spec": {"a": "{\"b\": 1}", "list": [2, 1], "other": [2, 1]}});
        let found = comparable(answer, &[&pattern("spec.a")], &[&pattern("spec.list")]);
        let expected = json!({"metadata": {"annotations": {}}, "spec": {"a": {"b": 1}, "list": [1, 2], "other": [2, 1]}});
        assert_eq!(found, expected);
        let mut object = json!({"spec": {"items": [{"a": 1, "b": 2}]}});
        remove(&mut object, &[&pattern("spec.items[].a")]);
        assert_eq!(object, json!({"spec": {"items": [{"b": 2}]}}));
        assert_eq!(without_empty(&json!({"a": {"b": ""}, "c": [{"d": 0}, 1]})), json!({"c": [{}, 1]}));
    }

    #[test]
    fn annotations_of_ours_are_removed() {
        let mut object = json!({"metadata": {"annotations": {"conversion.hubgen.dev/kept": "x"}}});
        remove_ours(&mut object);
        assert_eq!(object, json!({"metadata": {}}));
    }
}
