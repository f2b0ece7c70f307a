//! Compares what was generated with the folder of generated code, before anything is written.

use std::path::Path;

use hubgen_documents::Diagnostic;
use hubgen_documents::folder::{Changes, Folder, PART};

use crate::generate::Generated;
use crate::target::Target;

/// What has to change in a folder so that it contains what was generated.
///
/// # Errors
/// - For each file in the folder that was not generated: generating into the wrong folder must not
///   delete anything.
/// - If a newer version of the tool generated the files. This version may not know what that one
///   wrote.
pub fn compare<'a>(
    generated: &'a Generated,
    target: &Target,
    out: &Path,
) -> Result<Changes<'a>, Vec<Diagnostic>> {
    let there = Folder::read(out)?;
    // An earlier run may have been interrupted while writing a file.
    let is_part = |path: &Path| path.extension().is_some_and(|extension| extension == PART);
    let is_generated = |path: &Path, text: &str| {
        is_part(path) || target.generator.wrote(text) || target.license.as_deref() == Some(text)
    };
    let foreign: Vec<Diagnostic> = there
        .files
        .iter()
        .filter(|(path, text)| !is_generated(path, text))
        .map(|(path, _)| {
            let message = if generated.files.contains_key(path) {
                "a generated file would replace this one, which was not generated"
            } else {
                "this file is among generated files, but was not generated"
            };
            let help = "move it elsewhere, or choose another folder for generated files";
            Diagnostic::file(out.join(path), message, help)
        })
        .collect();
    if !foreign.is_empty() {
        return Err(foreign);
    }
    target.generator.refuse_newer(&there).map_err(|error| vec![error])?;
    Ok(there.changes(&generated.files))
}
