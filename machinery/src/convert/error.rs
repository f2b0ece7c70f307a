//! Why an object cannot be converted.

use std::fmt;

use super::MAX_ANNOTATIONS;

/// Why an object cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConvertError {
    /// What the version cannot say does not fit into annotations.
    TooLarge {
        /// Bytes of all annotations together.
        total: usize,
        /// The key of the largest one.
        largest: String,
        /// The bytes of its value.
        size: usize,
    },
    /// What the version cannot say is nested too deep to be read again.
    TooDeep(String),
    /// A field contains a word that the other version has no counterpart for.
    UnknownWord {
        /// The path of the field.
        path: String,
        /// The word.
        word: String,
        /// The words that have counterparts.
        known: Vec<String>,
    },
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { total, largest, size } => write!(
                f,
                "annotations would hold {total} bytes, at most {MAX_ANNOTATIONS} are allowed; the largest is \
                 {largest} with {size} bytes. What this version cannot say is kept there: read and write the \
                 object at a newer version, or make it smaller"
            ),
            Self::TooDeep(message) => {
                write!(
                    f,
                    "what this version cannot say is nested too deep to be kept in an annotation: {message}"
                )
            }
            Self::UnknownWord { path, word, known } => {
                write!(
                    f,
                    "{path}: the word `{word}` has no counterpart in the other version; known are `{}`",
                    known.join("`, `")
                )
            }
        }
    }
}

impl std::error::Error for ConvertError {}
