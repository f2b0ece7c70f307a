//! What to read: files, folders, standard input.

use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::report::Report;

/// The files that are taken from folders.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// Where a text comes from.
pub enum Source {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("stdin"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// A text, with a name for messages.
pub struct Input {
    /// The path as it was given, or `stdin`.
    pub name: String,
    /// All of it.
    pub text: String,
    /// Whether the name promises JSON.
    pub is_json: bool,
}

impl Input {
    /// Reads a source.
    ///
    /// # Errors
    /// When it cannot be read, or is no UTF-8.
    pub fn read(source: &Source) -> Result<Self, String> {
        let mut bytes = Vec::new();
        let read = match source {
            Source::Stdin => io::stdin().lock().read_to_end(&mut bytes),
            Source::File(path) => fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)),
        };
        read.map_err(|error| format!("cannot be read: {error}"))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            format!("expected UTF-8, found something else at byte {at}: save the file as UTF-8")
        })?;
        let is_json = matches!(source, Source::File(path) if extension(path) == Some("json"));
        Ok(Self { name: source.to_string(), text, is_json })
    }
}

/// The sources that arguments name, folders walked in the order of names.
pub fn sources(paths: &[PathBuf], in_place: bool, report: &mut Report) -> Vec<Source> {
    let mut sources = Vec::new();
    if paths.is_empty() {
        sources.push(Source::Stdin);
    }
    for path in paths {
        if path.as_os_str() == "-" {
            sources.push(Source::Stdin);
        } else if path.is_dir() {
            let before = sources.len();
            walk(path, &mut sources, report);
            if sources.len() == before {
                let message = "expected .yaml, .yml or .json files in this folder, found none";
                report.failure(&path.display().to_string(), None, "", message);
            }
        } else {
            sources.push(Source::File(path.clone()));
        }
    }
    if in_place && sources.iter().any(|source| matches!(source, Source::Stdin)) {
        report.failure("", None, "", "--in-place needs files: standard input cannot be written back");
        sources.clear();
    }
    sources
}

fn walk(folder: &Path, sources: &mut Vec<Source>, report: &mut Report) {
    let entries = fs::read_dir(folder).and_then(|entries| entries.collect::<io::Result<Vec<_>>>());
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => {
            report.failure(&folder.display().to_string(), None, "", &format!("cannot be read: {error}"));
            return;
        }
    };
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // A link to a folder is not followed: it may lead back here.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&path, sources, report);
        } else if extension(&path).is_some_and(|found| EXTENSIONS.contains(&found)) && !path.is_dir() {
            sources.push(Source::File(path));
        }
    }
}

fn extension(path: &Path) -> Option<&str> {
    path.extension().and_then(|extension| extension.to_str())
}
