//! Collects the content of one module of a crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use proc_macro2::TokenStream;

use super::source::{InvalidCode, file};
use crate::module::Module;
use crate::target::Target;

/// The folder of one module, and its content.
pub struct Folder<'a> {
    /// What the code is generated for.
    pub target: &'a Target,
    /// Its path below the folder of generated code.
    pub path: PathBuf,
    /// The sources of its files, for their first lines.
    pub origin: String,
    /// The modules that its code names.
    pub uses: BTreeSet<Module>,
    /// Its submodules, except those of types.
    pub modules: Vec<TokenStream>,
    /// The items of its `mod.rs`, except modules and exports.
    pub items: Vec<TokenStream>,
    /// The files of all crates.
    pub files: &'a mut BTreeMap<PathBuf, String>,
}

impl Folder<'_> {
    /// Adds a file: `mod`, `convert`.
    ///
    /// # Errors
    /// If the code is not valid Rust.
    pub fn add(&mut self, name: &str, parts: &[TokenStream]) -> Result<(), InvalidCode> {
        self.add_from(&self.origin.clone(), name, parts)
    }

    /// Like [`Self::add`], for a file with other sources.
    ///
    /// # Errors
    /// If the code is not valid Rust.
    pub fn add_from(&mut self, origin: &str, name: &str, parts: &[TokenStream]) -> Result<(), InvalidCode> {
        let path = self.path.join(format!("{name}.rs"));
        let text = file(self.target, &path, origin, parts)?;
        self.files.insert(path, text);
        Ok(())
    }
}
