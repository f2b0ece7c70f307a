//! What people have to decide before code can be generated: rules, and which types are boxed.

use std::path::Path;
use std::{env, fs};

use hubgen_codegen::Target;
use hubgen_documents::folder::{Files, Folder};
use hubgen_documents::schema::Carried;
use hubgen_terminal::Diagnostic;

use crate::import::{Errors, failed_at};

/// The errors of the generator for the schemas of a folder, once it has these files.
pub fn of(folder: &Path, files: &Files) -> Result<Vec<Diagnostic>, Errors> {
    let mut all = Folder::read(folder)?.files;
    all.extend(files.iter().map(|(path, text)| (path.clone(), text.clone())));
    let copy =
        tempfile::tempdir().map_err(|error| failed_at(&env::temp_dir(), "cannot be written", &error))?;
    for (path, text) in &all {
        let path = copy.path().join(path);
        let parent = path.parent().unwrap_or(copy.path());
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| failed_at(&path, "cannot be written", &error))?;
    }
    match hubgen_codegen::generate(copy.path(), &Carried::default(), &Target::kubernetes()) {
        Ok(_) => Ok(Vec::new()),
        Err(errors) => Ok(errors.into_iter().map(|error| in_folder(error, copy.path(), folder)).collect()),
    }
}

/// An error about the copy, as one about the folder.
fn in_folder(mut error: Diagnostic, copy: &Path, folder: &Path) -> Diagnostic {
    if let Some(below) = error.file.strip_prefix(copy).ok().map(Path::to_owned) {
        error.file = folder.join(below);
    }
    error
}

/// A line about a decision.
pub fn line(needed: &Diagnostic) -> String {
    let place = if needed.path.is_empty() { String::new() } else { format!(" {}", needed.path) };
    format!("needed:{place}: {}", needed.message)
}
