//! Checks for errors that span several documents or concern Rust only: names that are not valid in
//! Rust, duplicate protobuf numbers and kinds, infinite types. The checks run before any code is
//! emitted, so that all errors are reported with their position in the schemas, and none by the
//! compiler.

mod callees;
mod collisions;
mod crates;
pub(crate) mod facts;
mod kinds;
mod mapped;
mod one_of;
mod texts;
mod words;

pub use self::callees::callees;
pub use self::crates::{families, groups_with_one_name};
pub use self::mapped::defaults;
pub use self::one_of::one_of;
pub use self::texts::Texts;
pub use self::words::words;

use std::path::Path;

use hubgen_model::{Api, GroupVersion, TypeId};

use hubgen_documents::{Diagnostic, schema};

use crate::rust::Written;
use crate::target::Target;

/// An error, and its position in the schemas.
struct Fault {
    group_version: GroupVersion,
    /// The keys that lead from the root of the document to the error.
    path: Vec<String>,
    message: String,
    help: String,
}

/// The errors found so far.
#[derive(Default)]
struct Faults(Vec<Fault>);

impl Faults {
    /// Reports an error in a document as a whole.
    fn document(&mut self, group_version: &GroupVersion, message: String, help: &str) {
        self.push(group_version, vec!["info".to_owned()], message, help);
    }

    /// Reports an error in a type.
    fn ty(&mut self, id: &TypeId, message: String, help: &str) {
        self.push(&id.group_version, type_path(id), message, help);
    }

    /// Reports an error in a property.
    fn field(&mut self, id: &TypeId, field: &str, message: String, help: &str) {
        let mut path = type_path(id);
        path.extend(["properties".to_owned(), field.to_owned()]);
        self.push(&id.group_version, path, message, help);
    }

    /// Each error once, although both directions of a conversion have it.
    fn unify(&mut self) {
        self.0.sort_by(|a, b| (&a.group_version, &a.path).cmp(&(&b.group_version, &b.path)));
        self.0.dedup_by(|a, b| (&a.group_version, &a.path) == (&b.group_version, &b.path));
    }

    /// The errors, where users wrote what is wrong.
    fn locate(self, schemas: &Path, written: &Written) -> Vec<Diagnostic> {
        let locate = |Fault { group_version, path, message, help }: Fault| {
            written.locate(schemas, schema::locate(schemas, &group_version, &path, message, &help))
        };
        self.0.into_iter().map(locate).collect()
    }

    /// Finds the errors that concern Rust and definitions.
    fn of_facts_and_kinds(&mut self, api: &Api, is_whole: bool) {
        facts::check(api, self);
        kinds::check(api, is_whole, self);
    }

    fn in_schemas(self, schemas: &Path) -> Vec<Diagnostic> {
        let locate = |Fault { group_version, path, message, help }| {
            schema::locate(schemas, &group_version, &path, message, help)
        };
        self.0.into_iter().map(locate).collect()
    }

    fn push(&mut self, group_version: &GroupVersion, path: Vec<String>, message: String, help: &str) {
        let group_version = group_version.clone();
        self.0.push(Fault { group_version, path, message, help: help.to_owned() });
    }
}

fn type_path(id: &TypeId) -> Vec<String> {
    ["components", "schemas", &id.name].map(str::to_owned).to_vec()
}

/// All errors in the API, read from the folder `schemas`, that prevent valid Rust code. If
/// `is_whole` is false, the API lacks the documents that could not be read.
pub fn check(api: &Api, schemas: &Path, target: &Target, is_whole: bool) -> Vec<Diagnostic> {
    let mut faults = Faults::default();
    crates::check(api, target, &mut faults);
    collisions::check(api, &mut faults);
    faults.of_facts_and_kinds(api, is_whole);
    faults.in_schemas(schemas)
}

/// The errors among those of [`check`] that concern definitions. They have no names in Rust.
pub fn definitions(api: &Api, schemas: &Path, _: &Target, is_whole: bool) -> Vec<Diagnostic> {
    let mut faults = Faults::default();
    faults.of_facts_and_kinds(api, is_whole);
    faults.in_schemas(schemas)
}
