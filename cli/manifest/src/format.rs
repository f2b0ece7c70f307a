//! The formats that documents are in.

use hubgen_json::{Error, Lexer, compact, read_value};
use serde_json::Value;

/// How a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// As `kubectl get -o yaml` lays it out.
    Yaml,
    /// Indented by four, as `kubectl get -o json` lays it out.
    Json,
}

/// The value of the bytes of one JSON document. Of members with the same name the last is used.
///
/// # Errors
/// When it is not JSON, or contains a number too large for a 64-bit float.
pub fn value(json: &[u8]) -> Result<Value, Error> {
    let mut lexer = Lexer::new(json)?;
    let text = compact::read(&mut lexer)?;
    lexer.finish()?;
    read_value(&mut Lexer::over(&text))
}

/// Whether a text of YAML has this value.
pub fn reads_as(text: &str, expected: &Value) -> bool {
    let json = hubgen_yaml::to_json(text).ok();
    json.and_then(|json| value(&json).ok()).is_some_and(|found| found == *expected)
}
