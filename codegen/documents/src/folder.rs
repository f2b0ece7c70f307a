//! The files of a folder, and how they are replaced: all or none.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::{Diagnostic, Source};

/// Paths below a folder, and the content of each file.
pub type Files = BTreeMap<PathBuf, String>;

/// Files are written with this extension and then renamed. An interrupted run may leave some.
pub const PART: &str = "part";

/// The files of a folder as they are.
pub struct Folder {
    /// The folder.
    pub root: PathBuf,
    /// Its files. Bytes that are not text are replaced, so that such a file differs from any text.
    pub files: Files,
}

impl Folder {
    /// Reads all files of a folder and of the folders below it. A folder that does not exist is
    /// empty.
    ///
    /// # Errors
    /// If something cannot be read.
    pub fn read(root: &Path) -> Result<Self, Vec<Diagnostic>> {
        let mut files = Files::new();
        let mut folders = vec![root.to_path_buf()];
        while let Some(folder) = folders.pop() {
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries.and_then(Iterator::collect::<io::Result<Vec<_>>>),
            };
            for entry in entries.map_err(|error| vec![unreadable(&folder, &error)])? {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let bytes = fs::read(&path).map_err(|error| vec![unreadable(&path, &error)])?;
                let name = path.strip_prefix(root).unwrap_or(&path).to_path_buf();
                files.insert(name, String::from_utf8_lossy(&bytes).into_owned());
            }
        }
        Ok(Self { root: root.to_path_buf(), files })
    }

    /// What has to change so that the folder contains these files and no others.
    pub fn changes(self, wanted: &Files) -> Changes<'_> {
        let Self { root, files: mut there } = self;
        let paths: BTreeSet<PathBuf> = there.keys().chain(wanted.keys()).cloned().collect();
        let changes = paths.into_iter().filter_map(|path| {
            let old = there.remove(&path);
            let new = wanted.get(&path).map(String::as_str);
            (old.as_deref() != new).then_some(Change { path, old, new })
        });
        Changes { changes: changes.collect(), root }
    }

    /// What has to change so that the folder contains these files, besides others.
    pub fn additions(mut self, wanted: &Files) -> Changes<'_> {
        self.files.retain(|path, _| wanted.contains_key(path));
        self.changes(wanted)
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::file(
        path,
        format!("cannot be read: {error}"),
        "choose another folder, or check its permissions",
    )
}

/// A file that has to change.
struct Change<'a> {
    path: PathBuf,
    old: Option<String>,
    new: Option<&'a str>,
}

/// What has to change in a folder.
pub struct Changes<'a> {
    root: PathBuf,
    changes: Vec<Change<'a>>,
}

impl Changes<'_> {
    /// The number of files that have to change.
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Whether the folder is as it should be.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The files that are removed.
    pub fn removed(&self) -> usize {
        self.changes.iter().filter(|change| change.new.is_none()).count()
    }

    /// The changes as a unified diff.
    pub fn diff(&self) -> String {
        let mut out = String::new();
        for Change { path, old, new } in &self.changes {
            let path = self.root.join(path).display().to_string();
            let name =
                |text: Option<&str>| if text.is_some() { path.clone() } else { "/dev/null".to_owned() };
            let (from, to) = (name(old.as_deref()), name(*new));
            let diff =
                similar::TextDiff::from_lines(old.as_deref().unwrap_or_default(), new.unwrap_or_default());
            out.push_str(&diff.unified_diff().header(&from, &to).to_string());
        }
        out
    }

    /// Makes the changes. All files are written under other names first, so that an error, such as a
    /// full disk, changes nothing.
    ///
    /// # Errors
    /// If a file cannot be written, replaced or removed.
    pub fn write(&self) -> Result<(), Diagnostic> {
        let failed = |path: &Path, what: &str, error: &io::Error| {
            Diagnostic::file(
                path,
                format!("cannot be {what}: {error}"),
                "check permissions and free space, then run it again",
            )
        };
        let mut staged = Vec::new();
        for Change { path, new, .. } in &self.changes {
            let Some(text) = new else { continue };
            let path = self.root.join(path);
            let part = part(&path);
            staged.push((part.clone(), path.clone()));
            let written = if path.is_dir() {
                // It could not be replaced at the end.
                Err(io::ErrorKind::IsADirectory.into())
            } else {
                fs::create_dir_all(path.parent().unwrap_or(&path)).and_then(|()| fs::write(&part, text))
            };
            if let Err(error) = written {
                // Some may not exist; the first error is the one to report.
                staged.iter().for_each(|(part, _)| drop(fs::remove_file(part)));
                return Err(failed(&path, "written", &error));
            }
        }
        for (part, path) in &staged {
            fs::rename(part, path).map_err(|error| failed(path, "replaced", &error))?;
        }
        for Change { path, .. } in self.changes.iter().filter(|change| change.new.is_none()) {
            let path = self.root.join(path);
            remove(&self.root, &path).map_err(|error| failed(&path, "removed", &error))?;
        }
        Ok(())
    }
}

/// The name under which a file is written first. Two files of a folder may differ in their
/// extension only.
fn part(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(PART);
    PathBuf::from(name)
}

/// Removes a file, and the folders that are empty without it.
fn remove(root: &Path, path: &Path) -> io::Result<()> {
    fs::remove_file(path)?;
    let mut folder = path.parent();
    while let Some(empty) = folder.filter(|folder| *folder != root && fs::remove_dir(folder).is_ok()) {
        folder = empty.parent();
    }
    Ok(())
}

/// The files of a folder that end with `.toml`, in the order of their names; none if there is no such folder.
///
/// # Errors
/// If one cannot be read.
pub(crate) fn toml_files(folder: &Path) -> Result<Vec<Source>, Vec<Diagnostic>> {
    let unreadable = |path: &Path, error: io::Error| {
        vec![Diagnostic::file(path, format!("cannot be read: {error}"), "check its permissions")]
    };
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| unreadable(folder, error))?,
    };
    let mut files = BTreeSet::new();
    for entry in entries {
        let path = entry.map_err(|error| unreadable(folder, error))?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            files.insert(path);
        }
    }
    let read = |file: PathBuf| {
        let text = fs::read_to_string(&file).map_err(|error| unreadable(&file, error))?;
        Ok(Source::new(file, text))
    };
    files.into_iter().map(read).collect()
}
