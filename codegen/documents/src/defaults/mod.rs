//! Reads handwritten defaults from TOML into the model and checks them against the types that they
//! belong to. Reports all errors, not only the first.

mod key;
mod read;
mod resolve;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use hubgen_model::GroupVersion;
use hubgen_model::defaults::DefaultStep;
use hubgen_model::rules::At;

use crate::{Diagnostic, Source};

/// The defaults in the files of a folder, not yet checked against types.
#[derive(Debug, Default)]
pub struct Documents(Vec<Document>);

/// One file: the defaults of a group.
#[derive(Debug)]
struct Document {
    source: Source,
    versions: Vec<VersionDefaults>,
}

/// The defaults of a version.
#[derive(Debug)]
struct VersionDefaults {
    name: At<GroupVersion>,
    /// A version whose defaults apply here as well, except to types that have a table of their own
    /// here.
    like: Option<At<GroupVersion>>,
    types: Vec<TypeDefaults>,
}

/// The defaults of a type.
#[derive(Debug)]
struct TypeDefaults {
    name: String,
    span: Range<usize>,
    steps: Vec<At<DefaultStep>>,
}

/// Reads every `<group>.toml` of a folder. A folder that does not exist contains no defaults.
///
/// # Errors
/// All errors, in the order of files and lines.
pub fn read_dir(folder: &Path) -> Result<Documents, Vec<Diagnostic>> {
    let unreadable = |path: &Path, error: std::io::Error| {
        vec![Diagnostic::file(path, format!("cannot be read: {error}"), "check its permissions")]
    };
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Documents::default()),
        entries => entries.map_err(|error| unreadable(folder, error))?,
    };
    let mut files = BTreeSet::new();
    for entry in entries {
        let path = entry.map_err(|error| unreadable(folder, error))?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            files.insert(path);
        }
    }
    let mut sources = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(|error| unreadable(&file, error))?;
        sources.push(Source::new(file, text));
    }
    read_sources(sources)
}

/// Reads the defaults in these files.
///
/// # Errors
/// All errors, in the order of files and lines.
pub fn read_sources(sources: Vec<Source>) -> Result<Documents, Vec<Diagnostic>> {
    let mut documents = Documents::default();
    let mut errors = Vec::new();
    for source in sources {
        let versions = read::document(&source, &mut errors);
        documents.0.push(Document { source, versions });
    }
    errors.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    if errors.is_empty() { Ok(documents) } else { Err(errors) }
}
