//! Cells of groups of Pods.

use hubgen_machinery::columns::{Cell, Value};
use hubgen_machinery::scalar::Time;

/// How the Pods are scheduled.
pub fn policy(policy: Value<'_>, _: Time) -> Cell {
    Cell::text(if policy.get("gang").is_present() { "Gang" } else { "Basic" })
}

/// Whether they are scheduled.
pub fn status(conditions: Value<'_>, _: Time) -> Cell {
    // Of several conditions of one type, the last one counts.
    let last = |name: &str| conditions.items().rev().find(|condition| condition.get("type").text() == name);
    if let Some(disrupted) = last("DisruptionTarget") {
        return Cell::text(disrupted.get("reason").text());
    }
    Cell::text(match last("PodGroupInitiallyScheduled").map(|condition| condition.get("status").text()) {
        Some("True") => "Scheduled",
        Some(_) => "Unschedulable",
        None => "Pending",
    })
}
