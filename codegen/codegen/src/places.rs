//! Where people wrote what an API consists of.

use std::path::Path;

use hubgen_documents::Diagnostic;
use hubgen_documents::schema::{Fault, Sources};

use crate::rust::Written;

/// The documents of a repository, and the types in its Rust.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    schemas: &'a Path,
    written: &'a Written,
}

impl<'a> Places<'a> {
    /// The documents of the folder `schemas`, and types in Rust.
    pub fn new(schemas: &'a Path, written: &'a Written) -> Self {
        Self { schemas, written }
    }

    /// Errors in schemas, or in Rust where the types are written in it.
    pub fn locate(self, faults: Vec<Fault>) -> Vec<Diagnostic> {
        self.in_rust(Sources::new(self.schemas).locate_all(faults))
    }

    /// Errors in schemas, moved to Rust where the types are written in it.
    pub fn in_rust(self, errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
        errors.into_iter().map(|error| self.written.locate(self.schemas, error)).collect()
    }

    /// Errors in rules, moved to the attributes that specify them.
    pub fn of_rules(self, errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
        self.written.locate_rules(self.schemas, errors)
    }
}
