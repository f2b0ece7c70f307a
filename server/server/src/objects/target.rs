//! What a request reads or writes, and how it writes.

use std::sync::{Arc, Mutex, PoisonError};

use hubgen_machinery::scheme::KindEntry;
use hubgen_meta::v1::DeleteOptions;
use hubgen_serve::queue::Turn;

use crate::access::User;
use crate::admission::{Operation, Subject};
use crate::part::Part;

/// The collection of a request: a kind at a version, and a namespace.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Collection {
    pub(crate) entry: Arc<KindEntry>,
    /// Empty for cluster-scoped kinds and for all namespaces.
    pub(crate) namespace: String,
}

/// How a request writes.
#[derive(Clone)]
pub(crate) struct Write {
    /// Who asks.
    pub(crate) user: Arc<User>,
    /// The name under which the client owns fields.
    pub(crate) manager: String,
    /// Whether the request stops before anything is stored.
    pub(crate) dry_run: bool,
    /// The turn of the request.
    pub(crate) turn: Turn,
    pub(crate) warnings: Warnings,
}

/// What the client is warned of, although its request is done. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Warnings(Arc<Mutex<Vec<String>>>);

impl Warnings {
    /// Adds those that are not there. A write that is repeated warns again.
    pub(super) fn add(&self, warnings: Vec<String>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for warning in warnings {
            if !all.contains(&warning) {
                all.push(warning);
            }
        }
    }

    /// All of them, of which none is left.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write {
    /// The same, or a dry run if the options demand one. Upstream ignores the query of a deletion with options in its
    /// body; a client that asks for a dry run anywhere means it.
    pub(crate) fn or_as_options_say(&self, options: &DeleteOptions) -> Self {
        Self { dry_run: self.dry_run || is_dry_run(&options.dry_run), ..self.clone() }
    }
}

/// Whether the values of `dryRun` demand a dry run. There is one word, for all stages that have effects.
pub(crate) fn is_dry_run(stages: &[impl AsRef<str>]) -> bool {
    stages.iter().any(|stage| stage.as_ref() == "All")
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
            subresource: self.part.subresource(),
            namespace,
            name: self.name,
            user: &write.user,
            dry_run: write.dry_run,
            turn: &write.turn,
        }
    }
}
