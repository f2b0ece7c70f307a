//! What is wrong with a text, and where.

use std::fmt;

/// What sort of mistake an [`Error`] reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The input is not JSON.
    Syntax,
    /// The input is not UTF-8.
    Utf8,
    /// More than [`MAX_DEPTH`](super::MAX_DEPTH) objects and arrays are open.
    TooDeep,
    /// The objects would take far more memory than the input does.
    TooLarge,
    /// Good JSON, but not what is wanted here: another kind of value, a number out of range, a
    /// text that is no time.
    Mismatch,
}

/// A reading error: where it is and what was expected there.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Detail>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Detail {
    kind: ErrorKind,
    message: String,
    offset: usize,
    line: usize,
    column: usize,
    path: String,
}

impl Error {
    /// An error at byte `offset` of `input`; line and column are counted from there.
    #[cold]
    pub fn new(kind: ErrorKind, input: &[u8], offset: usize, message: impl Into<String>) -> Error {
        let before = &input[..offset.min(input.len())];
        let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
        Error(Box::new(Detail { kind, message: message.into(), offset, line, column, path: String::new() }))
    }

    /// What sort of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What was expected and what was found, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Bytes before the place of the error.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// The line, from 1.
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// The column in characters, from 1.
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// The JSON path, as in `spec.containers[0].image`; empty at the root or when no decoder has
    /// filled it in.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The same error at that path.
    pub(in crate::json) fn at_path(mut self, path: &str) -> Error {
        path.clone_into(&mut self.0.path);
        self
    }

    /// The same error seen from one object further out: `name` is put before the path.
    #[cold]
    pub fn in_field(mut self, name: &str) -> Error {
        let path = &mut self.0.path;
        if !path.is_empty() && !path.starts_with('[') {
            path.insert(0, '.');
        }
        path.insert_str(0, name);
        self
    }

    /// The same error seen from one array further out: `[index]` is put before the path.
    #[cold]
    pub fn in_element(mut self, index: usize) -> Error {
        let path = &mut self.0.path;
        let dot = if path.is_empty() || path.starts_with('[') { "" } else { "." };
        path.insert_str(0, &format!("[{index}]{dot}"));
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Detail { message, line, column, path, .. } = &*self.0;
        if path.is_empty() {
            write!(f, "line {line}, column {column}: {message}")
        } else {
            write!(f, "line {line}, column {column}, {path}: {message}")
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {}
