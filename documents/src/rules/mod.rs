//! Reads conversion rules from TOML into the model, each with its position. Reports all errors, not
//! only the first.

mod canonical;
mod function;
mod read;
pub(crate) mod table;

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hubgen_model::canonical::CanonicalForms;
use hubgen_model::rules::{Problem, Rules, Where};
use hubgen_model::{Api, Declared};

use crate::{Diagnostic, Source};

/// The name of the file with the rewrites to canonical form.
const CANONICAL: &str = "canonical.toml";

/// All rules, and the documents that contain them.
#[derive(Debug, Default)]
pub struct RuleSet {
    /// The rules of each family.
    pub rules: Vec<Rules>,
    /// The document of each of `rules`.
    sources: Vec<Source>,
    canonical: Option<canonical::Document>,
    folder: PathBuf,
}

impl RuleSet {
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
        let source = match place {
            Where::Rules(index, span) => self.sources.get(index).map(|source| (source, span)),
            Where::Nowhere => None,
        };
        match source {
            Some((source, span)) => source.error(span, path, message, help),
            None => Diagnostic::file(&self.folder, message, help).at(path),
        }
    }
}

fn in_order(a: &Diagnostic, b: &Diagnostic) -> Ordering {
    let key = |diagnostic: &Diagnostic| (diagnostic.file.clone(), diagnostic.line, diagnostic.column);
    key(a).cmp(&key(b)).then_with(|| a.path.cmp(&b.path))
}

/// Reads every `<group>.<Kind>.toml` of a folder, and `canonical.toml`. A folder that does not
/// exist contains no rules.
///
/// # Errors
/// All errors, in the order of files and lines.
pub fn read_dir(folder: &Path) -> Result<RuleSet, Vec<Diagnostic>> {
    read_documents(folder, documents(folder)?)
}

/// The documents of a folder; none if it does not exist.
///
/// # Errors
/// If one cannot be read.
pub fn documents(folder: &Path) -> Result<Vec<Source>, Vec<Diagnostic>> {
    let unreadable = |path: &Path, error: std::io::Error| {
        vec![Diagnostic::file(path, format!("cannot be read: {error}"), "check its permissions")]
    };
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Vec::new());
        }
        entries => entries.map_err(|error| unreadable(folder, error))?,
    };
    let mut files = BTreeSet::new();
    for entry in entries {
        let path = entry.map_err(|error| unreadable(folder, error))?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            files.insert(path);
        }
    }
    let mut documents = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(|error| unreadable(&file, error))?;
        documents.push(Source::new(file, text));
    }
    Ok(documents)
}

/// Reads rules from documents that are named like the files of a folder.
///
/// # Errors
/// All errors, in the order of files and lines.
pub fn read_documents(folder: &Path, documents: Vec<Source>) -> Result<RuleSet, Vec<Diagnostic>> {
    let mut set = RuleSet { folder: folder.to_path_buf(), ..RuleSet::default() };
    let mut errors = Vec::new();
    for source in documents {
        let is = |name: &str| source.file().file_name().is_some_and(|found| found == name);
        if is(CANONICAL) {
            set.canonical = Some(canonical::document(source, &mut errors));
        } else if let Some(rules) = read::rules(&source, &mut errors) {
            set.rules.push(rules);
            set.sources.push(source);
        }
    }
    errors.sort_by(in_order);
    if errors.is_empty() { Ok(set) } else { Err(errors) }
}
