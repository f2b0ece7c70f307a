//! Refuses strings that have no counterpart on the other side.

use super::Tree;
use super::edits::Expected;
use super::fault::{Fault, Result};
use crate::convert::ConvertError;
use crate::json::lexer::Kind;

impl Expected {
    /// Refuses an object in which the member has another string. An absent or empty one is accepted.
    ///
    /// # Errors
    /// The first string without a counterpart, with the path of its member.
    pub(super) fn check(&self, object: &mut Tree<'_>) -> std::result::Result<(), ConvertError> {
        let mut unknown = None;
        check(object, self, 0, String::new(), &mut unknown).map_err(ConvertError::from)?;
        let Some((path, word)) = unknown else { return Ok(()) };
        let known = self.words.iter().map(ToString::to_string).collect();
        Err(ConvertError::UnknownWord { path, word, known })
    }
}

/// `depth` is the number of names before the value, and `at` its path.
fn check(
    value: &mut Tree<'_>,
    expected: &Expected,
    depth: usize,
    at: String,
    unknown: &mut Option<(String, String)>,
) -> Result<()> {
    match value.kind() {
        _ if unknown.is_some() => {}
        Kind::Array => {
            for (index, element) in value.elements()?.iter_mut().enumerate() {
                check(element, expected, depth, format!("{at}[{index}]"), unknown)?;
            }
        }
        Kind::Object if depth < expected.path.len() && expected.path.name(depth) == Expected::EACH => {
            for (key, value) in value.members()? {
                check(value, expected, depth + 1, format!("{at}[{key}]"), unknown)?;
            }
        }
        Kind::Object if depth < expected.path.len() => {
            let name = expected.path.name(depth);
            let at = if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") };
            if let Some(member) = value.get(name).map_err(|error| Fault::from(error).in_member(&at))? {
                check(member, expected, depth + 1, at, unknown)?;
            }
        }
        Kind::String if depth == expected.path.len() => {
            let word = value.str()?;
            if !word.is_empty() && expected.words.iter().all(|known| **known != *word) {
                *unknown = Some((at, word.into_owned()));
            }
        }
        _ => {}
    }
    Ok(())
}
