//! What `convert` reports: diagnostics, the changes, and counts.

use std::io::{self, Write};

use hubgen_kubernetes::machinery::scheme::KindEntry;
use hubgen_migrate::Change;
use hubgen_terminal::{Diagnostic, Messages, counted, println};
use serde_json::{Value, json};

/// Reports what is found, for people as it comes, for programs as one object at the end.
pub struct Report {
    /// Errors and warnings.
    pub messages: Messages,
    /// Objects that were converted, or would be.
    pub changes: usize,
    /// Files that were read.
    pub files: usize,
    /// Files in which something changed, or would.
    pub changed_files: usize,
    /// The changes, for programs.
    listed: Vec<Value>,
    /// Files that would have changed, and stay as they are because of errors.
    kept_files: Vec<String>,
}

impl Report {
    /// An empty report that prints or collects its messages so.
    pub fn new(messages: Messages) -> Self {
        Self { messages, changes: 0, files: 0, changed_files: 0, listed: Vec::new(), kept_files: Vec::new() }
    }

    /// The errors so far.
    pub fn errors(&self) -> usize {
        self.messages.errors
    }

    /// An error or a warning.
    pub fn add(&mut self, diagnostic: &Diagnostic) {
        self.messages.report(diagnostic);
    }

    /// Lists a change at a line of a file: prints it if `is_shown`.
    pub fn change(&mut self, file: &str, line: u32, path: &str, change: &Change, is_shown: bool) {
        if self.messages.are_json() {
            self.listed.push(listed(change, file, line, path));
        } else if is_shown {
            self.messages.progress.suspend(|| println!("{file}:{line}: {change}"));
        }
    }

    /// Takes back the changes after the first so many, of a list that is not written after all.
    pub fn forget_changes(&mut self, changes: usize) {
        self.changes = changes;
        self.listed.truncate(changes);
    }

    /// A file stays as it is because of its errors: takes back its changes, all after the first so many.
    pub fn keep_file(&mut self, file: &str, changes: usize) {
        self.forget_changes(changes);
        self.messages.note(&format!(
            "{file} stays as it is, because of errors; its other objects are not changed either"
        ));
        self.kept_files.push(file.to_owned());
    }

    /// The last line for people.
    pub fn summary(&self, only_checked: bool) {
        let verb = if only_checked { "would change" } else { "changed" };
        let Self { changes, changed_files, files, messages, .. } = self;
        let errors = messages.errors;
        messages.note(&format!(
            "{} {verb}, in {changed_files} of {}; {}",
            counted(*changes, "object"),
            counted(*files, "file"),
            counted(errors, "error"),
        ));
    }

    /// The report for programs, on one line.
    pub fn write_json(&mut self, mut out: impl Write) -> io::Result<()> {
        let report = json!({
            "ok": self.messages.errors == 0,
            "files": self.files,
            "changed_files": self.changed_files,
            "changed_objects": self.changes,
            "errors": self.messages.errors,
            "warnings": self.messages.warnings,
            "kept_files": self.kept_files,
            "changes": std::mem::take(&mut self.listed),
            "diagnostics": self.messages.take(),
        });
        writeln!(out, "{report}")
    }
}

/// A change at a line of a file, for programs.
fn listed(change: &Change, file: &str, line: u32, path: &str) -> Value {
    let kind = |entry: &KindEntry| json!({"apiVersion": entry.api_version(), "kind": &*entry.kind});
    let mut listed = json!({
        "file": file,
        "line": line,
        "from": kind(&change.from),
        "to": kind(&change.to),
    });
    for (member, text) in [("path", path), ("namespace", &change.namespace), ("name", &change.name)] {
        if !text.is_empty() {
            listed[member] = text.into();
        }
    }
    listed
}
