//! Compares two JSON values, with tolerance for golden files of older releases.

use std::collections::BTreeSet;

use serde_json::Value;

/// A difference that is not tolerated.
#[derive(Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its path: `spec.containers[0].image`.
    pub path: String,
    /// What was expected and found.
    pub message: String,
}

/// The first difference between the content of a file and our output.
///
/// `null` equals absent. A field that the file lacks may be present with a zero value, because the
/// reference release always writes some fields that older ones omitted. The names of these fields
/// are added to `added`.
pub fn difference(file: &Value, ours: &Value, added: &mut BTreeSet<String>) -> Option<Difference> {
    compare(file, ours, "", "", added)
}

/// The first difference other than the order of members. Tolerates nothing of what [`difference`]
/// tolerates.
pub fn first_difference(expected: &Value, found: &Value) -> Option<Difference> {
    strict(expected, found, "")
}

fn strict(expected: &Value, found: &Value, path: &str) -> Option<Difference> {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            let names = expected.keys().chain(found.keys().filter(|name| !expected.contains_key(*name)));
            names.into_iter().find_map(|name| {
                let path = join(path, name);
                match (expected.get(name), found.get(name)) {
                    (Some(expected), Some(found)) => strict(expected, found, &path),
                    (expected, found) => Some(Difference { path, message: message(expected, found) }),
                }
            })
        }
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            let mut pairs = expected.iter().zip(found).enumerate();
            pairs.find_map(|(index, (expected, found))| strict(expected, found, &format!("{path}[{index}]")))
        }
        (expected, found) if expected == found => None,
        (expected, found) => {
            Some(Difference { path: path.to_owned(), message: message(Some(expected), Some(found)) })
        }
    }
}

fn message(expected: Option<&Value>, found: Option<&Value>) -> String {
    let [expected, found] =
        [expected, found].map(|value| value.map_or_else(|| "nothing".to_owned(), Value::to_string));
    format!("expected {expected}, found {found}")
}

fn compare(
    file: &Value,
    ours: &Value,
    path: &str,
    name: &str,
    added: &mut BTreeSet<String>,
) -> Option<Difference> {
    match (file, ours) {
        (Value::Object(file), Value::Object(ours)) => {
            for (key, value) in file {
                let path = join(path, key);
                let found = ours.get(key).unwrap_or(&Value::Null);
                if value.is_null() && is_zero(found) {
                    continue;
                }
                let name = join(name, key);
                if let Some(difference) = compare(value, found, &path, &name, added) {
                    return Some(difference);
                }
            }
            for (key, value) in
                ours.iter().filter(|(key, value)| !file.contains_key(*key) && !value.is_null())
            {
                if !is_zero(value) {
                    let message = format!("expected nothing, found {value}");
                    return Some(Difference { path: join(path, key), message });
                }
                added.insert(join(name, key));
            }
            None
        }
        (Value::Array(file), Value::Array(ours)) => {
            if file.len() != ours.len() {
                let message = format!("expected {} elements, found {}", file.len(), ours.len());
                return Some(Difference { path: path.to_owned(), message });
            }
            let name = format!("{name}[]");
            let mut pairs = file.iter().zip(ours).enumerate();
            pairs.find_map(|(index, (file, ours))| {
                compare(file, ours, &format!("{path}[{index}]"), &name, added)
            })
        }
        (file, ours) if file == ours => None,
        (file, Value::Null) => {
            Some(Difference { path: path.to_owned(), message: format!("expected {file}, found nothing") })
        }
        (file, ours) => {
            Some(Difference { path: path.to_owned(), message: format!("expected {file}, found {ours}") })
        }
    }
}

/// Whether a value is zero, empty or absent, or an object whose members all are.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty() || text == "0",
        Value::Array(elements) => elements.is_empty(),
        Value::Object(members) => members.values().all(is_zero),
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn compared(file: Value, ours: Value) -> (Option<String>, Vec<String>) {
        let mut added = BTreeSet::new();
        let found = difference(&file, &ours, &mut added).map(|difference| difference.path);
        (found, added.into_iter().collect())
    }

    #[test]
    fn null_equals_absent() {
        assert_eq!(compared(json!({"a": null}), json!({})), (None, vec![]));
        assert_eq!(compared(json!({}), json!({"a": null})), (None, vec![]));
    }

    #[test]
    fn the_first_difference_forgives_nothing() {
        let first = |expected, found| first_difference(&expected, &found).map(|difference| difference.path);
        assert_eq!(first(json!({"a": [{"b": 1}]}), json!({"a": [{"b": 1}]})), None);
        assert_eq!(first(json!({"a": null}), json!({})).as_deref(), Some("a"));
        assert_eq!(first(json!({}), json!({"a": {"b": 0}})).as_deref(), Some("a"));
        assert_eq!(first(json!({"a": [{"b": 1}]}), json!({"a": [{"b": 2}]})).as_deref(), Some("a[0].b"));
        assert_eq!(first(json!({"a": []}), json!({"a": [1]})).as_deref(), Some("a"));
    }

    #[test]
    fn zeros_may_be_added_and_are_named() {
        let result = compared(json!({"s": [{}]}), json!({"s": [{"count": 0}]}));
        assert_eq!(result, (None, vec!["s[].count".to_owned()]));
    }

    #[test]
    fn nothing_else_is_forgiven() {
        assert_eq!(compared(json!({"a": 0}), json!({})).0.as_deref(), Some("a"));
        assert_eq!(compared(json!({"a": {"b": 1}}), json!({"a": {"b": 2}})).0.as_deref(), Some("a.b"));
        assert_eq!(compared(json!({}), json!({"a": 1})).0.as_deref(), Some("a"));
        assert_eq!(compared(json!({"a": [1]}), json!({"a": [1, 1]})).0.as_deref(), Some("a"));
    }
}
