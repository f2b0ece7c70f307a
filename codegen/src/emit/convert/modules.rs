//! Modules that the functions name, and what the file imports.

use std::cell::RefCell;
use std::collections::BTreeSet;

use hubgen_model::{GroupVersion, TypeId};
use proc_macro2::TokenStream;
use quote::quote;

use super::super::Functions;
use super::super::names::{crate_dir, crate_ident, ident, module_ident, version_ident};

/// Types are named with their module (`v2::MetricSpec`), since a version's and
/// the hub's mostly have the same name.
pub(super) struct Modules<'a> {
    own: &'a GroupVersion,
    used: RefCell<BTreeSet<GroupVersion>>,
}

impl<'a> Modules<'a> {
    pub(super) fn new(own: &'a GroupVersion) -> Self {
        Self { own, used: RefCell::default() }
    }

    pub(super) fn path(&self, id: &TypeId) -> TokenStream {
        let module = self.module(&id.group_version);
        let name = ident(&id.name);
        quote!(#module::#name)
    }

    /// A function of another version's module for the same kind.
    pub(super) fn function(&self, version: &GroupVersion, kind: &str, name: &syn::Ident) -> TokenStream {
        let module = self.module(version);
        let kind = module_ident(kind);
        quote!(#module::convert::#kind::#name)
    }

    fn module(&self, version: &GroupVersion) -> syn::Ident {
        self.used.borrow_mut().insert(version.clone());
        if self.is_local(version) {
            version_ident(version)
        } else {
            // Two groups may have versions of one name.
            ident(&format!("{}_{}", crate_dir(&version.group), version.version))
        }
    }

    fn is_local(&self, version: &GroupVersion) -> bool {
        crate_dir(&version.group) == crate_dir(&self.own.group)
    }

    /// The file, with what it imports.
    pub(super) fn finish(self, kind: &str, code: TokenStream) -> Functions {
        let used = self.used.borrow().clone();
        let text = code.to_string();
        let has = |word: &str| text.contains(word);
        let mut items = Vec::new();
        if has("convert ::") {
            items.push(quote!(self));
        }
        items.push(quote!(Convert));
        items.push(quote!(ConvertError));
        if has("annotation ::") {
            items.push(quote!(annotation));
        }
        if has("functions ::") {
            items.push(quote!(functions));
        }
        let mut imports = vec![quote!(use hubgen_machinery::convert::{#(#items),*};)];
        if has("deep_copy ()") {
            imports.push(quote!(
                use hubgen_machinery::reflect::DeepCopy;
            ));
        }
        let (local, foreign): (Vec<_>, Vec<_>) = used.iter().partition(|version| self.is_local(version));
        for version in foreign {
            let (krate, module) = (crate_ident(&version.group), version_ident(version));
            let alias = ident(&format!("{}_{}", crate_dir(&version.group), version.version));
            imports.push(quote!(use #krate::#module as #alias;));
        }
        imports.push(match &*local.into_iter().map(version_ident).collect::<Vec<_>>() {
            [] => quote!(),
            [one] => quote!(use crate::#one;),
            several => quote!(use crate::{#(#several),*};),
        });
        let uses = used.into_iter().filter(|version| version != self.own).collect();
        Functions::Module { kind: kind.to_owned(), code: quote!(#(#imports)* #code), uses }
    }
}
