//! Cells of ComponentStatuses.

use hubgen_machinery::columns::{Cell, Value};
use hubgen_machinery::scalar::Time;

/// Whether a component is healthy.
pub fn status(conditions: Value<'_>, _: Time) -> Cell {
    let mut conditions = conditions.items();
    let healthy = conditions.find(|condition| condition.get("type").text() == "Healthy");
    Cell::text(match healthy.map(|condition| condition.get("status").text()) {
        Some("True") => "Healthy",
        Some(_) => "Unhealthy",
        None => "Unknown",
    })
}
