//! What is found while the text of an input is converted goes into the report.

use std::ops::Range;

use hubgen_migrate::{Change, Hear, Note};
use hubgen_terminal::Diagnostic;

use super::report::Report;
use crate::input::Input;

/// Reports what is found in an input.
pub struct Heard<'a> {
    /// The input.
    pub input: &'a Input,
    /// Whether each change is printed.
    pub shows_changes: bool,
    /// Where it goes.
    pub report: &'a mut Report,
}

impl Hear for Heard<'_> {
    fn note(&mut self, bytes: Range<usize>, note: &Note) {
        let Note { severity, path, message, help } = note;
        let error = self.input.source.error(bytes, path, message, help);
        self.report.add(&Diagnostic { severity: *severity, ..error });
    }

    fn change(&mut self, at: usize, path: &str, change: &Change) {
        self.report.changes += 1;
        // Nobody else needs the line, and counting lines takes time.
        if self.shows_changes || self.report.messages.are_json() {
            let (line, _) = self.input.source.position(at);
            self.report.change(&self.input.name, line, path, change, self.shows_changes);
        }
    }

    fn take_back(&mut self, changes: usize) {
        self.report.forget_changes(self.report.changes - changes);
    }

    fn list(&mut self, items: usize) -> Box<dyn FnMut()> {
        let bar = self.report.messages.progress.bar(items, "items");
        Box::new(move || bar.step())
    }
}
