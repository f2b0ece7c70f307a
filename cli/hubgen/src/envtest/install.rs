//! `hubgen envtest install`: this program under the names that test environments start.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use hubgen_terminal::Diagnostic;

use super::Name;

/// Tells which programs in a folder are ours, so that no others are replaced.
const NOTE: &str = "hubgen-envtest.txt";

/// What it contains.
const TEXT: &str = "\
The programs kube-apiserver and etcd in this folder are copies of hubgen, which `hubgen envtest install` has written and
replaces. Set KUBEBUILDER_ASSETS to this folder, and tests that use envtest start them.
";

/// What was installed.
pub struct Installed {
    /// The folder, from the root.
    pub folder: PathBuf,
    /// The kubectl that is linked, if there is one.
    pub kubectl: Option<PathBuf>,
}

/// Writes the programs into a folder.
///
/// # Errors
/// If the folder has such programs of others, or cannot be written.
pub fn install(folder: &Path) -> Result<Installed, Diagnostic> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error: io::Error| {
            Diagnostic::file(&path, format!("cannot be written: {error}"), "choose another folder")
        }
    };
    fs::create_dir_all(folder).map_err(failed(folder))?;
    let folder = folder.canonicalize().map_err(failed(folder))?;
    let own = env::current_exe().map_err(|error| Diagnostic::message(format!("hubgen: {error}"), ""))?;
    let note = folder.join(NOTE);
    let programs = Name::ALL.map(|name| folder.join(name.text()).with_extension(env::consts::EXE_EXTENSION));
    if !note.exists()
        && let Some(other) = programs.iter().find(|program| program.symlink_metadata().is_ok())
    {
        let message = "expected no file, or one that `hubgen envtest install` wrote, found another one";
        return Err(Diagnostic::file(other, message.to_owned(), "choose another folder"));
    }
    fs::write(&note, TEXT).map_err(failed(&note))?;
    let [first, rest @ ..] = &programs;
    replace(first, |new| fs::copy(&own, new).map(drop)).map_err(failed(first))?;
    for program in rest {
        // The same file under another name, where the file system can do that.
        let link = |new: &Path| fs::hard_link(first, new).or_else(|_| fs::copy(&own, new).map(drop));
        replace(program, link).map_err(failed(program))?;
    }
    Ok(Installed { kubectl: kubectl(&folder).map_err(failed(&folder))?, folder })
}

/// Puts a new file in the place of one that may be running.
fn replace(path: &Path, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let new = path.with_extension(format!("new-{}", std::process::id()));
    let written = write(&new).and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        // What went wrong before is what is told.
        let _ = fs::remove_file(&new);
    }
    written
}

/// Links the kubectl of the PATH, unless the folder has one.
fn kubectl(folder: &Path) -> io::Result<Option<PathBuf>> {
    let name = Path::new("kubectl").with_extension(env::consts::EXE_EXTENSION);
    let link = folder.join(&name);
    if link.exists() {
        return Ok(Some(link));
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    let Some(found) = env::split_paths(&folders).map(|other| other.join(&name)).find(|path| path.is_file())
    else {
        return Ok(None);
    };
    let found = found.canonicalize()?;
    // One whose target is gone.
    if link.symlink_metadata().is_ok() {
        fs::remove_file(&link)?;
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(&found, &link)?;
    #[cfg(not(unix))]
    fs::copy(&found, &link)?;
    Ok(Some(found))
}
