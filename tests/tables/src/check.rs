//! What must be true of a table: the generator refuses it with file and line, or it keeps all laws.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use hubgen_codegen::has_infinite_types;
use hubgen_documents::{Source, rules, schema};
use hubgen_interpret::runtime::{Model, entries};
use hubgen_laws::versions::{self, Convertible, Version};
use hubgen_machinery::scheme::{Conversion, Scheme};
use hubgen_model::defaults::Defaults;
use hubgen_model::{Api, Origin};

use crate::faults::Fault;
use crate::functions;
use crate::schema::KIND;
use crate::table::Table;

/// What became of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// The generator refuses it, and says where.
    Refused,
    /// It keeps all laws.
    Laws {
        /// Whether its JSON converts without being decoded.
        undecoded: bool,
    },
}

/// Kubernetes' types to which kinds refer.
///
/// # Panics
/// If the schemas that this program contains are not valid.
pub fn kubernetes() -> Api {
    let files = hubgen_schemas::kubernetes().iter().filter(|(path, _)| *path == "meta.k8s.io/v1.json");
    let files = files.map(|(path, text)| (path.into(), (*text).to_owned())).collect();
    let mut api = schema::read_files(files).expect("our schemas are valid");
    api.versions.values_mut().for_each(|version| version.origin = Origin::Foreign);
    api
}

/// How a table is checked.
#[derive(Clone, Copy, Default)]
pub struct How {
    /// How many objects each law is checked with, for each version.
    pub objects: u64,
    /// Whether to find the smallest object that violates a law, and not only one.
    pub shrinks: bool,
    /// What is wrong with the plan, on purpose.
    pub fault: Option<Fault>,
}

/// Checks a table.
///
/// # Errors
/// What is wrong, with an object that shows it.
pub fn check(table: &Table, kubernetes: &Api, how: How) -> Result<Kept, String> {
    let checked = catch_unwind(AssertUnwindSafe(|| laws(table, kubernetes, how)));
    checked.unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        Err(format!("panicked: {}", message.or(panic.downcast_ref().copied()).unwrap_or("without a message")))
    })
}

fn laws(table: &Table, kubernetes: &Api, How { objects, shrinks, fault }: How) -> Result<Kept, String> {
    let Some(Interpreted { scheme, words }) = interpreted(table, kubernetes, fault)? else {
        return Ok(Kept::Refused);
    };
    let mut versions = Vec::new();
    for entry in scheme.kinds() {
        if let Conversion::Hub(conversion) = &entry.conversion {
            versions.push(Version { new: entry.new.clone(), conversion: conversion.clone() });
        }
    }
    let words: Vec<(&str, &str)> = words.iter().map(|(field, word)| (&**field, &**word)).collect();
    let all: Vec<&dyn Convertible> = versions.iter().map(|version| version as &dyn Convertible).collect();
    if !shrinks {
        return Ok(Kept::Laws { undecoded: versions::check_all(&all, &words, objects)? });
    }
    versions::check(&all, &words, objects)?;
    versions::check_json(&all, &words, objects)?;
    Ok(Kept::Laws { undecoded: versions::check_undecoded(&all, &words, objects)? })
}

/// A table whose conversions are interpreted.
pub struct Interpreted {
    /// All versions of the kind.
    pub scheme: Scheme,
    /// The words that its conversions look for, each with the name of its field.
    pub words: Vec<(String, String)>,
}

/// Plans a table, and puts a fault into the plan; `None` if the generator refuses the table with file and line.
///
/// # Errors
/// If it refuses it without a line, or accepts what cannot be interpreted.
pub fn interpreted(
    table: &Table,
    kubernetes: &Api,
    fault: Option<Fault>,
) -> Result<Option<Interpreted>, String> {
    let api = table.api(kubernetes);
    // The generator reads the schemas before the rules, and refuses these with file and line.
    if has_infinite_types(&api) {
        return Ok(None);
    }
    let source = Source::new(table.rules_file().display().to_string(), table.rules.clone());
    let rules = match rules::read_documents(Path::new("rules"), vec![source]) {
        Ok(rules) => rules,
        Err(errors) => return refused(&errors),
    };
    let mut plan = match hubgen_plan::build(&api, &rules.rules) {
        Ok(plan) => plan,
        Err(problems) => return refused(&rules.diagnostics(problems)),
    };
    if hubgen_plan::report::lossy(plan.types(&api), &plan.conversions) > 0 {
        return Ok(None);
    }
    if let Some(fault) = fault {
        fault.put_into(&mut plan);
    }
    let functions = functions::registered();
    let (defaults, canonical, behaviours) = (Defaults::default(), Default::default(), Default::default());
    let model = Model {
        api: &api,
        plan: &plan,
        defaults: &defaults,
        canonical: &canonical,
        behaviours: &behaviours,
        functions: &functions,
        over_json: true,
    };
    let mut scheme = Scheme::new();
    for family in plan.families.iter().filter(|family| family.kind == KIND) {
        for entry in entries(model, family).map_err(|error| error.to_string())? {
            scheme.add(entry).map_err(|error| error.to_string())?;
        }
    }
    let words = plan.conversions.iter().flat_map(|plan| plan.words());
    let words = words.map(|(field, word)| (field.to_owned(), word.to_owned())).collect();
    Ok(Some(Interpreted { scheme, words }))
}

/// Every error of the generator has a file and a line.
fn refused(errors: &[hubgen_documents::Diagnostic]) -> Result<Option<Interpreted>, String> {
    match errors.iter().find(|error| error.line == 0) {
        Some(error) => Err(format!("refused without a line: {error}")),
        None => Ok(None),
    }
}
