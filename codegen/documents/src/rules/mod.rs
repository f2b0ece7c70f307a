//! Reads conversion rules from TOML into the model, each with its position. Reports all errors, not
//! only the first.

mod canonical;
mod function;
mod read;
mod shared;
mod value_table;

use std::cmp::Ordering;
use std::ops::Range;
use std::path::{Path, PathBuf};

use hubgen_model::canonical::CanonicalForms;
use hubgen_model::rules::{Problem, Rules, Table, Where};
use hubgen_model::{Api, Declared};

use crate::folder::toml_files;
use crate::schema::{Fault, Sources};
use crate::{Diagnostic, Source};

/// The name of the file with the rewrites to canonical form.
const CANONICAL: &str = "canonical.toml";

/// All rules, and the documents that contain them.
#[derive(Debug, Default)]
pub struct RuleSet {
    /// The rules of each family.
    pub rules: Vec<Rules>,
    /// The document of each of `rules`, and after them those of the rules that they share.
    sources: Vec<Source>,
    canonical: Option<canonical::Document>,
    folder: PathBuf,
}

impl RuleSet {
    /// The document of the rules at an index.
    pub fn source(&self, index: usize) -> Option<&Source> {
        self.sources[..self.rules.len()].get(index)
    }

    /// The documents of rules that several kinds can use.
    pub fn shared(&self) -> &[Source] {
        &self.sources[self.rules.len()..]
    }

    /// The families that the rules declare.
    pub fn declared(&self) -> Vec<Declared> {
        self.rules.iter().map(Rules::declared).collect()
    }

    /// The rewrites to canonical form, checked against the types.
    ///
    /// # Errors
    /// All errors, in the order of the file.
    pub fn canonical(&self, api: &Api) -> Result<CanonicalForms, Vec<Diagnostic>> {
        self.canonical
            .as_ref()
            .map_or_else(|| Ok(CanonicalForms::default()), |canonical| canonical.resolve(api))
    }

    /// Turns the problems that the model found into diagnostics with positions, in the order of
    /// files and lines.
    pub fn diagnostics(&self, problems: Vec<Problem>) -> Vec<Diagnostic> {
        let mut out: Vec<Diagnostic> = problems.into_iter().map(|problem| self.diagnostic(problem)).collect();
        out.sort_by(in_order);
        out
    }

    fn diagnostic(&self, problem: Problem) -> Diagnostic {
        let Problem { place, path, message, help } = problem;
        match place {
            Where::Rules(file, span) => self.in_rules(file, span, path, message, help),
            Where::Schema { ty, field, table } => {
                let help = match &table {
                    Some(table) => self.with_table(help, table),
                    None => help,
                };
                let fault = match field {
                    Some(field) => Fault::in_field(&ty, &field, message.clone(), &help),
                    None => Fault::in_type(&ty, &[], message.clone(), &help),
                };
                let schemas = self.folder.parent().unwrap_or(Path::new(""));
                let found = Sources::new(schemas).locate(fault);
                match table {
                    // The folder has no file with the type.
                    _ if found.line > 0 => Diagnostic { path, ..found },
                    Some(table) => {
                        let hub = self.rules.get(table.file).map(|rules| rules.hub.span.clone());
                        let span = table.span.or(hub).unwrap_or_default();
                        self.in_rules(table.file, span, path, message, help)
                    }
                    None => Diagnostic::file(&self.folder, message, help).at(path),
                }
            }
            Where::Nowhere => Diagnostic::file(&self.folder, message, help).at(path),
        }
    }

    /// An error in a file of rules.
    fn in_rules(
        &self,
        file: usize,
        span: Range<usize>,
        path: String,
        message: String,
        help: String,
    ) -> Diagnostic {
        match self.sources.get(file) {
            Some(source) => source.error(span, path, message, help),
            None => Diagnostic::file(&self.folder, message, help).at(path),
        }
    }

    /// Help that also tells where the rules of a version go.
    fn with_table(&self, help: String, Table { file, version, span }: &Table) -> String {
        let Some(source) = self.sources.get(*file) else { return help };
        let file = source.file().display();
        match span {
            Some(span) => {
                let (line, _) = source.position(span.start);
                format!("{help}; the rules of {version} are at {file}:{line}")
            }
            None => format!("{help}; write the rules of {version} to {file}, below a line [\"{version}\"]"),
        }
    }
}

fn in_order(a: &Diagnostic, b: &Diagnostic) -> Ordering {
    let key = |diagnostic: &Diagnostic| (diagnostic.file.clone(), diagnostic.line, diagnostic.column);
    key(a).cmp(&key(b)).then_with(|| a.path.cmp(&b.path))
}

/// Reads every `<group>.<Kind>.toml` of a folder, `shared.toml` and `canonical.toml`. A folder that does not
/// exist contains no rules.
///
/// # Errors
/// All errors, in the order of files and lines.
pub fn read_dir(folder: &Path) -> Result<RuleSet, Vec<Diagnostic>> {
    read_documents(folder, documents(folder)?)
}

/// The documents of a folder, and those that it imports; none if it does not exist.
///
/// # Errors
/// If one cannot be read.
pub fn documents(folder: &Path) -> Result<Vec<Source>, Vec<Diagnostic>> {
    let mut documents = toml_files(folder)?;
    shared::add_imported(&mut documents)?;
    Ok(documents)
}

/// Reads rules from documents that are named like the files of a folder.
///
/// # Errors
/// All errors, in the order of files and lines.
pub fn read_documents(folder: &Path, documents: Vec<Source>) -> Result<RuleSet, Vec<Diagnostic>> {
    read(folder, documents, true)
}

/// As [`read_documents`], for some of the kinds that share rules: tables that none of them uses are no errors.
///
/// # Errors
/// All errors, in the order of files and lines.
pub fn read_some(folder: &Path, documents: Vec<Source>) -> Result<RuleSet, Vec<Diagnostic>> {
    read(folder, documents, false)
}

fn read(folder: &Path, documents: Vec<Source>, are_all: bool) -> Result<RuleSet, Vec<Diagnostic>> {
    let mut set = RuleSet { folder: folder.to_path_buf(), ..RuleSet::default() };
    let mut errors = Vec::new();
    let (shared, others) = shared::apart(documents);
    let is_canonical = |source: &Source| source.file().file_name().is_some_and(|found| found == CANONICAL);
    let (canonical, kinds): (Vec<Source>, Vec<Source>) = others.into_iter().partition(is_canonical);
    for source in canonical {
        set.canonical = Some(canonical::document(source, &mut errors));
    }
    let tables = read::shared(&shared, kinds.len(), &mut errors);
    for source in kinds {
        if let Some(rules) = read::rules(&source, &tables, &mut errors) {
            set.rules.push(rules);
            set.sources.push(source);
        }
    }
    if are_all {
        tables.find_unused(&shared, &mut errors);
    }
    set.sources.extend(shared);
    errors.sort_by(in_order);
    if errors.is_empty() { Ok(set) } else { Err(errors) }
}
