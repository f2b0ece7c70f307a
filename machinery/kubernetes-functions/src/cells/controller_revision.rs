//! Cells of ControllerRevisions.

use hubgen_machinery::columns::{Cell, Value};
use hubgen_machinery::scalar::Time;

/// The controller whose revision it is.
pub fn controller(owners: Value<'_>, _: Time) -> Cell {
    let Some(owner) = owners.items().find(|owner| owner.get("controller").is_true()) else {
        return Cell::text("<none>");
    };
    let (version, kind, name) =
        (owner.get("apiVersion").text(), owner.get("kind").text(), owner.get("name").text());
    let kind = match version.split_once('/') {
        Some((group, _)) if !group.is_empty() => format!("{kind}.{group}"),
        _ => kind.to_owned(),
    };
    Cell::Text(if kind.is_empty() { name.to_owned() } else { format!("{}/{name}", kind.to_lowercase()) })
}
