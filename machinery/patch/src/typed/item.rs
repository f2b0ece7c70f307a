//! The elements that name the items of a list.

use hubgen_machinery::Str;
use hubgen_machinery::reflect::Keys;
use serde_json::Value;

use super::error::ItemError;
use super::place::{By, List, Types};
use crate::fields::Element;

/// The element that names an item of a list. The list is not atomic.
pub(super) fn element<'a>(types: Types<'a>, list: List<'a>, item: &Value) -> Result<Element, ItemError> {
    match list.by {
        By::Keys(keys) => by_keys(types, list, keys, item),
        By::Value | By::Nothing => match item {
            Value::Object(_) => Err(ItemError::ObjectInSet),
            Value::Array(_) => Err(ItemError::ListInSet),
            Value::Null => Err(ItemError::NullInSet),
            scalar => Ok(Element::Value(scalar.clone())),
        },
    }
}

/// The element of an item with keys. A key that is missing has its default, or is missing in the element, too.
fn by_keys<'a>(types: Types<'a>, list: List<'a>, keys: Keys<'a>, item: &Value) -> Result<Element, ItemError> {
    let item = match item {
        Value::Object(item) => item,
        Value::Null => return Err(ItemError::NullWithKeys),
        _ => return Err(ItemError::NoObject),
    };
    let value = |key: &str| match item.get(key) {
        Some(value) => Some(value.clone()),
        None => list.default_of(types, key).and_then(|json| serde_json::from_str(json).ok()),
    };
    let found: Vec<(Str, Value)> =
        keys.iter().filter_map(|key| value(key).map(|value| (key.into(), value))).collect();
    if found.is_empty() && !keys.is_empty() {
        return Err(ItemError::NoKeys(keys.iter().map(str::to_owned).collect()));
    }
    Ok(Element::key(found))
}
