//! Puts an imported API into a folder of schemas.

use std::path::Path;

use hubgen_model::{Api, Origin, Type, TypeId, Version};

use crate::folder::Files;
use crate::schema::{self, Carried, Fault, Sources};
use crate::{Diagnostic, archive};

/// The files of an API, after making sure that they read back as the same API. `tool` is the version of the
/// tool that the files name.
///
/// # Errors
/// If they do not, which is a bug of hubgen.
pub fn files(
    folder: &Path,
    api: &Api,
    carried: &Carried<'_>,
    tool: Option<&str>,
) -> Result<Files, Vec<Diagnostic>> {
    let files = schema::files(api, tool);
    let written = files.iter().map(|(path, text)| (folder.join(path), text.clone())).collect();
    let mut again = carried.read_files(written)?;
    again.versions.retain(|_, version| version.origin != Origin::Foreign);
    let mut own = api.clone();
    own.versions.retain(|_, version| version.origin != Origin::Foreign);
    if again != own {
        let lines = archive::diff(&own, &again).join("\n");
        return Err(vec![Diagnostic::message(
            format!("internal error: the schemas read back differently:\n{lines}"),
            "this is a bug of hubgen",
        )]);
    }
    Ok(files)
}

/// Adds what was imported to what a folder contains. An imported group version replaces the one in
/// the folder; group versions that were not imported stay, such as those that a definition no longer
/// has.
///
/// # Errors
/// For each kind of an imported group version that the folder contains and the documents do not,
/// unless `prune`: types of a group version belong together, and an import of some of its kinds would
/// remove the others.
pub fn merge(folder: &Path, known: &Api, imported: Api, prune: bool) -> Result<Api, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    for (name, version) in &imported.versions {
        let Some(before) = known.versions.get(name).filter(|_| !prune) else { continue };
        for gone in before.types.values().filter(|ty| is_gone(ty, version)) {
            errors.push(missing(&gone.id));
        }
    }
    if !errors.is_empty() {
        return Err(Sources::new(folder).locate_all(errors));
    }
    let mut merged = known.clone();
    merged.versions.retain(|_, version| version.origin != Origin::Foreign);
    merged.versions.extend(imported.versions);
    Ok(merged)
}

/// Whether a kind, not a list of a kind, is missing in a version.
fn is_gone(ty: &Type, version: &Version) -> bool {
    ty.kind.is_some() && !ty.is_list() && !version.types.contains_key(&ty.id.name)
}

fn missing(id: &TypeId) -> Fault {
    let message =
        format!("{} of {} is in this folder, and not in the imported documents", id.name, id.group_version);
    Fault::in_type(
        id,
        &[],
        message,
        "import all definitions of a group together, or remove the others with --prune",
    )
}
