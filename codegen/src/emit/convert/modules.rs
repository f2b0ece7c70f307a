//! Modules of versions that the functions name, and what a file of them imports.

use std::cell::RefCell;
use std::collections::BTreeSet;

use hubgen_model::{GroupVersion, TypeId};
use proc_macro2::TokenStream;
use quote::quote;

use super::super::Functions;
use super::super::names::{crate_dir, crate_ident, ident, version_ident};

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

    /// A function of another version.
    pub(super) fn function(&self, version: &GroupVersion, name: &syn::Ident) -> TokenStream {
        let module = self.module(version);
        quote!(#module::convert::#name)
    }

    fn module(&self, version: &GroupVersion) -> syn::Ident {
        self.used.borrow_mut().insert(version.clone());
        if is_local(self.own, version) { version_ident(version) } else { alias(version) }
    }

    /// The functions of a kind, with the versions that they name.
    pub(super) fn finish(self, kind: &str, code: TokenStream) -> Functions {
        Functions::Written { kind: kind.to_owned(), code, names: self.used.into_inner() }
    }
}

fn is_local(own: &GroupVersion, version: &GroupVersion) -> bool {
    crate_dir(&version.group) == crate_dir(&own.group)
}

/// Two groups may have versions of one name.
fn alias(version: &GroupVersion) -> syn::Ident {
    ident(&format!("{}_{}", crate_dir(&version.group), version.version))
}

/// What a version's file of conversions imports: the versions that it names, and what `code`
/// uses of the machinery.
pub(super) fn imports(own: &GroupVersion, names: &BTreeSet<GroupVersion>, code: &str) -> TokenStream {
    let has = |word: &str| code.contains(word);
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
    let (local, foreign): (Vec<_>, Vec<_>) = names.iter().partition(|version| is_local(own, version));
    for version in foreign {
        let (krate, module, alias) = (crate_ident(&version.group), version_ident(version), alias(version));
        imports.push(quote!(use #krate::#module as #alias;));
    }
    imports.push(match &*local.into_iter().map(version_ident).collect::<Vec<_>>() {
        [] => quote!(),
        [one] => quote!(use crate::#one;),
        several => quote!(use crate::{#(#several),*};),
    });
    quote!(#(#imports)*)
}
