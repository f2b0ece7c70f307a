//! What the definition of a kind with a subresource `scale` requires of its objects.

use hubgen_machinery::json;
use hubgen_machinery::reflect::Reflect;
use hubgen_validation::Reason;
use hubgen_validation::definition::Scale;
use serde_json::Value;

use super::{Violation, Violations};
use crate::nested;

/// What is wrong with the numbers of replicas of an object, and with its selector. Of the spec, nothing is told if only the
/// status changes.
pub(crate) fn scale(scale: &Scale, object: &dyn Reflect, is_status: bool) -> Violations {
    let document =
        json::encode(object).ok().and_then(|json| serde_json::from_slice(&json).ok()).unwrap_or(Value::Null);
    let mut found = Violations::default();
    if !is_status {
        replicas(&document, &scale.spec_replicas, &mut found);
    }
    replicas(&document, &scale.status_replicas, &mut found);
    if let Some(path) = &scale.label_selector
        && let Err(why) = nested::text(&document, &nested::parts(path))
    {
        found.add(|| Violation::invalid(path, "", why));
    }
    found
}

fn replicas(document: &Value, path: &str, found: &mut Violations) {
    const MOST: i64 = i32::MAX as i64;
    let (number, why) = match nested::integer(document, &nested::parts(path)) {
        Err(why) => (0, why),
        Ok(Some(number)) if number < 0 => (number, "should be a non-negative integer".to_owned()),
        Ok(Some(number)) if number > MOST => (number, format!("should be less than or equal to {MOST}")),
        Ok(_) => return,
    };
    let message = format!("Invalid value: {number}: {why}");
    found.add(|| Violation { reason: Reason::Invalid, field: path.to_owned(), message });
}
