//! Fields that later releases dropped stay.

use serde_json::Value;

use super::{Case, Mismatch};
use crate::differential::record::Release;

/// They have nothing, because their release no longer has the field; we have the value of the
/// request's field of that name.
pub fn applies(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    let (None, Some(ours), Some((_, field)), Some(release)) =
        (place.theirs, place.ours, place.field, case.release)
    else {
        return false;
    };
    let until: Option<Release> = field.facts.until().and_then(|until| until.parse().ok());
    until.is_some_and(|until| until < release) && has(case.read, &field.name, ours)
}

fn has(object: &Value, name: &str, value: &Value) -> bool {
    match object {
        Value::Object(members) => {
            members.iter().any(|(key, member)| (key == name && member == value) || has(member, name, value))
        }
        Value::Array(elements) => elements.iter().any(|element| has(element, name, value)),
        _ => false,
    }
}
