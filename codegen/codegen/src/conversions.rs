//! How kinds convert, with the places of the rules: for those who explain conversions.

use std::path::{Path, PathBuf};

use hubgen_documents::rules::{self, RuleSet};
use hubgen_documents::schema::{self, Carried};
use hubgen_documents::{Diagnostic, Source};
use hubgen_model::Api;
use hubgen_model::rules::{Problem, Where};
use hubgen_plan::Plan;

use crate::generate::{self, Inputs};
use crate::places::Places;
use crate::rust::Written;
use crate::target::Target;

/// How kinds convert, and where people wrote the rules.
pub struct Conversions {
    /// The types of the kinds.
    pub api: Api,
    /// How they convert.
    pub plan: Plan,
    rules: RuleSet,
    written: Written,
    schemas: PathBuf,
}

impl Conversions {
    /// Those of a repository's kinds, as [`kinds`](crate::kinds) reads them.
    ///
    /// # Errors
    /// All errors in the schemas, the source and the rules.
    pub fn of_repository(
        schemas: &Path,
        carried: &Carried<'_>,
        target: &Target,
    ) -> Result<Self, Vec<Diagnostic>> {
        let inputs = generate::read(schemas, carried, target)?;
        let plan = generate::plan(schemas, target, &inputs)?;
        let Inputs { api, rules, written, .. } = inputs;
        Ok(Self { api, plan, rules, written, schemas: schemas.to_path_buf() })
    }

    /// Those of schemas and rules that a program carries: paths below a folder of schemas, and texts. Messages name
    /// files as if they were in `folder`.
    ///
    /// # Errors
    /// All errors in the schemas and the rules.
    pub fn of_files(folder: &Path, files: &[(&str, &str)]) -> Result<Self, Vec<Diagnostic>> {
        let is_rules = |path: &str| path.starts_with("rules/");
        let schemas = files.iter().filter(|(path, _)| path.ends_with(".json"));
        let schemas = schemas.map(|(path, text)| (folder.join(path), (*text).to_owned())).collect();
        let api = schema::read_files(schemas)?;
        let documents = files.iter().filter(|(path, _)| is_rules(path));
        let documents = documents.map(|(path, text)| Source::new(folder.join(path), *text)).collect();
        let rules = rules::read_documents(&folder.join("rules"), documents)?;
        let plan = hubgen_plan::build(&api, &rules.rules).map_err(|problems| rules.diagnostics(problems))?;
        Ok(Self { api, plan, rules, written: Written::default(), schemas: folder.to_path_buf() })
    }

    /// The file and the line of a rule: in a file of rules, or of the attribute in Rust that specifies it.
    pub fn line(&self, place: &Where) -> Option<(PathBuf, u32)> {
        let problem = Problem {
            place: place.clone(),
            path: String::new(),
            message: String::new(),
            help: String::new(),
        };
        let places = Places::new(&self.schemas, &self.written);
        let found = places.of_rules(self.rules.diagnostics(vec![problem])).pop()?;
        (found.line > 0).then_some((found.file, found.line))
    }
}
