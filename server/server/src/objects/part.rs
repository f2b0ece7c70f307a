//! What belongs to the part of an object that a request addresses.

use hubgen_machinery::scheme::{KindEntry, Object};

use crate::part::{Part, has_status, is_answered};
use crate::validation::{self, Scope, Violations};

/// The violations of the structure of the part of an object that a request changes.
pub(super) fn structure(
    object: &Object,
    part: Part,
    body: &[u8],
    excused: Option<&dyn Fn(&str) -> bool>,
) -> Violations {
    let has_status = has_status(&object.entry) || is_answered(&object.entry);
    // Metadata is checked apart: its rules are the same for all kinds.
    let wanted = |field: &str| match part {
        Part::Status | Part::Approval => field == "status",
        _ => field != "metadata" && !(has_status && field == "status"),
    };
    validation::structure(&*object.value, body, &wanted, excused)
}

/// The part of an object that a request changes, for schemas.
pub(super) fn scope(entry: &KindEntry, part: Part) -> Scope {
    match part {
        Part::Status | Part::Approval => Scope::Status,
        _ if has_status(entry) => Scope::WithoutStatus,
        _ => Scope::Whole,
    }
}
