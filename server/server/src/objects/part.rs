//! The parts of an object that requests address.

use hubgen_machinery::scheme::{KindEntry, Object};

use crate::validation::{self, Scope, Violations};

/// The part of an object that a request addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The object, without its status if there is a `status` subresource.
    Main,
    /// The `status` subresource.
    Status,
}

impl Part {
    /// The name of the subresource; empty for the object itself.
    pub(crate) fn subresource(self) -> &'static str {
        match self {
            Self::Main => "",
            Self::Status => "status",
        }
    }
}

/// Whether a kind has a `status` subresource, so that no other request changes its status.
pub(crate) fn has_status(entry: &KindEntry) -> bool {
    let subresources = entry.resource.as_ref().map(|resource| &resource.subresources);
    subresources.is_some_and(|parts| parts.iter().any(|part| part.name == Part::Status.subresource()))
}

/// The violations of the structure of the part of an object that a request changes.
pub(super) fn structure(
    object: &Object,
    part: Part,
    body: &[u8],
    excused: Option<&dyn Fn(&str) -> bool>,
) -> Violations {
    let has_status = has_status(&object.entry);
    // Metadata is checked apart: its rules are the same for all kinds.
    let wanted = |field: &str| match part {
        Part::Main => field != "metadata" && !(has_status && field == "status"),
        Part::Status => field == "status",
    };
    validation::structure(&*object.value, body, &wanted, excused)
}

/// The part of an object that a request changes, for schemas.
pub(super) fn scope(entry: &KindEntry, part: Part) -> Scope {
    match part {
        Part::Status => Scope::Status,
        Part::Main if has_status(entry) => Scope::WithoutStatus,
        Part::Main => Scope::Whole,
    }
}
