//! The error of a check.

use std::fmt;

use crate::InvalidDefinitions;

/// What a check found, or why it could not be made.
///
/// It is printed over several lines also by `Debug`, so that a test that calls `unwrap` shows it as it is meant to be
/// read.
#[derive(Clone, PartialEq, Eq)]
pub struct Violations(String);

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{}\n", self.0)
    }
}

impl std::error::Error for Violations {}

impl From<InvalidDefinitions> for Violations {
    fn from(error: InvalidDefinitions) -> Self {
        Self(error.to_string())
    }
}

impl From<String> for Violations {
    fn from(text: String) -> Self {
        Self(text)
    }
}

/// For tests that collect texts.
impl From<Violations> for String {
    fn from(violations: Violations) -> Self {
        violations.0
    }
}
