//! Reads rules of types that several kinds have: `shared.toml`, and the files that it imports.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use hubgen_model::rules::{At, Rule};
use toml::de::{DeTable, DeValue};

use crate::table::{Reader, Value};
use crate::{Diagnostic, Source};

/// The file of a folder of rules with tables for types of all its kinds.
pub(super) const FILE: &str = "shared.toml";

/// The key with which a file names others.
pub(super) const IMPORT: &str = "import";

/// The key with which a kind's file names tables.
pub(super) const USE: &str = "use";

/// The tables that kinds can name.
#[derive(Default)]
pub(super) struct Shared {
    tables: BTreeMap<String, Table>,
}

struct Table {
    /// The index of its file among all sources.
    file: usize,
    name: Range<usize>,
    /// Whether it is in the folder's own file.
    is_own: bool,
    rules: Vec<At<Rule>>,
    /// Whether a kind names it.
    used: Cell<bool>,
}

/// Whether a document is the folder's own.
pub(super) fn is_own(source: &Source) -> bool {
    source.file().file_name().is_some_and(|name| name == FILE)
}

/// Appends the documents that a document imports, and those that these import.
///
/// # Errors
/// If one cannot be read.
pub(super) fn add_imported(documents: &mut Vec<Source>) -> Result<(), Vec<Diagnostic>> {
    let mut todo: Vec<usize> = (0..documents.len()).filter(|index| is_own(&documents[*index])).collect();
    let mut errors = Vec::new();
    while let Some(index) = todo.pop() {
        for import in imports(&documents[index]) {
            let file = target(&documents[index], &import.value);
            if documents.iter().any(|document| document.file() == file) {
                continue;
            }
            match std::fs::read_to_string(&file) {
                Ok(text) => {
                    todo.push(documents.len());
                    documents.push(Source::new(file, text));
                }
                Err(error) => errors.push(documents[index].error(
                    import.span,
                    IMPORT.to_owned(),
                    format!("{} cannot be read: {error}", file.display()),
                    "write the path of a file with shared rules, from the folder of this file",
                )),
            }
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Divides documents into the folder's own with those that it imports, and all others.
pub(super) fn apart(documents: Vec<Source>) -> (Vec<Source>, Vec<Source>) {
    let (mut shared, mut others): (Vec<Source>, Vec<Source>) = documents.into_iter().partition(is_own);
    let mut next = 0;
    while let Some(source) = shared.get(next) {
        for import in imports(source) {
            let file = target(&shared[next], &import.value);
            if let Some(index) = others.iter().position(|other| other.file() == file) {
                shared.push(others.remove(index));
            }
        }
        next += 1;
    }
    (shared, others)
}

/// The files that a document names. What is wrong in it is reported when it is read.
fn imports(source: &Source) -> Vec<At<String>> {
    let Ok(document) = DeTable::parse(source.text()) else { return Vec::new() };
    let files = document.get_ref().get(IMPORT).and_then(|files| files.get_ref().as_array());
    let file = |value: &Value<'_>| Some(At::new(value.get_ref().as_str()?.to_owned(), value.span()));
    files.into_iter().flat_map(|files| files.iter()).filter_map(file).collect()
}

/// The file that a document imports, without `..` where that is possible.
fn target(source: &Source, import: &str) -> PathBuf {
    let mut out = source.file().parent().unwrap_or(Path::new("")).to_path_buf();
    for part in Path::new(import).components() {
        let above = matches!(out.components().next_back(), Some(Component::Normal(_)));
        match part {
            Component::ParentDir if above => drop(out.pop()),
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

impl Shared {
    /// Adds the rules of a table; `file` is the index of its file among all sources, `name` the position of its name.
    pub(super) fn add(&mut self, name: &str, at: (usize, Range<usize>), rules: Vec<At<Rule>>, is_own: bool) {
        let (file, span) = at;
        let rules = rules.into_iter().map(|rule| At { file: Some(file), ..rule }).collect();
        let table = Table { file, name: span, is_own, rules, used: Cell::new(false) };
        self.tables.insert(name.to_owned(), table);
    }

    /// The index of the file with a table.
    pub(super) fn file_of(&self, name: &str) -> Option<usize> {
        self.tables.get(name).map(|table| table.file)
    }

    /// The rules of the tables that a value names.
    pub(super) fn rules(&self, reader: &mut Reader<'_>, value: &Value<'_>) -> Vec<At<Rule>> {
        let found = names(reader, value).into_iter().filter_map(|name| self.table(reader, &name));
        found.flat_map(|table| table.rules.clone()).collect()
    }

    /// The rules of each table that a value names, with the name.
    pub(super) fn by_name(
        &self,
        reader: &mut Reader<'_>,
        value: &Value<'_>,
    ) -> Vec<(At<String>, Vec<At<Rule>>)> {
        let names = names(reader, value).into_iter();
        names.filter_map(|name| Some((name.clone(), self.table(reader, &name)?.rules.clone()))).collect()
    }

    fn table(&self, reader: &mut Reader<'_>, name: &At<String>) -> Option<&Table> {
        let table = self.tables.get(&name.value);
        match table {
            Some(table) => table.used.set(true),
            None => {
                let known: Vec<&str> = self.tables.keys().map(String::as_str).collect();
                let help = match &known[..] {
                    [] => format!("write a table [{}] to `rules/{FILE}`", name.value),
                    known => format!("name one of {}", known.join(", ")),
                };
                reader.error(name.span.clone(), format!("no shared table `{}`", name.value), help);
            }
        }
        table
    }

    /// Reports tables of the folder's own document, which is the first one, that no kind names.
    pub(super) fn find_unused(&self, sources: &[Source], errors: &mut Vec<Diagnostic>) {
        let Some(own) = sources.first() else { return };
        let unused = |table: &Table| table.is_own && !table.used.get();
        for (name, table) in self.tables.iter().filter(|(_, table)| unused(table)) {
            errors.push(own.error(
                table.name.clone(),
                name.clone(),
                "no kind uses this table",
                format!("write use = [\"{name}\"] in the rules of a version, or remove the table"),
            ));
        }
    }
}

/// A list of texts.
pub(super) fn names(reader: &mut Reader<'_>, value: &Value<'_>) -> Vec<At<String>> {
    match value.get_ref() {
        DeValue::Array(names) => names.iter().filter_map(|name| reader.string(name)).collect(),
        _ => {
            reader.array(value);
            Vec::new()
        }
    }
}
