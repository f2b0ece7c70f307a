//! What people are told, on standard error.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Says what is found, and counts.
pub struct Report {
    /// The bar that must not be written across; hidden until there is one.
    pub bar: ProgressBar,
    /// Whether somebody looks at bars, and nothing else is written there.
    pub shows_bars: bool,
    /// Errors so far.
    pub failures: usize,
    /// Objects that were converted, or would be.
    pub changes: usize,
    /// Files that were read.
    pub files: usize,
    /// Files in which something changed, or would.
    pub changed_files: usize,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            bar: ProgressBar::hidden(),
            shows_bars: false,
            failures: 0,
            changes: 0,
            files: 0,
            changed_files: 0,
        }
    }
}

impl Report {
    /// A bar for so many things, where somebody looks at it and there are as many as are worth one.
    pub fn bar_for(&self, count: usize, things: &str, worth: usize) -> ProgressBar {
        if !self.shows_bars || count < worth {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::with_draw_target(Some(count as u64), ProgressDrawTarget::stderr());
        let style =
            ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} {things}, {{eta}} left"));
        bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
    }

    /// An error, at a place: file, line, path of a field, each as far as there is one.
    pub fn failure(&mut self, file: &str, line: Option<usize>, path: &str, message: &str) {
        self.failures += 1;
        self.bar.suspend(|| eprintln!("error: {}{message}", place(file, line, path)));
    }

    /// A warning, at a place as of [`failure`](Self::failure).
    pub fn warning(&mut self, file: &str, line: Option<usize>, path: &str, message: &str) {
        self.bar.suspend(|| eprintln!("warning: {}{message}", place(file, line, path)));
    }

    /// A line to standard output.
    pub fn say(&self, text: &str) {
        self.bar.suspend(|| println!("{text}"));
    }

    /// The last line.
    pub fn summary(&self, only_checked: bool) {
        let verb = if only_checked { "would be" } else { "were" };
        let Self { changes, changed_files, files, failures, .. } = self;
        eprintln!(
            "{changes} objects {verb} converted, in {changed_files} of {files} files; {failures} errors"
        );
    }
}

fn place(file: &str, line: Option<usize>, path: &str) -> String {
    let mut place = String::new();
    if !file.is_empty() {
        place.push_str(file);
        if let Some(line) = line {
            place.push_str(&format!(":{line}"));
        }
        place.push_str(": ");
    }
    if !path.is_empty() {
        place.push_str(path);
        place.push_str(": ");
    }
    place
}
