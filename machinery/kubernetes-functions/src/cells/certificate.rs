//! Cells of requests for certificates.

use hubgen_machinery::columns::{Cell, Value, human};
use hubgen_machinery::scalar::Time;

/// What has become of a request.
pub fn request_condition(request: Value<'_>, _: Time) -> Cell {
    let has = |name: &str| {
        request.get("status.conditions").items().any(|condition| condition.get("type").text() == name)
    };
    let mut text = match () {
        () if has("Denied") => "Denied",
        () if has("Approved") => "Approved",
        () => "Pending",
    }
    .to_owned();
    if has("Failed") {
        text.push_str(",Failed");
    }
    if !request.get("status.certificate").is_empty() {
        text.push_str(",Issued");
    }
    Cell::Text(text)
}

/// How long a certificate shall be valid.
pub fn duration(seconds: Value<'_>, _: Time) -> Cell {
    Cell::Text(if seconds.is_present() { human(seconds.integer()) } else { "<none>".to_owned() })
}

/// What has become of the request of a Pod. The last condition counts.
pub fn pod_request_state(conditions: Value<'_>, _: Time) -> Cell {
    let states = conditions.items().rev().map(|condition| condition.get("type").text());
    let state = states.into_iter().find(|state| matches!(*state, "Issued" | "Denied" | "Failed"));
    Cell::text(state.unwrap_or("Pending"))
}
