//! Days at `v1alpha1` are a duration at `v1`.

use hubgen_machinery::Str;

/// Converts to the hub.
pub(crate) fn to_hub(days: i32) -> Str {
    format!("{}h", i64::from(days) * 24).into()
}

/// Converts from the hub. The machinery stores what this does not return.
#[expect(clippy::needless_pass_by_value, reason = "generated code passes all parameters by value")]
pub(crate) fn from_hub(duration: Str) -> i32 {
    let hours = duration.strip_suffix('h').and_then(|hours| hours.parse::<i32>().ok());
    hours.unwrap_or_default() / 24
}
