//! Cells, which are values of JSON.

use crate::json::writer;

/// What a cell shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Integer(i64),
    /// Any other number.
    Number(f64),
    /// A text.
    Text(String),
}

impl Cell {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// The text, if it is one.
    pub fn into_text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Appends it to JSON. A number that JSON has not is null.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Null => writer::null(out),
            Self::Bool(value) => writer::bool(out, *value),
            Self::Integer(value) => writer::integer(out, *value),
            Self::Number(value) => {
                if writer::float(out, *value).is_err() {
                    writer::null(out);
                }
            }
            Self::Text(text) => writer::string(out, text),
        }
    }
}
