//! Merge patches.

use serde_json::{Map, Value};

/// Applies a merge patch (RFC 7386): `null` removes a member, an object is merged, and any other value replaces.
///
/// ```
/// use serde_json::json;
///
/// let mut object = json!({"a": {"b": 1, "c": 2}, "d": [1]});
/// hubgen_patch::merge(&mut object, json!({"a": {"b": null}, "d": [2], "e": {"f": null}}));
/// assert_eq!(object, json!({"a": {"c": 2}, "d": [2], "e": {}}));
/// ```
pub fn merge(target: &mut Value, patch: Value) {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => merge_members(target, patch),
        (target, mut patch) => {
            remove_nulls(&mut patch);
            *target = patch;
        }
    }
}

fn merge_members(target: &mut Map<String, Value>, patch: Map<String, Value>) {
    for (name, mut value) in patch {
        if value.is_null() {
            target.shift_remove(&name);
            continue;
        }
        match target.get_mut(&name) {
            Some(old) if !old.is_null() => merge(old, value),
            _ => {
                remove_nulls(&mut value);
                target.insert(name, value);
            }
        }
    }
}

/// Removes members that are `null`, at any depth. Items of lists that are `null` stay.
pub(crate) fn remove_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(remove_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_nulls),
        _ => {}
    }
}
