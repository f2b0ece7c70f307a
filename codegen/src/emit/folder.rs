//! What is gathered for one module of a crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use proc_macro2::TokenStream;

use super::module::Module;
use super::source::file;

/// The folder of one module, and what is gathered for it.
pub struct Folder<'a> {
    /// Below `generated/`.
    pub path: PathBuf,
    /// What its files are made from, for their first lines.
    pub origin: String,
    /// The modules that its code names.
    pub uses: BTreeSet<Module>,
    /// Its own modules besides those of types.
    pub modules: Vec<TokenStream>,
    /// What its `mod.rs` has beside modules and exports.
    pub items: Vec<TokenStream>,
    /// The files of all crates.
    pub files: &'a mut BTreeMap<PathBuf, String>,
}

impl Folder<'_> {
    /// Adds a file: `mod`, `convert`.
    ///
    /// # Errors
    /// When the code is no Rust.
    pub fn add(&mut self, name: &str, parts: &[TokenStream]) -> Result<(), String> {
        self.add_from(&self.origin.clone(), name, parts)
    }

    /// The same of a file that is made from more.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn add_from(&mut self, origin: &str, name: &str, parts: &[TokenStream]) -> Result<(), String> {
        let path = self.path.join(format!("{name}.rs"));
        let text = file(&path, origin, parts)?;
        self.files.insert(path, text);
        Ok(())
    }
}
