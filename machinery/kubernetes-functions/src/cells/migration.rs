//! Cells of StorageVersionMigrations.

use hubgen_machinery::columns::{Cell, Value};
use hubgen_machinery::scalar::Time;

/// The resource whose objects are written anew.
pub fn resource(resource: Value<'_>, _: Time) -> Cell {
    let (group, name) = (resource.get("group").text(), resource.get("resource").text());
    Cell::Text(if group.is_empty() { name.to_owned() } else { format!("{name}.{group}") })
}

/// How far the migration is. The last condition counts.
pub fn status(conditions: Value<'_>, _: Time) -> Cell {
    let holds = conditions.items().rev().filter(|condition| condition.get("status").text() == "True");
    let mut states = holds.map(|condition| condition.get("type").text());
    Cell::text(states.find(|state| matches!(*state, "Running" | "Failed" | "Succeeded")).unwrap_or("Unknown"))
}
