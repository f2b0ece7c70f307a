//! Reads the columns of kinds from TOML into the model, and checks them against the kinds. Reports all errors, not only
//! the first.

mod path;
mod read;
mod resolve;

use std::path::Path;

use hubgen_model::rules::At;

use crate::folder::toml_files;
use crate::{Diagnostic, Source};

/// The name of the folder, in the folder of the schemas.
pub const FOLDER: &str = "columns";

/// The columns in the files of a folder, not yet checked against kinds.
#[derive(Debug, Default)]
pub struct Documents(Vec<Document>);

/// One file: the columns of the kinds of a group.
#[derive(Debug)]
struct Document {
    source: Source,
    /// The group; `core` for the core group.
    group: String,
    kinds: Vec<KindLines>,
}

/// The lines about a kind.
#[derive(Debug)]
struct KindLines {
    name: At<String>,
    columns: Vec<ColumnLine>,
    completed: Option<At<String>>,
    sorted_by: Option<At<String>>,
    default_since: Option<At<String>>,
}

/// A column as it is written.
#[derive(Debug)]
struct ColumnLine {
    name: String,
    ty: String,
    format: String,
    priority: i32,
    show: ShowLine,
}

/// A text with values in it.
#[derive(Debug)]
struct Template {
    /// The path of each value, with what is before it.
    values: Vec<(String, At<String>)>,
    /// What is after the last one.
    after: String,
}

/// What a column shows, as it is written.
#[derive(Debug)]
enum ShowLine {
    Path { path: At<String>, or: Option<hubgen_model::columns::Or>, empty_is_none: bool },
    Text(Template),
    Each { path: At<String>, or: String, empty_is_none: bool },
    Count(Vec<At<String>>),
    Age { path: At<String>, or: String },
    Function { name: At<String>, path: Option<At<String>> },
}

/// Reads every `<group>.toml` of a folder. A folder that does not exist contains no columns.
///
/// # Errors
/// All errors, in the order of files and lines.
pub fn read_dir(folder: &Path) -> Result<Documents, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let documents =
        toml_files(folder)?.into_iter().map(|source| read::document(source, &mut errors)).collect();
    if errors.is_empty() { Ok(Documents(documents)) } else { Err(errors) }
}
