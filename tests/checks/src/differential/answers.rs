//! Answers in a file, one document in JSON per line: those of another server, which are compared with ours later; and what a
//! comparison with them finds.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::read;

/// What a comparison has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Equal,
    /// They differ as is listed under this name.
    Listed(&'static str),
    /// How they differ.
    Different(String),
}

/// Reads recorded answers; `-` is standard input.
///
/// # Errors
/// If the file cannot be read, or a line is no JSON, which the error names.
pub fn recorded(file: &str) -> Result<Vec<Value>, String> {
    let text = read(Path::new(file)).map_err(|error| format!("{file}: {error}"))?;
    let line = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| format!("{file}: line {}: {error}", number + 1))
    };
    text.lines().enumerate().map(line).collect()
}

/// Records answers, if there is a file for them.
///
/// # Errors
/// If the file cannot be written.
pub fn record(lines: impl IntoIterator<Item = impl Display>, file: Option<&Path>) -> Result<(), String> {
    let Some(file) = file else { return Ok(()) };
    let text: String = lines.into_iter().map(|line| format!("{line}\n")).collect();
    fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}
