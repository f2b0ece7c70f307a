//! Reads CustomResourceDefinitions into the model, and what an API server publishes about them.
//!
//! In three steps: `stream` finds the definitions in documents, `check` checks their schemas as the
//! API server does, and `assemble` makes types of the schemas. `openapi` finds the kinds of definitions in
//! the documents that an API server publishes. `rebuild` makes the schemas again; the
//! reader uses it to find facts that a type does not reproduce. `write` makes whole definitions with it.
//! `webhook` names the webhook that converts in them. [`crd_files`](crate::crd_files) makes files of definitions.

mod assemble;
mod check;
mod definition;
mod fields;
mod group;
mod kinds;
mod known;
mod leaves;
mod names;
mod openapi;
mod presence;
mod rebuild;
mod representable;
mod singular;
mod stream;
mod tree;
mod unknown;
mod webhook;
mod write;

use std::collections::BTreeSet;
use std::path::PathBuf;

use hubgen_model::{Api, TypeId};

pub use self::definition::{add_subresources, resource};
pub use self::kinds::list_of;
pub use self::names::of_field as names_of_field;
pub use self::presence::{Absent, Presences};
pub use self::rebuild::{facts_of_raw_object, openapi_schema, raw_object};
pub use self::unknown::{Unknown, Unknowns};
pub use self::webhook::{Address, Unconverted, Webhook, served, without_webhook};
pub(crate) use self::webhook::{names as service_names, path_fault};
pub use self::write::{definition_name, definitions, each_definition};
use crate::{Diagnostic, Source};

/// How to read definitions.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether to keep descriptions.
    pub docs: bool,
    /// Objects that become types of Kubernetes.
    pub mapped: Vec<Mapped>,
    /// What is the same as an absent field.
    pub presences: Presences,
    /// What becomes of fields that a schema does not list.
    pub unknowns: Unknowns,
    /// What was imported before. Its types keep their names, because users' code has them.
    pub known: Api,
    /// Files that nobody named: they were found in a folder. What is no object of Kubernetes in them is left out.
    pub found: BTreeSet<PathBuf>,
}

/// Objects that become a type of Kubernetes although the type may write other JSON: it may omit an
/// empty text that a type of our own keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// The objects.
    pub what: Objects,
    /// The type.
    pub ty: TypeId,
}

/// Which objects become a type of Kubernetes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Objects {
    /// The object at a path that begins with a kind: `Certificate.spec.template`. Paths go through lists
    /// and maps without an index. It may lack properties that the type has, but not the other way round.
    At(String),
    /// Every object with the same properties as the type.
    OfSameShape,
}

/// What was read.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// The kinds and their types. References may point to types of Kubernetes, which it does not contain.
    pub api: Api,
    /// What is stored as raw JSON, because no type can represent it.
    pub untyped: Vec<Untyped>,
    /// Objects in the documents that are not definitions.
    pub skipped: Vec<Skipped>,
    /// What the user may want to look at, such as unknown keywords, which the API server ignores.
    pub warnings: Vec<Diagnostic>,
}

/// A value that is stored as raw JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untyped {
    /// The document.
    pub file: PathBuf,
    /// The line of its schema.
    pub line: u32,
    /// Group, version and kind, and the path in their objects: `example.com/v1 Widget.spec.extra`.
    pub path: String,
    /// Why no type can represent it.
    pub reason: &'static str,
}

/// An object that is not a CustomResourceDefinition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The document.
    pub file: PathBuf,
    /// Its line.
    pub line: u32,
    /// Its kind; `None` if it is no object of Kubernetes.
    pub kind: Option<String>,
}

/// Whether a keyword of JSON Schema is a fact: something that a schema specifies beyond the type.
pub fn is_fact(keyword: &str) -> bool {
    crate::keywords::form(keyword).is_some()
}

/// Reads all definitions in YAML or JSON documents, and all kinds in OpenAPI documents that an API server
/// publishes for definitions. `kubernetes` contains the types that objects can become; without its types,
/// every object gets a type of its own.
///
/// # Errors
/// All errors and warnings of all documents, in the order of files and lines.
pub fn read(sources: &[Source], options: &Options, kubernetes: &Api) -> Result<Imported, Vec<Diagnostic>> {
    let mut imported = Imported::default();
    let (definitions, mut errors) = stream::read(sources, &options.found, kubernetes, &mut imported);
    for version in definitions.iter().flat_map(|definition| &definition.versions) {
        check::check(version, &mut errors, &mut imported.warnings);
    }
    if errors.is_empty() {
        assemble::assemble(&definitions, options, kubernetes, &mut imported, &mut errors);
    }
    let order =
        |a: &Diagnostic, b: &Diagnostic| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column));
    imported.warnings.sort_by(order);
    if errors.is_empty() {
        return Ok(imported);
    }
    errors.append(&mut imported.warnings);
    errors.sort_by(order);
    Err(errors)
}
