//! What a request writes, and how.

use hubgen_serve::queue::Turn;

use super::Collection;
use crate::admission::{Operation, Subject};
use crate::storage_path::Part;
use crate::wire::DeleteOptions;

/// How a request writes.
#[derive(Clone)]
pub(crate) struct Write {
    /// Whether the request stops before anything is stored.
    pub(crate) dry_run: bool,
    /// The turn of the request.
    pub(crate) turn: Turn,
}

impl Write {
    /// The same, or a dry run if the options demand one. Upstream ignores the query of a deletion with options in its body;
    /// a client that asks for a dry run anywhere means it.
    pub(crate) fn or_of(&self, options: &DeleteOptions) -> Self {
        let dry_run = self.dry_run || is_dry_run(&options.dry_run);
        Self { dry_run, turn: self.turn.clone() }
    }
}

/// Whether the values of `dryRun` demand a dry run. There is one word, for all stages that have effects.
pub(crate) fn is_dry_run(stages: &[String]) -> bool {
    stages.iter().any(|stage| stage == "All")
}

/// The object that a request writes.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) collection: &'a Collection,
    pub(super) name: &'a str,
    pub(super) part: Part,
}

impl<'a> Target<'a> {
    /// The subject of admission.
    pub(super) fn subject(self, operation: Operation, write: &'a Write) -> Subject<'a> {
        let Collection { entry, namespace } = self.collection;
        Subject {
            operation,
            entry,
            subresource: if self.part == Part::Status { "status" } else { "" },
            namespace,
            name: self.name,
            dry_run: write.dry_run,
            turn: &write.turn,
        }
    }
}
