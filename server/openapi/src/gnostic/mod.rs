//! Documents in protobuf, in the format of gnostic, which clients of Kubernetes read.

mod messages;
mod v2;
mod v3;
mod yaml;

use prost::Message;
use serde_json::{Map, Value};

/// Encodes a document of OpenAPI v2, which is in JSON.
///
/// # Errors
/// If it is not JSON.
pub fn v2(document: &str) -> Result<Vec<u8>, serde_json::Error> {
    v2::encode(document)
}

/// Encodes a document of OpenAPI v3, which is in JSON.
///
/// # Errors
/// If it is not JSON.
pub fn v3(document: &str) -> Result<Vec<u8>, serde_json::Error> {
    Ok(v3::document(&serde_json::from_str(document)?).encode_to_vec())
}

/// A text; empty if there is none.
fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A boolean; false if there is none.
fn flag(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or_default()
}

/// A number; 0 if there is none.
fn number(value: &Value, key: &str) -> f64 {
    value.get(key).and_then(Value::as_f64).unwrap_or_default()
}

/// An integer; 0 if there is none.
fn integer(value: &Value, key: &str) -> i64 {
    value.get(key).and_then(Value::as_i64).unwrap_or_default()
}

/// The texts of a list; none if there is no list.
fn texts(value: &Value, key: &str) -> Vec<String> {
    items(value, key).filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The items of a list.
fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// The members of an object.
fn members<'a>(value: &'a Value, key: &str) -> Option<&'a Map<String, Value>> {
    value.get(key).and_then(Value::as_object)
}

/// The members that are no keywords of OpenAPI, each as YAML.
fn extensions(value: &Value) -> impl Iterator<Item = (&String, String)> {
    let members = value.as_object().into_iter().flatten();
    members.filter(|(name, _)| name.starts_with("x-")).map(|(name, value)| (name, yaml::of(value)))
}
