//! The archive of Kubernetes' APIs of all releases, which is part of the program.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hubgen_diagnostic::Diagnostic;
use hubgen_documents::archive::{self, Archive};
use hubgen_documents::schema;

/// The API of all releases, what it was in each, and which these are.
///
/// # Errors
/// None, unless hubgen was built from schemas that have errors.
pub fn kubernetes() -> Result<Archive, Vec<Diagnostic>> {
    let files = hubgen_schemas::kubernetes();
    let text = |name| files.iter().find(|(path, _)| *path == name).map_or("", |(_, text)| *text);
    let schemas = files.iter().filter(|(path, _)| path.ends_with(".json"));
    let schemas: BTreeMap<PathBuf, String> =
        schemas.map(|(path, text)| (PathBuf::from(path), (*text).to_owned())).collect();
    Archive::new(schema::read_files(schemas)?, text(archive::RECORD), text(archive::HISTORY))
        .map_err(|(name, error)| vec![Diagnostic::file(name, error, "this is a bug of hubgen")])
}
