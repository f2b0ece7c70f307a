//! Converts the JSON of a version to its hub, and back.

use std::cell::Cell;

use super::edits::{Expected, VersionEdits};
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

fn run(
    pairs: &[Edits],
    expected: &[Expected],
    object: &mut Tree<'_>,
    functions: &Functions,
    to_hub: bool,
) -> Result<bool, ConvertError> {
    let Some(root) = pairs.first() else { return Ok(false) };
    expected.iter().try_for_each(|expected| expected.check(object))?;
    let run = Run { pairs, functions, to_hub, loses: Cell::new(false) };
    run.object(&root.name, object)?;
    Ok(run.loses.get())
}
