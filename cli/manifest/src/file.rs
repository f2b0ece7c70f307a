//! Replaces files atomically.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::text::Text;

/// Replaces a file: readers see either the old text or the new one. Its mode stays, and a link stays a
/// link.
///
/// # Errors
/// When a file beside it cannot be made or moved; the old one is then as it was.
pub fn replace(path: &Path, text: &Text) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut beside = tempfile::NamedTempFile::new_in(folder)?;
    text.parts().try_for_each(|part| beside.write_all(part.as_bytes()))?;
    beside.as_file().set_permissions(fs::metadata(&path)?.permissions())?;
    beside.as_file().sync_all()?;
    beside.persist(&path)?;
    Ok(())
}
