//! Errors of reading JSON.

use std::fmt;

/// The category of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The input is not JSON.
    Syntax,
    /// The input is not UTF-8.
    Utf8,
    /// More than [`MAX_DEPTH`](super::MAX_DEPTH) objects and arrays are open.
    TooDeep,
    /// The decoded objects would need far more memory than the input.
    TooLarge,
    /// Valid JSON that does not match the field's type: another kind of value, a number out of
    /// range, a string that is not a time.
    Mismatch,
}

/// An error of reading JSON: its position, what was expected there and what was found.
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
    /// An error at byte `offset` of `input`. Line and column are computed from the offset.
    #[cold]
    pub fn new(kind: ErrorKind, input: &[u8], offset: usize, message: impl Into<String>) -> Error {
        let before = &input[..offset.min(input.len())];
        let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
        Error(Box::new(Detail { kind, message: message.into(), offset, line, column, path: String::new() }))
    }

    /// The category.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What was expected and what was found, without the position.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The number of bytes before the error.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// The line, counted from 1.
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// The column in characters, counted from 1.
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// The field path, such as `spec.containers[0].image`. It is empty at the root and for errors
    /// of a [`Lexer`](super::Lexer) that no decoder drives.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The same error with `path` as its field path.
    pub(crate) fn at_path(mut self, path: &str) -> Error {
        path.clone_into(&mut self.0.path);
        self
    }

    /// The same error seen from the enclosing object: puts `name` before the path.
    #[cold]
    pub fn in_field(mut self, name: &str) -> Error {
        let path = &mut self.0.path;
        if !path.is_empty() && !path.starts_with('[') {
            path.insert(0, '.');
        }
        path.insert_str(0, name);
        self
    }

    /// The same error seen from the enclosing array: puts `[index]` before the path.
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
