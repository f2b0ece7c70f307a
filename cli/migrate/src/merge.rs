//! Applies a change of an object to the text that its author wrote.

use serde_json::{Map, Value};

/// What `written` becomes when `before` becomes `after`.
///
/// `before` is `written` after a codec read and wrote it: with fields that a codec always writes, without
/// empty ones, with quantities in canonical form. What is equal in `before` and `after` stays as written.
pub fn carry(written: &Value, before: &Value, after: &Value) -> Value {
    if before == after {
        return written.clone();
    }
    match (written, before, after) {
        (Value::Object(written), Value::Object(before), Value::Object(after)) => {
            Value::Object(members(written, before, after))
        }
        (Value::Array(written), Value::Array(before), Value::Array(after))
            if written.len() == before.len() && before.len() == after.len() =>
        {
            let elements = written.iter().zip(before).zip(after);
            Value::Array(elements.map(|((written, before), after)| carry(written, before, after)).collect())
        }
        _ => after.clone(),
    }
}

fn members(
    written: &Map<String, Value>,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
) -> Map<String, Value> {
    let mut out = Map::new();
    for (key, value) in written {
        if let Some(after) = after.get(key) {
            let before = before.get(key);
            out.insert(
                key.clone(),
                before.map_or_else(|| after.clone(), |before| carry(value, before, after)),
            );
        }
    }
    for (key, value) in after {
        if written.contains_key(key) || value.is_null() {
            continue;
        }
        match before.get(key) {
            // Only the codec wrote this.
            Some(before) if before == value || (is_zero(before) && is_zero(value)) => {}
            _ => {
                out.insert(key.clone(), value.clone());
            }
        }
    }
    out
}

/// `written` with what differs between `before` and `after`. What only `written` has stays.
pub fn amended(written: &Value, before: &Value, after: &Value) -> Value {
    match (written, before, after) {
        _ if before == after => written.clone(),
        (Value::Object(written), Value::Object(before), Value::Object(after)) => {
            let mut out = written.clone();
            for (key, after) in after {
                let new = match (written.get(key), before.get(key)) {
                    (Some(written), Some(before)) => amended(written, before, after),
                    (None, before) if before != Some(after) => after.clone(),
                    _ => continue,
                };
                out.insert(key.clone(), new);
            }
            Value::Object(out)
        }
        (Value::Array(written), Value::Array(before), Value::Array(after))
            if written.len() == before.len() && before.len() == after.len() =>
        {
            let elements = written.iter().zip(before).zip(after);
            Value::Array(elements.map(|((written, before), after)| amended(written, before, after)).collect())
        }
        _ if written == before => after.clone(),
        _ => written.clone(),
    }
}

/// An object as it was written, without the members that `known` does not have.
pub fn restrict(written: &Value, known: &Value) -> Value {
    match (written, known) {
        (Value::Object(written), Value::Object(known)) => {
            let members = written
                .iter()
                .filter_map(|(key, value)| known.get(key).map(|known| (key.clone(), restrict(value, known))));
            Value::Object(members.collect())
        }
        (Value::Array(written), Value::Array(known)) if written.len() == known.len() => {
            Value::Array(written.iter().zip(known).map(|(written, known)| restrict(written, known)).collect())
        }
        _ => written.clone(),
    }
}

/// Whether an object that a codec read and wrote again has members that were not written. Metadata does not count.
pub fn lacks(written: &Value, read: &Value) -> bool {
    match (written, read) {
        (Value::Object(written), Value::Object(read)) => read
            .iter()
            .filter(|(name, value)| *name != "metadata" && !value.is_null())
            .any(|(name, read)| written.get(name).is_none_or(|written| lacks(written, read))),
        (Value::Array(written), Value::Array(read)) => {
            written.iter().zip(read).any(|(written, read)| lacks(written, read))
        }
        _ => false,
    }
}

/// Zero, empty or absent; an object is when all its members are.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        Value::Object(members) => members.values().all(is_zero),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_change_stays_as_written() {
        let written = json!({"v": 1, "a": {"cpu": "1000m"}, "b": [{"x": 1}], "gone": 1});
        let before = json!({"v": 1, "a": {"cpu": "1"}, "b": [{"x": 1, "zero": 0}], "gone": 1, "status": {}});
        let after = json!({"v": 2, "a": {"cpu": "1"}, "b": [{"x": 2, "zero": 0}], "status": {"n": 0}, "new": {"y": 0}});
        let expected = json!({"v": 2, "a": {"cpu": "1000m"}, "b": [{"x": 2}], "new": {"y": 0}});
        assert_eq!(carry(&written, &before, &after), expected);
    }

    #[test]
    fn what_was_not_written_is_found_at_any_depth() {
        let read = json!({"metadata": {"name": ""}, "a": [{"b": ""}], "c": null});
        assert!(!lacks(&json!({"a": [{"b": "", "d": 1}]}), &read));
        assert!(lacks(&json!({"a": [{}]}), &read) && lacks(&json!({}), &read));
    }

    #[test]
    fn what_only_the_written_value_has_stays() {
        let written = json!({"a": 1, "b": [{"x": 1, "y": 2}], "kept": 3, "edited": 4});
        let before = json!({"a": 1, "b": [{"x": 1}], "edited": 0});
        let after = json!({"a": 5, "b": [{"x": 1, "z": 6}], "edited": 7, "new": 8});
        let expected = json!({"a": 5, "b": [{"x": 1, "y": 2, "z": 6}], "kept": 3, "edited": 4, "new": 8});
        assert_eq!(amended(&written, &before, &after), expected);
    }

    #[test]
    fn unknown_members_are_left_out_at_any_depth() {
        let written = json!({"a": [{"x": 1, "typo": 2}], "typo": {}});
        assert_eq!(restrict(&written, &json!({"a": [{"x": 1, "y": 0}]})), json!({"a": [{"x": 1}]}));
    }
}
