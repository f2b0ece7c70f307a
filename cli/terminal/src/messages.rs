//! What a command reports.

use std::process::ExitCode;

use hubgen_diagnostic::{Diagnostic, Severity};
use serde_json::{Value, json};

use crate::alike::alike;
use crate::picture::{Look, line, picture};
use crate::{FAILURE, Progress, eprint, eprintln, println, to_json};

/// `1 file`, `2 files`.
pub fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Prints diagnostics to standard error as they come, or collects them for a report in JSON; counts them.
///
/// An error is printed with a picture of its place, a warning on one line: there may be many.
#[derive(Debug)]
pub struct Messages {
    /// The errors so far.
    pub errors: usize,
    /// The warnings so far.
    pub warnings: usize,
    /// The bars that lines must not be printed across.
    pub progress: Progress,
    is_quiet: bool,
    /// The diagnostics, where they are collected.
    collected: Option<Vec<Value>>,
}

impl Messages {
    /// Messages for people; `is_quiet` leaves warnings out.
    pub fn print(is_quiet: bool) -> Self {
        Self { errors: 0, warnings: 0, progress: Progress::hidden(), is_quiet, collected: None }
    }

    /// Messages for programs.
    pub fn collect() -> Self {
        Self { collected: Some(Vec::new()), ..Self::print(false) }
    }

    /// Messages for programs if `as_json`, else for people.
    pub fn new(as_json: bool, is_quiet: bool) -> Self {
        if as_json { Self::collect() } else { Self::print(is_quiet) }
    }

    /// Whether they are for programs.
    pub fn are_json(&self) -> bool {
        self.collected.is_some()
    }

    /// Reports a finding.
    pub fn report(&mut self, diagnostic: &Diagnostic) {
        let is_error = diagnostic.severity == Severity::Error;
        *(if is_error { &mut self.errors } else { &mut self.warnings }) += 1;
        if let Some(collected) = &mut self.collected {
            collected.push(to_json(diagnostic));
        } else if is_error || !self.is_quiet {
            let look = Look::of_stderr();
            let text = if is_error { picture(diagnostic, look) } else { line(diagnostic, look) };
            self.progress.suspend(|| eprint!("{text}"));
        }
    }

    /// Prints a line for people to standard error, such as a summary; not if they want quiet.
    pub fn note(&self, text: &str) {
        if self.collected.is_none() && !self.is_quiet {
            self.progress.suspend(|| eprintln!("{text}"));
        }
    }

    /// Reports errors, with warnings among them, and that nothing was written; the exit code is that of a
    /// failure.
    pub fn fail(&mut self, findings: &[Diagnostic]) -> ExitCode {
        let before = self.errors;
        if self.are_json() {
            findings.iter().for_each(|finding| self.report(finding));
        } else {
            for together in alike(findings) {
                self.report(&together.shown());
                self.errors += together.others.len();
            }
        }
        let errors = self.errors - before;
        if self.are_json() {
            println!("{}", json!({ "ok": false, "diagnostics": self.take() }));
        } else {
            eprintln!("{}; nothing was written", counted(errors, "error"));
        }
        ExitCode::from(FAILURE)
    }

    /// The collected diagnostics.
    pub fn take(&mut self) -> Value {
        Value::Array(self.collected.as_mut().map(std::mem::take).unwrap_or_default())
    }
}
