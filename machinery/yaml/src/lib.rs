//! YAML, read and written as the reference server and its clients read and write it.
//!
//! Kubernetes' YAML is a notation for JSON: a document is converted to JSON, and the JSON is
//! decoded. An unquoted scalar becomes a number, a boolean or null by the rules of YAML 1.1, as Go's
//! library implements them (see the module `scalar`). The structure of documents is that of
//! YAML 1.2. YAML that JSON has no counterpart for is handled as follows:
//!
//! - Keys that are numbers or booleans become strings. Null, lists and maps are refused as keys.
//! - The last of equal keys is used, at the position of the first.
//! - `<<` merges mappings at its position: it overrides the keys before it, and the keys after it
//!   override it.
//! - Aliases are expanded, up to a limit.
//! - Inside of brackets, lines may be indented as they like, as Go's library allows.
//! - Infinite numbers and NaN are refused.
//! - So are control characters, also inside of quotes, where JSON allows some of them.

mod events;
mod order;
mod reader;
mod scalar;
mod writer;

use std::fmt;
use std::ops::{Range, RangeInclusive};

use serde_json::Value;

use hubgen_json::{Lexer, read_value};

pub use events::Events;
pub use reader::Documents;

/// An error in a YAML text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    line: usize,
    column: usize,
    message: String,
}

impl Error {
    /// The line, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column in characters, counted from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// What was expected and what was found, without the position.
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
    /// Its bytes in the text, from its `---` or its first value on.
    pub bytes: Range<usize>,
    /// Its lines in the text, counted from 1.
    pub lines: RangeInclusive<usize>,
    /// Duplicate keys; the first [`MAX_DUPLICATES`] of them.
    pub duplicates: Vec<Duplicate>,
}

/// The most duplicate keys that are reported for a document.
pub const MAX_DUPLICATES: usize = 32;

/// A key that occurs again in the same map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The line of the later key, counted from 1.
    pub line: usize,
    /// The key.
    pub key: String,
}

/// Converts a text of one YAML document to compact JSON. A text without a document is `null`. Empty
/// documents after the first are ignored.
///
/// # Errors
/// When the text is not YAML, contains a value that JSON cannot represent, or contains more than one
/// document.
///
/// ```
/// let json = hubgen_yaml::to_json("replicas: 3\npaused: no\nname: web # the front end").unwrap();
/// assert_eq!(json, br#"{"replicas":3,"paused":false,"name":"web"}"#);
///
/// let error = hubgen_yaml::to_json("name: web\n  replicas: 3").unwrap_err();
/// assert_eq!(error.line(), 2);
/// ```
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

/// Iterates over the documents of a YAML text. The iterator ends after an error.
///
/// ```
/// let documents = hubgen_yaml::documents("kind: Service\n---\nkind: Pod\n");
/// let json: Vec<Vec<u8>> = documents.map(|document| document.unwrap().json).collect();
/// assert_eq!(json, [&br#"{"kind":"Service"}"#[..], br#"{"kind":"Pod"}"#]);
/// ```
pub fn documents(text: &str) -> Documents<'_> {
    Documents::new(text)
}

/// Converts a JSON document to YAML as `kubectl get -o yaml` writes it: in block style, with sorted
/// keys. Strings that YAML 1.1 would read as another type are quoted. Long strings are folded at
/// spaces.
///
/// # Errors
/// When the input is not JSON.
///
/// ```
/// let yaml = hubgen_yaml::from_json(br#"{"version":"1.10","ports":[80]}"#).unwrap();
/// assert_eq!(yaml, "ports:\n- 80\nversion: \"1.10\"\n");
/// ```
pub fn from_json(json: &[u8]) -> Result<String, hubgen_json::Error> {
    let mut lexer = Lexer::new(json)?;
    let value = read_value(&mut lexer)?;
    lexer.finish()?;
    Ok(from_value(&value))
}

/// Writes a value as YAML, in the layout of [`from_json`].
pub fn from_value(value: &Value) -> String {
    writer::write(value)
}
