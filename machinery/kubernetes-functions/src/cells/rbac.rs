//! Cells of bindings of roles: who has them.

use hubgen_machinery::columns::{Cell, Value};
use hubgen_machinery::scalar::Time;

/// The users.
pub fn users(subjects: Value<'_>, _: Time) -> Cell {
    of_kind(subjects, "User", |subject| subject.get("name").text().to_owned())
}

/// The groups.
pub fn groups(subjects: Value<'_>, _: Time) -> Cell {
    of_kind(subjects, "Group", |subject| subject.get("name").text().to_owned())
}

/// The service accounts.
pub fn service_accounts(subjects: Value<'_>, _: Time) -> Cell {
    of_kind(subjects, "ServiceAccount", |subject| {
        format!("{}/{}", subject.get("namespace").text(), subject.get("name").text())
    })
}

fn of_kind(subjects: Value<'_>, kind: &str, name: fn(Value<'_>) -> String) -> Cell {
    let of_kind = subjects.items().filter(|subject| subject.get("kind").text() == kind);
    Cell::Text(of_kind.map(name).collect::<Vec<_>>().join(", "))
}
