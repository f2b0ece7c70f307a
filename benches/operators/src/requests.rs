//! Requests, one per line, as `hubgen-checks operators --requests` writes them.

use serde::Deserialize;
use serde_json::value::RawValue;

/// An object that is wanted at another version.
#[derive(Deserialize)]
pub struct Request<'a> {
    pub kind: String,
    /// The version of the object, with its group.
    pub from: String,
    /// The version that is wanted, with its group.
    pub to: String,
    #[serde(borrow)]
    pub object: &'a RawValue,
}

/// The requests of a text.
///
/// # Panics
/// If a line is no request.
pub fn requests(text: &str) -> impl Iterator<Item = Request<'_>> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
}
