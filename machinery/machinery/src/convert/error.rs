//! Errors of conversions.

use std::fmt;

use super::MAX_ANNOTATIONS;
use crate::json::EncodeError;

/// Why an object cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConvertError {
    /// What the version cannot represent does not fit into annotations.
    TooLarge {
        /// The size in bytes of all annotations together.
        total: usize,
        /// The key of the largest annotation.
        largest: String,
        /// The size in bytes of its value.
        size: usize,
    },
    /// What the version cannot represent is nested too deeply to be read again.
    TooDeep(String),
    /// What the version cannot represent contains a value that JSON cannot represent either.
    NotJson(EncodeError),
    /// A field contains a string value without a counterpart in the other version.
    UnknownWord {
        /// The path of the field.
        path: String,
        /// The value.
        word: String,
        /// The values that have counterparts.
        known: Vec<String>,
    },
    /// A field contains another kind of value than its version has there.
    Unfit {
        /// The path of the field.
        path: String,
        /// What was expected, and what was found.
        message: String,
    },
    /// A function of the user's own code refuses the values of fields.
    Refused {
        /// The paths of the fields.
        paths: Vec<String>,
        /// The module of the function.
        function: String,
        /// Its own words.
        message: String,
    },
    /// Fields need a function of the user's own code, which this program does not contain.
    NoFunction {
        /// The paths of the fields that have a value.
        paths: Vec<String>,
        /// The module of the function.
        function: String,
    },
    /// A field that is unknown to one version, with a value that the field of this name in the other
    /// version cannot represent.
    KnownName {
        /// The path of the field.
        path: String,
    },
}

impl ConvertError {
    /// Whether the object has a value without a counterpart in the other version, which no law forbids.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::UnknownWord { .. } | Self::KnownName { .. } | Self::Refused { .. })
    }

    /// The same error of a field as an object around it sees it. `place` leads from the object to the field, or is an
    /// index or key: `[0]`.
    #[must_use]
    pub fn below(mut self, place: &str) -> Self {
        let prefix = |path: &mut String| {
            let dot = if path.is_empty() || path.starts_with('[') { "" } else { "." };
            path.insert_str(0, dot);
            path.insert_str(0, place);
        };
        match &mut self {
            Self::Refused { paths, .. } | Self::NoFunction { paths, .. } => {
                paths.iter_mut().for_each(prefix);
            }
            Self::UnknownWord { path, .. } | Self::Unfit { path, .. } | Self::KnownName { path } => {
                prefix(path)
            }
            Self::TooLarge { .. } | Self::TooDeep(_) | Self::NotJson(_) => {}
        }
        self
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { total, largest, size } => write!(
                f,
                "annotations would take {total} bytes, but at most {MAX_ANNOTATIONS} are allowed; the largest is \
                 {largest} with {size} bytes. Annotations store what this version cannot represent: read \
                 and write the object at a newer version, or make it smaller"
            ),
            Self::TooDeep(message) => {
                write!(
                    f,
                    "data that this version cannot represent is nested too deeply for an annotation: {message}"
                )
            }
            Self::NotJson(error) => {
                write!(f, "data that this version cannot represent does not fit into an annotation: {error}")
            }
            Self::UnknownWord { path, word, known } => {
                write!(
                    f,
                    "{path}: the value `{word}` has no counterpart in the other version; expected one of `{}`",
                    known.join("`, `")
                )
            }
            Self::Unfit { path, message } if path.is_empty() => f.write_str(message),
            Self::Unfit { path, message } => write!(f, "{path}: {message}"),
            Self::Refused { paths, function, message } => {
                write!(f, "{}: {function}: {message}", paths.join(", "))
            }
            Self::NoFunction { paths, function } => write!(
                f,
                "{}: needs the function `{function}`, which is the user's own code and not in this program",
                paths.join(", ")
            ),
            Self::KnownName { path } => {
                write!(
                    f,
                    "{path}: this version does not have the field, but the other version has one of this name, which \
                     cannot represent the value; give it a value that the other version accepts, or remove it"
                )
            }
        }
    }
}

impl std::error::Error for ConvertError {}
