//! Converts the JSON of a version to its hub, and back.

use std::cell::Cell;

use super::edits::{Edit, Expected, VersionEdits};
use super::fault::Fault;
use super::run::Run;
use super::{Edits, Tree};
use crate::convert::{ConvertError, Functions};

impl VersionEdits {
    /// Converts to the hub by the rules alone, without the stash.
    ///
    /// # Errors
    /// When a value does not fit its version, or has no counterpart in the hub.
    pub fn rules_to_hub(&self, object: &mut Tree<'_>, functions: &Functions) -> Result<(), ConvertError> {
        run(&self.to_hub, &self.expected_to_hub, object, functions, true).map(|_| ())
    }

    /// Converts from the hub by the rules alone, without the stash. Returns whether something in the hub may be lost
    /// unless it is stashed.
    ///
    /// # Errors
    /// As [`rules_to_hub`](Self::rules_to_hub).
    pub fn rules_from_hub(&self, hub: &mut Tree<'_>, functions: &Functions) -> Result<bool, ConvertError> {
        run(&self.from_hub, &self.expected_from_hub, hub, functions, false)
    }
}

/// Whether a function reads the metadata.
fn reads(edits: &Edits) -> bool {
    edits.edits.iter().any(|edit| matches!(edit, Edit::Call { reads, .. } if !reads.is_empty()))
}

fn run(
    pairs: &[Edits],
    expected: &[Expected],
    object: &mut Tree<'_>,
    functions: &Functions,
    to_hub: bool,
) -> Result<bool, ConvertError> {
    let Some(root) = pairs.first() else { return Ok(false) };
    expected.iter().try_for_each(|expected| expected.check(object))?;
    let metadata =
        if pairs.iter().any(reads) { object.get("metadata").map_err(Fault::from)?.cloned() } else { None };
    let metadata = metadata.filter(|metadata| !metadata.is_null()).map(Tree::into_owned);
    let run = Run { pairs, functions, metadata, to_hub, loses: Cell::new(false) };
    run.object(&root.name, object)?;
    Ok(run.loses.get())
}
