//! Why the JSON of an object cannot be changed, and where.

use crate::convert::ConvertError;
use crate::json::lexer::Error;

/// A value that does not fit an edit. Its path grows while it is passed on to the enclosing objects.
#[derive(Debug)]
pub(super) struct Fault {
    path: String,
    what: What,
}

#[derive(Debug)]
enum What {
    /// It has another kind of value than the edit needs; the message of the reader.
    Unfit(String),
    /// An unknown member has the name of a member that the other version has.
    KnownName,
}

pub(super) type Result<T> = std::result::Result<T, Fault>;

impl Fault {
    /// An unknown member has the name of one that the other version has.
    pub(super) fn known_name() -> Self {
        Self { path: String::new(), what: What::KnownName }
    }

    /// Another kind of value than an edit needs.
    pub(super) fn unfit(message: impl Into<String>) -> Self {
        Self { path: String::new(), what: What::Unfit(message.into()) }
    }

    /// The same fault as the enclosing object sees it.
    pub(super) fn in_member(mut self, name: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path.insert_str(0, dot);
        self.path.insert_str(0, name);
        self
    }

    /// The same fault as the enclosing list or map sees it.
    pub(super) fn in_element(mut self, key: impl std::fmt::Display) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path.insert_str(0, &format!("[{key}]{dot}"));
        self
    }

    /// The same fault as the object at the start of a path sees it.
    pub(super) fn below<'n>(self, names: impl DoubleEndedIterator<Item = &'n str>) -> Self {
        names.rev().fold(self, Self::in_member)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::unfit(error.message())
    }
}

impl From<Fault> for ConvertError {
    fn from(fault: Fault) -> Self {
        match fault.what {
            What::Unfit(message) => Self::Unfit { path: fault.path, message },
            What::KnownName => Self::KnownName { path: fault.path },
        }
    }
}
