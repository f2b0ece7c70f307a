//! What no reader of one document can see is wrong: names that Rust cannot
//! hold, numbers and kinds that are said twice, types without an end. Looked
//! for before anything is emitted, so that all of it is reported with its
//! place, and none of it by the compiler.

mod collisions;
mod crates;
pub(crate) mod facts;
mod kinds;

pub use self::crates::families;

use std::path::Path;

use hubgen_model::{Api, GroupVersion, TypeId};

use hubgen_documents::{Diagnostic, schema};

/// Something wrong, and where in the schemas it is said.
struct Fault {
    group_version: GroupVersion,
    /// Keys from the document downwards.
    path: Vec<String>,
    message: String,
    help: String,
}

/// The faults found so far.
#[derive(Default)]
struct Faults(Vec<Fault>);

impl Faults {
    /// Something wrong with a document as a whole.
    fn document(&mut self, group_version: &GroupVersion, message: String, help: &str) {
        self.push(group_version, vec!["info".to_owned()], message, help);
    }

    /// Something wrong with a type.
    fn ty(&mut self, id: &TypeId, message: String, help: &str) {
        self.push(&id.group_version, type_path(id), message, help);
    }

    /// Something wrong with a property.
    fn field(&mut self, id: &TypeId, field: &str, message: String, help: &str) {
        let mut path = type_path(id);
        path.extend(["properties".to_owned(), field.to_owned()]);
        self.push(&id.group_version, path, message, help);
    }

    fn push(&mut self, group_version: &GroupVersion, path: Vec<String>, message: String, help: &str) {
        let group_version = group_version.clone();
        self.0.push(Fault { group_version, path, message, help: help.to_owned() });
    }
}

fn type_path(id: &TypeId) -> Vec<String> {
    ["components", "schemas", &id.name].map(str::to_owned).to_vec()
}

/// Everything that keeps the API, read from the folder `schemas`, from
/// becoming Rust. An API that is not whole lacks what could not be read.
pub fn check(api: &Api, schemas: &Path, is_whole: bool) -> Vec<Diagnostic> {
    let mut faults = Faults::default();
    crates::check(api, &mut faults);
    collisions::check(api, &mut faults);
    facts::check(api, &mut faults);
    kinds::check(api, is_whole, &mut faults);
    let locate = |Fault { group_version, path, message, help }| {
        schema::locate(schemas, &group_version, &path, message, help)
    };
    faults.0.into_iter().map(locate).collect()
}
