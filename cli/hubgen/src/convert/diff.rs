//! What changes in a file, as a patch.

use std::io::{self, Write};

use hubgen_manifest::Text;
use similar::TextDiff;

use crate::input::Input;

/// Writes what changes in an input, in the format of `git diff`.
///
/// # Errors
/// If it cannot be written.
pub fn write(out: &mut impl Write, input: &Input, new: &Text) -> io::Result<()> {
    let new: String = new.parts().collect();
    let diff = TextDiff::from_lines(input.text(), &new);
    // A patch names files from where it is applied.
    let name = input.name.strip_prefix("./").unwrap_or(&input.name).trim_start_matches('/');
    write!(out, "{}", diff.unified_diff().header(&format!("a/{name}"), &format!("b/{name}")))
}
