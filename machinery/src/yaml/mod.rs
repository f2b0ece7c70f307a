//! YAML, read and written as the reference server and its clients do.
//!
//! Kubernetes' YAML is a way to write JSON: a document is turned into JSON and read as that. The
//! rules by which an unquoted scalar becomes a number, a boolean or null are those of YAML 1.1, as
//! Go's library has them (see the module `scalar`); the layout of documents is read by YAML 1.2.
//! What is more than JSON is dealt with so:
//!
//! - keys that are numbers or booleans become strings; null, lists and maps are refused as keys;
//! - of equal keys the last wins, at the place of the first;
//! - `<<` merges mappings at the place where it stands, so that it overrides keys before it and is
//!   overridden by those after it;
//! - aliases are expanded, up to a limit; infinite numbers and NaN are refused.

mod order;
mod reader;
mod scalar;
mod writer;

use std::fmt;
use std::ops::{Range, RangeInclusive};

use serde_json::Value;

use crate::json::{self, Lexer, raw};

pub use reader::Documents;

/// A mistake in a YAML text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    line: usize,
    column: usize,
    message: String,
}

impl Error {
    /// The line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column in characters, from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// What was expected and what was found, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { line, column, message } = self;
        write!(f, "line {line}, column {column}: {message}")
    }
}

impl std::error::Error for Error {}

/// One document of a YAML text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The document as compact JSON; `null` for an empty one.
    pub json: Vec<u8>,
    /// The bytes of the text that it spans, from its `---` or its first value on.
    pub bytes: Range<usize>,
    /// The lines that it spans, from 1.
    pub lines: RangeInclusive<usize>,
    /// Keys that a map had already; the first [`MAX_DUPLICATES`] of them.
    pub duplicates: Vec<Duplicate>,
}

/// The most keys of a document that are reported as duplicates.
pub const MAX_DUPLICATES: usize = 32;

/// A key that its map had already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The line of the later one, from 1.
    pub line: usize,
    /// The key.
    pub key: String,
}

/// Turns a text of one YAML document into compact JSON. A text without a document is `null`; empty
/// documents after the first are passed over.
///
/// # Errors
/// When the text is no YAML, holds what JSON cannot say, or more than one document.
pub fn to_json(text: &str) -> Result<Vec<u8>, Error> {
    document(text).map(|document| document.json)
}

/// Reads a text of one YAML document, as [`to_json`] does.
///
/// # Errors
/// As [`to_json`].
pub fn document(text: &str) -> Result<Document, Error> {
    let mut all = documents(text);
    let Some(first) = all.next().transpose()? else {
        let json = b"null".to_vec();
        return Ok(Document { json, bytes: 0..0, lines: 1..=1, duplicates: Vec::new() });
    };
    for document in all {
        let document = document?;
        if document.json != b"null" {
            return Err(Error {
                line: *document.lines.start(),
                column: 1,
                message: "expected one document, found another one".to_owned(),
            });
        }
    }
    Ok(first)
}

/// The documents of a YAML text, one after the other; after an error there are no more.
pub fn documents(text: &str) -> Documents<'_> {
    Documents::new(text)
}

/// Lays a JSON document out as YAML, the way `kubectl get -o yaml` does: block style, keys sorted,
/// strings quoted where YAML 1.1 would take them for something else, long ones folded at blanks.
///
/// # Errors
/// When the input is no JSON.
pub fn from_json(json: &[u8]) -> Result<String, json::Error> {
    let mut lexer = Lexer::new(json)?;
    let value = raw::read_value(&mut lexer)?;
    lexer.finish()?;
    Ok(from_value(&value))
}

/// Lays a value out as [`from_json`] does.
pub fn from_value(value: &Value) -> String {
    writer::write(value)
}
