//! What is not checked of a schema.

use std::fmt;

/// A part of a schema that [`Schema::validate`](crate::Schema::validate) does not check.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unchecked {
    /// A format that the API server ignores, too: one that it does not know, or that values of the type do not have, such
    /// as a format of texts in a schema of numbers.
    Format {
        /// The path in the schema.
        path: String,
        /// The format.
        format: String,
    },
    /// A keyword that the API server drops.
    Keyword {
        /// The path in the schema, which ends with the keyword.
        path: String,
    },
    /// A keyword that has no effect beside this type: `items` in the schema of an object.
    Misplaced {
        /// The path in the schema, which ends with the keyword.
        path: String,
        /// The type.
        ty: String,
    },
}

impl fmt::Display for Unchecked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format { path, format } => write!(f, "{path}: the format `{format}` has no effect"),
            Self::Keyword { path } => write!(f, "{path}: the keyword has no effect"),
            Self::Misplaced { path, ty } => {
                write!(f, "{path}: the keyword has no effect in a schema of type `{ty}`")
            }
        }
    }
}
