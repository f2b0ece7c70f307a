//! The conversions of the cases. Most of them have the same object at all versions.

use serde_json::{Map, Value};
use thiserror::Error;

/// Why an object does not convert.
#[derive(Debug, Error)]
#[error("missing requried field bar")]
pub(crate) struct NotConvertible;

/// The name of the type at a version, if that at another one has this name.
pub(crate) fn type_at(case: &Value, name: &str, version: &str) -> String {
    match case["conversion"].as_str() {
        Some("renamed" | "relied") if name.starts_with("Type") => format!("Type{}", version.to_uppercase()),
        Some("renamed" | "relied") => version.to_owned(),
        _ => name.to_owned(),
    }
}

/// An object at another version.
pub(crate) fn converted(case: &Value, object: &Value, from: &str, to: &str) -> Result<Value, NotConvertible> {
    match case["conversion"].as_str() {
        None => Ok(object.clone()),
        Some("renamed") => Ok(named(object, &|name| match name.strip_suffix(from) {
            Some(stem) => format!("{stem}{to}"),
            None => name.to_owned(),
        })),
        Some("repeated") => Ok(repeated(object, to[1..].parse().unwrap())),
        Some("relied") if from == to => Ok(object.clone()),
        Some("relied") => relied(object, to),
        Some(other) => panic!("no conversion {other}"),
    }
}

/// Names that end in a version end in another one.
fn named(value: &Value, name: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::Object(members) => {
            members.iter().map(|(member, value)| (name(member), named(value, name))).collect()
        }
        Value::Array(items) => items.iter().map(|item| named(item, name)).collect(),
        scalar => scalar.clone(),
    }
}

/// The first letter of each name in a map is there as many times as the version has.
fn repeated(object: &Value, times: usize) -> Value {
    let repeat = |name: &str| name[..1].repeat(times);
    let members = object.as_object().into_iter().flatten();
    let members: Map<String, Value> =
        members.map(|(name, value)| (name.clone(), named(value, &repeat))).collect();
    if object.is_null() { Value::Null } else { members.into() }
}

/// A field has two names, and the older version cannot be without it.
fn relied(object: &Value, to: &str) -> Result<Value, NotConvertible> {
    let (old, new) = ("field_foo_rely_on_bar", "required_field_bar");
    if to == "v1" && object.get(new).is_none() {
        return Err(NotConvertible);
    }
    let (before, after) = if to == "v1" { (new, old) } else { (old, new) };
    Ok(named(object, &|name| if name == before { after.to_owned() } else { name.to_owned() }))
}
