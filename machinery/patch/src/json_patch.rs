//! JSON patches.
//!
//! The semantics are those of the Go library that upstream uses, where it differs from RFC 6902: `replace` adds what is not
//! there, `test` takes an absent member for `null`, indices may be negative.

use serde_json::{Map, Value};

use crate::Error;
use crate::pointer::{index, parent};

/// A JSON patch (RFC 6902): operations that are applied one after the other, or not at all.
///
/// ```
/// use hubgen_patch::{JsonPatch, Limits};
/// use serde_json::json;
///
/// let patch = JsonPatch::new(json!([
///     {"op": "test", "path": "/spec/replicas", "value": 1},
///     {"op": "replace", "path": "/spec/replicas", "value": 2},
/// ]))?;
/// let object = patch.apply(json!({"spec": {"replicas": 1}}), &Limits::default())?;
/// assert_eq!(object, json!({"spec": {"replicas": 2}}));
/// # Ok::<_, hubgen_patch::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct JsonPatch(Vec<Map<String, Value>>);

/// What a JSON patch may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of operations. Default 10,000, as upstream.
    pub operations: usize,
    /// The maximum number of bytes of JSON in all that `copy` operations copy. Default 3 MiB, as upstream.
    pub copied_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { operations: 10_000, copied_bytes: 3 << 20 }
    }
}

impl JsonPatch {
    /// The members of an operation.
    const MEMBERS: [&str; 4] = ["op", "path", "from", "value"];

    /// Reads a patch.
    ///
    /// # Errors
    /// [`Error::Malformed`] if it is not a list of objects, or a path is not a text.
    pub fn new(patch: Value) -> Result<Self, Error> {
        let malformed = |why: String| Error::Malformed(format!("error decoding patch: {why}"));
        let operations = match patch {
            Value::Array(operations) => operations,
            Value::Null => Vec::new(),
            other => {
                return Err(malformed(format!("expected a list of operations, found {}", kind(&other))));
            }
        };
        let mut read = Vec::new();
        for (at, operation) in operations.into_iter().enumerate() {
            let members = match operation {
                Value::Object(members) => members,
                Value::Null => Map::new(),
                other => {
                    return Err(malformed(format!("[{at}]: expected an object, found {}", kind(&other))));
                }
            };
            for name in ["op", "path", "from"] {
                if let Some(value) = members.get(name).filter(|value| !value.is_string() && !value.is_null())
                {
                    return Err(malformed(format!("[{at}].{name}: expected a text, found {}", kind(value))));
                }
            }
            read.push(members);
        }
        Ok(Self(read))
    }

    /// The paths of members that no operation has.
    pub fn unknown(&self) -> impl Iterator<Item = String> {
        self.0.iter().enumerate().flat_map(|(at, operation)| {
            let unknown = operation.keys().filter(|name| !Self::MEMBERS.contains(&name.as_str()));
            unknown.map(move |name| format!("[{at}].{name}"))
        })
    }

    /// Applies the patch.
    ///
    /// # Errors
    /// [`Error::TooLarge`] and [`Error::Inapplicable`].
    pub fn apply(&self, mut document: Value, limits: &Limits) -> Result<Value, Error> {
        let (found, most) = (self.0.len(), limits.operations);
        if found > most {
            let message = format!("The allowed maximum operations in a JSON patch is {most}, got {found}");
            return Err(Error::TooLarge(message));
        }
        let mut left = limits.copied_bytes;
        for operation in &self.0 {
            apply(&mut document, operation, &mut left, limits)?;
        }
        Ok(document)
    }
}

