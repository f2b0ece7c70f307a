//! What has passed, and what has not.

use crate::{Failure, Report};

/// Steps, and those that failed.
#[derive(Default)]
pub struct Tally {
    total: usize,
    failures: Vec<Failure>,
    /// Remarks, such as what was left out.
    pub notes: Vec<String>,
}

impl Tally {
    /// Counts a step.
    pub fn take(&mut self, name: &str, result: Result<(), String>) {
        self.total += 1;
        if let Err(message) = result {
            self.failures.push(Failure { file: name.to_owned(), path: String::new(), message });
        }
    }

    /// The result, with further counts.
    pub fn report(self, details: Vec<(&'static str, usize)>) -> Report {
        Report {
            what: "steps",
            passed: self.total - self.failures.len(),
            total: self.total,
            details,
            failures: self.failures,
            notes: self.notes,
        }
    }
}
