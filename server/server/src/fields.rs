//! Fields of objects as JSON.

use hubgen_machinery::json;
use hubgen_machinery::reflect::Reflect;
use serde_json::Value;

/// A field as JSON; an empty object if it is absent.
pub(crate) fn value_of(object: &dyn Reflect, field: &str) -> Value {
    let mut text = Vec::new();
    if let Some(slot) = object.field(field) {
        json::encode_slot(&slot, &mut text);
    }
    let value = serde_json::from_slice(&text).unwrap_or(Value::Null);
    if value.is_null() { Value::Object(serde_json::Map::new()) } else { value }
}

/// Sets a field of an object that has the type of `like`.
pub(crate) fn set_value(like: &dyn Reflect, object: &mut dyn Reflect, field: &str, value: &Value) {
    let Some(index) = like.position(field) else { return };
    object.write(index).clear();
    json::decode_slot(value.to_string().as_bytes(), &like.descriptor().fields[index].ty, object.write(index))
        .unwrap_or_else(|error| panic!("cannot write {field} as it was read: {error}"));
}
