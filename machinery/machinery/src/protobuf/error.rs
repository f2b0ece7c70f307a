//! Errors of reading protobuf.

use std::fmt;

/// An error of reading protobuf: its offset, the field path, what was expected
/// there and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Detail>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Detail {
    offset: usize,
    path: String,
    message: String,
}

impl Error {
    #[cold]
    pub(crate) fn new(offset: usize, message: impl Into<String>) -> Self {
        Self(Box::new(Detail { offset, path: String::new(), message: message.into() }))
    }

    /// The offset of the byte where the error was found, counted from 0.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// The field path, with names as in JSON: `spec.containers[0].image`.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// What was expected and what was found, without the position.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The same error seen from the enclosing object: puts `name` before the
    /// path.
    #[cold]
    pub(super) fn in_field(mut self, name: &str) -> Self {
        let path = &mut self.0.path;
        if !path.is_empty() && !path.starts_with('[') {
            path.insert(0, '.');
        }
        path.insert_str(0, name);
        self
    }

    /// The same error seen from the enclosing list: puts `[index]` before the
    /// path.
    #[cold]
    pub(super) fn in_element(self, index: usize) -> Self {
        self.in_field(&format!("[{index}]"))
    }

    /// The same error in a buffer with `bytes` more bytes in front.
    pub(super) fn after(mut self, bytes: usize) -> Self {
        self.0.offset += bytes;
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}", self.0.offset)?;
        if !self.0.path.is_empty() {
            write!(f, ", {}", self.0.path)?;
        }
        write!(f, ": {}", self.0.message)
    }
}

impl std::error::Error for Error {}
