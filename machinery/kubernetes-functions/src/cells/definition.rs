//! Cells of CustomResourceDefinitions.

use hubgen_machinery::columns::{Cell, Value};
use hubgen_machinery::scalar::Time;

/// The versions that are served, and at which objects are stored.
pub fn versions(versions: Value<'_>, _: Time) -> Cell {
    let name = |version: Value<'_>| {
        let name = version.get("name").text();
        if version.get("storage").is_true() { format!("{name}(storage)") } else { name.to_owned() }
    };
    let served = versions.items().filter(|version| version.get("served").is_true());
    let mut names: Vec<String> = served.map(name).collect();
    names.sort_unstable();
    Cell::Text(names.join(","))
}

/// Whether its objects are served.
pub fn established(conditions: Value<'_>, _: Time) -> Cell {
    Cell::Bool(conditions.items().any(|condition| {
        condition.get("type").text() == "Established" && condition.get("status").text() == "True"
    }))
}
