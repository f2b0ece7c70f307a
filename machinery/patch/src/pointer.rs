//! Paths in JSON patches (RFC 6901), with what upstream makes of those that are none.

use serde_json::Value;

use crate::Error;

/// Splits a path at its last member. What is before the first slash has no meaning, as upstream has it.
fn split(path: &str) -> Option<(Vec<String>, String)> {
    let names = path.split('/').skip(1).map(|name| name.replace("~1", "/").replace("~0", "~"));
    let mut names: Vec<String> = names.collect();
    let last = names.pop()?;
    Some((names, last))
}

/// The object or list in which the last member of a path is, and that member; `None` if there is none.
pub(crate) fn parent<'a>(document: &'a mut Value, path: &str) -> Option<(&'a mut Value, String)> {
    let (names, last) = split(path)?;
    let mut at = document;
    for name in names {
        at = match at {
            Value::Object(members) => members.get_mut(&name)?,
            Value::Array(items) => {
                let index = index(&name, items.len()).ok()?;
                items.get_mut(index)?
            }
            _ => return None,
        };
    }
    (at.is_object() || at.is_array()).then_some((at, last))
}

/// The index of an item in a list with this many. Negative numbers count from the end.
pub(crate) fn index(name: &str, length: usize) -> Result<usize, Error> {
    let number: i64 = name
        .parse()
        .map_err(|_| Error::Inapplicable(format!("strconv.Atoi: parsing {name:?}: invalid syntax")))?;
    let wrong =
        || Error::Inapplicable(format!("Unable to access invalid index: {number}: invalid index referenced"));
    let length = i64::try_from(length).map_err(|_| wrong())?;
    let index = if number < 0 { number + length } else { number };
    if index >= length {
        return Err(wrong());
    }
    usize::try_from(index).map_err(|_| wrong())
}
