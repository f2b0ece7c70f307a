//! Where a text cannot be read.

/// A place from which on a text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The byte in the text.
    pub at: usize,
    /// What was expected and what was found.
    pub message: String,
    /// How to fix it; empty where the message is enough.
    pub help: &'static str,
}

/// The byte of a line and a column in characters, both from 1.
pub fn offset(text: &str, line: usize, column: usize) -> usize {
    let mut lines = text.split_inclusive('\n');
    let start: usize = lines.by_ref().take(line.saturating_sub(1)).map(str::len).sum();
    let before = lines.next().unwrap_or_default().chars().take(column.saturating_sub(1));
    start + before.map(char::len_utf8).sum::<usize>()
}
