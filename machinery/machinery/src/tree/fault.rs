//! Why the JSON of an object cannot be changed, and where.

use crate::convert::ConvertError;
use crate::json::lexer::Error;

/// A value that an edit cannot change. Its path grows while it is passed on to the enclosing objects.
#[derive(Debug)]
pub(super) struct Fault(ConvertError);

pub(super) type Result<T> = std::result::Result<T, Fault>;

impl Fault {
    /// An unknown member has the name of one that the other version has.
    pub(super) fn known_name() -> Self {
        Self(ConvertError::KnownName { path: String::new() })
    }

    /// Another kind of value than an edit needs.
    pub(super) fn unfit(message: impl Into<String>) -> Self {
        Self(ConvertError::Unfit { path: String::new(), message: message.into() })
    }

    /// The same fault as the enclosing object sees it.
    pub(super) fn in_member(self, name: &str) -> Self {
        Self(self.0.below(name))
    }

    /// The same fault as the enclosing list or map sees it.
    pub(super) fn in_element(self, key: impl std::fmt::Display) -> Self {
        Self(self.0.below(&format!("[{key}]")))
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

impl From<ConvertError> for Fault {
    fn from(error: ConvertError) -> Self {
        Self(error)
    }
}

impl From<Fault> for ConvertError {
    fn from(fault: Fault) -> Self {
        fault.0
    }
}
