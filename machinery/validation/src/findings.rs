//! Collects errors up to a limit.

use std::collections::HashSet;

use crate::error::{FieldError, FieldErrors};

/// How many errors are kept, and how long their texts are.
///
/// A body of a few megabytes can have a million errors, each of which repeats a long path and a long value. A program
/// that validates what strangers send should have limits.
///
/// ```
/// # fn main() -> Result<(), hubgen_validation::FieldErrors> {
/// use hubgen_validation::{Limits, Schema};
/// use serde_json::json;
///
/// let ports = json!({"type": "array", "items": {"type": "integer"}});
/// let schema = Schema::compile(&json!({"type": "object", "properties": {"ports": ports}}))?;
/// let object = json!({"ports": vec!["http"; 1000]});
/// let errors = schema.validate_within(&object, Limits { errors: 10, bytes: 100 }).unwrap_err();
/// assert_eq!((errors.len(), errors.more()), (10, 990));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The number of errors that are kept.
    pub errors: usize,
    /// The longest field or message, in bytes. What is longer is cut, and ends in `…`.
    pub bytes: usize,
}

impl Limits {
    /// No limits: all errors, with their whole texts, as the API server sends them.
    pub const NONE: Self = Self { errors: usize::MAX, bytes: usize::MAX };
}

/// The errors found so far.
#[derive(Clone, Debug)]
pub(crate) struct Findings {
    errors: Vec<FieldError>,
    more: usize,
    /// Whether an error that is not kept, or is about something else, blocks rules.
    more_block: bool,
    pub(crate) limits: Limits,
}

impl Findings {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { errors: Vec::new(), more: 0, more_block: false, limits }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_empty() && self.more == 0
    }

    /// The number of errors, kept or not.
    pub(crate) fn count(&self) -> usize {
        self.errors.len() + self.more
    }

    pub(crate) fn add(&mut self, mut error: FieldError) {
        if self.errors.len() >= self.limits.errors {
            self.more += 1;
            self.more_block |= error.reason.blocks_rules();
            return;
        }
        cut(&mut error.field, self.limits.bytes);
        cut(&mut error.message, self.limits.bytes);
        self.errors.push(error);
    }

    pub(crate) fn append(&mut self, other: Self) {
        for error in other.errors {
            self.add(error);
        }
        self.more += other.more;
        self.more_block |= other.more_block;
    }

    /// Notes that something else is wrong because of which the API server evaluates no rules.
    pub(crate) fn block(&mut self) {
        self.more_block = true;
    }

    /// Whether the API server evaluates no rules because of these errors.
    pub(crate) fn block_rules(&self) -> bool {
        self.more_block || self.errors.iter().any(|error| error.reason.blocks_rules())
    }

    /// Removes errors that occur twice, which happens if two parts of a schema require the same.
    pub(crate) fn remove_repeated(&mut self) {
        let mut seen = HashSet::new();
        self.errors.retain(|error| seen.insert(error.clone()));
    }

    pub(crate) fn into_result(self) -> Result<(), FieldErrors> {
        match self.is_empty() {
            true => Ok(()),
            false => Err(FieldErrors { errors: self.errors, more: self.more }),
        }
    }
}

fn cut(text: &mut String, max: usize) {
    if text.len() > max {
        text.truncate(text.floor_char_boundary(max));
        text.push('…');
    }
}
