//! Inputs: files, folders, standard input.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use hubgen_manifest::{Mistake, Pieces};
use hubgen_terminal::{Diagnostic, Source};
use serde_json::Value;

/// The extensions of the files that are read from folders.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// How messages call standard input.
pub const STDIN: &str = "<stdin>";

/// Where an input comes from.
pub enum Origin {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl Origin {
    /// Where an argument points to: `-` or none is standard input.
    pub fn of(path: Option<&Path>) -> Self {
        match path {
            Some(path) if path.as_os_str() != "-" => Self::File(path.to_path_buf()),
            _ => Self::Stdin,
        }
    }

    /// The path as it was given, or `<stdin>`.
    pub fn path(&self) -> &Path {
        match self {
            Self::Stdin => Path::new(STDIN),
            Self::File(path) => path,
        }
    }

    /// It cannot be read.
    pub fn unreadable(&self, error: &io::Error) -> Diagnostic {
        unreadable(self.path(), error)
    }

    /// Reads all bytes.
    ///
    /// # Errors
    /// When the file cannot be opened or read.
    pub fn read(&self) -> Result<Vec<u8>, Diagnostic> {
        let mut bytes = Vec::new();
        let read = match self {
            Self::Stdin => io::stdin().lock().read_to_end(&mut bytes),
            Self::File(path) => fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)),
        };
        read.map_err(|error| self.unreadable(&error))?;
        Ok(bytes)
    }
}

/// A text, with a name for messages.
pub struct Input {
    /// The text, for messages that point into it.
    pub source: Source,
    /// The name for messages.
    pub name: String,
    /// Whether the name ends with `.json`.
    pub is_json: bool,
}

impl Input {
    /// Reads a text.
    ///
    /// # Errors
    /// When it cannot be read, or is not UTF-8.
    pub fn read(origin: &Origin) -> Result<Self, Diagnostic> {
        let path = origin.path();
        let text = String::from_utf8(origin.read()?).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let message = format!("expected UTF-8, found a byte that is not at offset {at}");
            Diagnostic::file(path, message, "save the file as UTF-8")
        })?;
        let is_json = matches!(origin, Origin::File(path) if extension(path) == Some("json"));
        Ok(Self { source: Source::new(path, text), name: path.display().to_string(), is_json })
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.source.text()
    }

    /// Its documents; `is_list` decides which ones are read item by item.
    pub fn pieces<'a>(&'a self, is_list: &'a dyn Fn(&Value) -> bool) -> Pieces<'a> {
        Pieces::new(self.text(), self.is_json, is_list)
    }

    /// A place from which on the text cannot be read.
    pub fn mistake(&self, mistake: &Mistake) -> Diagnostic {
        self.source.error(mistake.at..mistake.at + 1, "", &mistake.message, mistake.help)
    }
}

/// The inputs that arguments name, and what is wrong with the folders among them. Files of a folder are in
/// the order of their names.
pub fn origins(paths: &[PathBuf]) -> (Vec<Origin>, Vec<Diagnostic>) {
    origins_without(paths, &mut |_| false)
}

/// The same without the files and folders that `claims` takes: arguments, and folders below them.
pub fn origins_without(
    paths: &[PathBuf],
    claims: &mut dyn FnMut(&Path) -> bool,
) -> (Vec<Origin>, Vec<Diagnostic>) {
    let (mut origins, mut errors) = (Vec::new(), Vec::new());
    if paths.is_empty() {
        origins.push(Origin::Stdin);
    }
    for path in paths {
        if path.as_os_str() != "-" && claims(path) {
            continue;
        }
        if path.as_os_str() != "-" && path.is_dir() {
            let before = (origins.len(), errors.len());
            let mut is_claimed = false;
            walk(path, &mut origins, &mut errors, &mut |folder| {
                let claimed = claims(folder);
                is_claimed |= claimed;
                claimed
            });
            if (origins.len(), errors.len()) == before && !is_claimed {
                let message = "expected .yaml, .yml or .json files in this folder, found none";
                errors.push(Diagnostic::file(path, message, "name a file to read it whatever its extension"));
            }
        } else {
            origins.push(Origin::of(Some(path)));
        }
    }
    (origins, errors)
}

fn walk(
    folder: &Path,
    origins: &mut Vec<Origin>,
    errors: &mut Vec<Diagnostic>,
    claims: &mut dyn FnMut(&Path) -> bool,
) {
    let entries = fs::read_dir(folder).and_then(|entries| entries.collect::<io::Result<Vec<_>>>());
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => return errors.push(unreadable(folder, &error)),
    };
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // Links to folders are not followed: they may lead back here.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if !claims(&path) {
                walk(&path, origins, errors, claims);
            }
        } else if extension(&path).is_some_and(|found| EXTENSIONS.contains(&found)) && !path.is_dir() {
            origins.push(Origin::File(path));
        }
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    let help = match error.kind() {
        io::ErrorKind::NotFound => "check the path",
        io::ErrorKind::PermissionDenied => "check the permissions",
        _ => "",
    };
    Diagnostic::file(path, format!("cannot be read: {error}"), help)
}

fn extension(path: &Path) -> Option<&str> {
    path.extension().and_then(|extension| extension.to_str())
}