/// Applies one operation. `left` is what `copy` may still copy.
fn apply(
    document: &mut Value,
    operation: &Map<String, Value>,
    left: &mut usize,
    limits: &Limits,
) -> Result<(), Error> {
    let op = operation.get("op").and_then(Value::as_str).unwrap_or("unknown");
    let value = || operation.get("value").cloned().unwrap_or_default();
    match op {
        "add" => add(document, path(operation, op, "path")?, op, "path", value()),
        "remove" => remove(document, path(operation, op, "path")?, op).map(drop),
        "replace" => replace(document, path(operation, op, "path")?, value()),
        "test" => test(document, path(operation, op, "path")?, &value()),
        "move" => {
            let from = path(operation, op, "from")?;
            let moved = remove(document, from, op)?;
            add(document, path(operation, op, "path")?, op, "destination path", moved)
        }
        "copy" => {
            let from = path(operation, op, "from")?;
            let copied = get(document, from, "copy", "from path")?.cloned().unwrap_or_default();
            let to = path(operation, op, "path")?;
            let size = if copied.is_null() { 0 } else { copied.to_string().len() };
            *left = left.checked_sub(size).ok_or_else(|| {
                let all = limits.copied_bytes - *left + size;
                Error::Inapplicable(format!(
                    "Unable to complete the copy, the accumulated size increase of copy is {all}, exceeding the limit {}",
                    limits.copied_bytes
                ))
            })?;
            add(document, to, op, "destination path", copied)
        }
        other => Err(Error::Inapplicable(format!("Unexpected kind: {other}"))),
    }
}

fn path<'a>(operation: &'a Map<String, Value>, op: &str, name: &str) -> Result<&'a str, Error> {
    operation.get(name).and_then(Value::as_str).ok_or_else(|| {
        Error::Inapplicable(format!(
            "{op} operation failed to decode {name}: operation missing {name} field: missing value"
        ))
    })
}

fn missing(op: &str, what: &str, path: &str) -> Error {
    Error::Inapplicable(format!(
        "{op} operation does not apply: doc is missing {what}: {path:?}: missing value"
    ))
}

fn add(document: &mut Value, path: &str, op: &str, what: &str, value: Value) -> Result<(), Error> {
    match parent(document, path) {
        Some((Value::Object(members), name)) => drop(members.insert(name, value)),
        Some((Value::Array(items), name)) if name == "-" => items.push(value),
        Some((Value::Array(items), name)) => {
            // One more than there are: the value may become the last one.
            let at = index(&name, items.len() + 1)?;
            items.insert(at, value);
        }
        _ => return Err(missing(op, what, path)),
    }
    Ok(())
}

fn remove(document: &mut Value, path: &str, op: &str) -> Result<Value, Error> {
    let what = if op == "move" { "from path" } else { "path" };
    match parent(document, path) {
        Some((Value::Object(members), name)) => members.shift_remove(&name).ok_or_else(|| {
            Error::Inapplicable(format!(
                "error in {op} for path: '{path}': Unable to remove nonexistent key: {name}: missing value"
            ))
        }),
        Some((Value::Array(items), name)) => {
            let at = index(&name, items.len())?;
            Ok(items.remove(at))
        }
        _ => Err(missing(op, what, path)),
    }
}

fn replace(document: &mut Value, path: &str, value: Value) -> Result<(), Error> {
    if path.is_empty() {
        if !value.is_object() && !value.is_array() {
            let why = "replace operation value must be object or array";
            return Err(Error::Inapplicable(why.to_owned()));
        }
        *document = value;
        return Ok(());
    }
    match parent(document, path) {
        Some((Value::Object(members), name)) => drop(members.insert(name, value)),
        Some((Value::Array(items), name)) => {
            let at = index(&name, items.len()).map_err(|_| missing("replace", "key", path))?;
            items[at] = value;
        }
        _ => return Err(missing("replace", "path", path)),
    }
    Ok(())
}

fn test(document: &mut Value, path: &str, value: &Value) -> Result<(), Error> {
    let found = if path.is_empty() { Some(&*document) } else { get(document, path, "test", "path")? };
    if found.unwrap_or(&Value::Null) == value {
        return Ok(());
    }
    Err(Error::Inapplicable(format!("testing value {path} failed: test failed")))
}

/// The value at a path; `None` if its object has no such member.
fn get<'a>(document: &'a mut Value, path: &str, op: &str, what: &str) -> Result<Option<&'a Value>, Error> {
    match parent(document, path) {
        Some((Value::Object(members), name)) => Ok(members.get(&name)),
        Some((Value::Array(items), name)) => {
            let at = index(&name, items.len())?;
            Ok(items.get(at))
        }
        _ => Err(missing(op, what, path)),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
