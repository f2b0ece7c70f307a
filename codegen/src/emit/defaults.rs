//! `defaults.rs`: a version's defaults, as tables that lead only to places
//! which have some.

use std::collections::{HashMap, HashSet};

use hubgen_model::{Api, Field, GroupVersion, TypeId};
use proc_macro2::TokenStream;
use quote::quote;

use super::names::{crate_dir, crate_ident, ident, snake, version_ident};
use super::types::doc;

/// The table of a type: `POD_SPEC`.
fn constant(id: &TypeId) -> syn::Ident {
    ident(&snake(&id.name).to_uppercase())
}

/// Which types have defaults in themselves or below.
pub struct Tables<'a> {
    api: &'a Api,
    has: HashSet<&'a TypeId>,
}

impl<'a> Tables<'a> {
    /// Finds them in the whole API.
    pub fn find(api: &'a Api) -> Self {
        // Backwards from the types that have a default themselves to those
        // that hold them.
        let mut holders: HashMap<&TypeId, Vec<&TypeId>> = HashMap::new();
        let mut todo = Vec::new();
        for ty in api.types() {
            if ty.fields().iter().any(|field| field.default.is_some()) {
                todo.push(&ty.id);
            }
            for target in ty.fields().iter().filter_map(|field| field.ty.named()) {
                holders.entry(target).or_default().push(&ty.id);
            }
        }
        let mut has = HashSet::new();
        while let Some(id) = todo.pop() {
            if has.insert(id) {
                todo.extend(holders.get(id).into_iter().flatten());
            }
        }
        Self { api, has }
    }

    /// The table of a type as code in `from` names it; `None` where nothing in
    /// it or below has a default.
    pub fn path(&self, from: &GroupVersion, id: &TypeId) -> Option<TokenStream> {
        if !self.has.contains(id) {
            return None;
        }
        let name = constant(id);
        let version = version_ident(&id.group_version);
        Some(if from == &id.group_version {
            quote!(super::defaults::#name)
        } else if crate_dir(&from.group) == crate_dir(&id.group_version.group) {
            quote!(crate::#version::defaults::#name)
        } else {
            let krate = crate_ident(&id.group_version.group);
            quote!(#krate::#version::defaults::#name)
        })
    }

    /// The group versions whose tables those of `group_version` lead to.
    pub fn uses(&self, group_version: &GroupVersion) -> HashSet<&'a GroupVersion> {
        self.of_version(group_version)
            .flat_map(|ty| ty.fields())
            .filter_map(|field| field.ty.named())
            .filter(|id| self.has.contains(id))
            .map(|id| &id.group_version)
            .collect()
    }

    fn of_version(&self, group_version: &GroupVersion) -> impl Iterator<Item = &'a hubgen_model::Type> {
        let version = self.api.versions.get(group_version);
        version.into_iter().flat_map(|version| version.types.values()).filter(|ty| self.has.contains(&ty.id))
    }

    /// The file of one version; `None` where it has no defaults.
    pub fn emit(&self, group_version: &GroupVersion) -> Option<Vec<TokenStream>> {
        let docs = format!(" Defaults of `{}`.", group_version.api_version());
        let mut parts = vec![
            quote!(#![doc = #docs]),
            quote!(
                use hubgen_machinery::defaults::{Defaults, FieldDefault};
            ),
        ];
        for ty in self.of_version(group_version) {
            let name = constant(&ty.id);
            let fields = ty
                .fields()
                .iter()
                .enumerate()
                .filter_map(|(index, field)| self.field(group_version, index, field));
            let docs = doc(&[format!("Defaults of {} and below.", ty.id.name)]);
            parts.push(quote! {
                #docs
                pub static #name: Defaults = Defaults { fields: &[#(#fields),*] };
            });
        }
        (parts.len() > 2).then_some(parts)
    }

    fn field(&self, from: &GroupVersion, index: usize, field: &Field) -> Option<TokenStream> {
        let below = field.ty.named().and_then(|id| {
            if id.group_version == *from && self.has.contains(id) {
                let name = constant(id);
                return Some(quote!(#name));
            }
            self.path(from, id)
        });
        if field.default.is_none() && below.is_none() {
            return None;
        }
        let index = proc_macro2::Literal::usize_unsuffixed(index);
        let value = match &field.default {
            Some(value) => {
                let text = value.to_string();
                quote!(Some(#text))
            }
            None => quote!(None),
        };
        let below = below.map_or_else(|| quote!(None), |path| quote!(Some(&#path)));
        let name = &field.name;
        Some(quote!(FieldDefault { field: #name, index: #index, value: #value, below: #below }))
    }
}
