//! The kubeconfig that `hubgen serve --kubeconfig` writes.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use hubgen_server::Kubeconfig;
use hubgen_terminal::Diagnostic;

/// The first line, by which the command knows files that it may replace.
const WRITTEN: &str = "# Written by `hubgen serve`, which replaces it.";

/// Writes the file so that nobody reads half of it. Only its owner can read it, as any temporary file.
pub fn write(kubeconfig: Kubeconfig<'_>, path: &Path) -> Result<(), Diagnostic> {
    let written = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut file = tempfile::Builder::new().tempfile_in(folder.unwrap_or(Path::new(".")))?;
        write!(file, "{WRITTEN}\n{kubeconfig}")?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    written().map_err(|error| cannot_be_written(path, &error))
}

/// Removes the file of an earlier server, which would tell of this one too soon.
///
/// # Errors
/// If it is a file of somebody else, which may have what nothing else has.
pub fn remove(path: &Path) -> Result<(), Diagnostic> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(cannot_be_written(path, &error)),
        Ok(content) if content.starts_with(WRITTEN.as_bytes()) => {
            fs::remove_file(path).map_err(|error| cannot_be_written(path, &error))
        }
        Ok(_) => {
            let message = "expected no file, or one that `hubgen serve` wrote, found another one";
            Err(Diagnostic::file(path, message.to_owned(), "choose another path with --kubeconfig"))
        }
    }
}

fn cannot_be_written(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::file(path, format!("cannot be written: {error}"), "choose another path with --kubeconfig")
}
