//! `defaults.rs`: a version's defaults as tables. A table refers only to tables that have defaults.

use std::collections::HashSet;

use hubgen_model::defaults::{Condition, DefaultStep, Defaults, Is};
use hubgen_model::{Api, GroupVersion, Type, TypeId};
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::Value;

use super::description::doc;
use super::homes::Homes;
use crate::module::Module;
use crate::naming::{ident, table_name};

/// The types that have defaults themselves or in the types of their fields.
pub struct Tables<'a> {
    homes: &'a Homes<'a>,
    api: &'a Api,
    defaults: &'a Defaults,
    has: HashSet<&'a TypeId>,
}

impl<'a> Tables<'a> {
    /// Finds these types in the whole API.
    pub fn find(homes: &'a Homes<'a>, api: &'a Api, defaults: &'a Defaults) -> Self {
        let has = defaults.types_with_defaults(api);
        Self { homes, api, defaults, has }
    }

    /// The path by which code in a file of `from` names the table of a type; `None` if neither the
    /// type nor the types of its fields have defaults.
    pub fn path(&self, from: &Module, id: &TypeId) -> Option<TokenStream> {
        self.has.contains(id).then(|| self.homes.table_path(from, id, "defaults"))
    }

    /// The modules whose tables the tables of a version refer to.
    pub fn uses(&self, group_version: &GroupVersion) -> impl Iterator<Item = Module> {
        self.of_version(group_version)
            .flat_map(|ty| ty.fields())
            .filter_map(|field| field.ty.named())
            .filter(|id| self.has.contains(id))
            .map(Module::of)
    }

    /// The types of a version. Hubs have no tables, since objects are defaulted at their own
    /// version before they become hubs.
    fn of_version(&self, group_version: &GroupVersion) -> impl Iterator<Item = &'a Type> {
        let version = self.api.versions.get(group_version);
        version.into_iter().flat_map(|version| version.types.values()).filter(|ty| self.has.contains(&ty.id))
    }

    /// The file of one version; `None` if it has no defaults.
    pub fn emit(&self, group_version: &GroupVersion) -> Option<Vec<TokenStream>> {
        let tables: Vec<_> = self.of_version(group_version).map(|ty| self.table(group_version, ty)).collect();
        if tables.is_empty() {
            return None;
        }
        // Only names that occur in the tables are imported.
        let text = quote!(#(#tables)*).to_string();
        let words: HashSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let names = ["Below", "Condition", "Defaults", "Is", "DefaultStep"]
            .into_iter()
            .filter(|name| words.contains(name))
            .map(ident);
        let docs = format!(" Defaults of `{}`.", group_version.api_version());
        let functions = words.contains("Call").then(|| {
            quote!(
                use hubgen_kubernetes_functions::defaults;
            )
        });
        let imports = quote! {
            #functions
            use hubgen_machinery::defaults::{#(#names),*};
        };
        let mut parts = vec![quote!(#![doc = #docs]), imports];
        parts.extend(tables);
        Some(parts)
    }

    fn table(&self, group_version: &GroupVersion, ty: &Type) -> TokenStream {
        let name = table_name(&ty.id);
        let docs = doc(&[format!("Defaults of {} and its fields.", ty.id.name)]);
        let steps = self.defaults.steps(ty).map(|step| self.step(ty, &step));
        let below = ty.fields().iter().enumerate().filter_map(|(index, field)| {
            let id = field.ty.named().filter(|id| self.has.contains(id))?;
            let table = if id.group_version == *group_version {
                let name = table_name(id);
                quote!(#name)
            } else {
                self.path(&Module::of(&ty.id), id)?
            };
            let (name, index) = (&field.name, Literal::usize_unsuffixed(index));
            Some(quote!(Below::new(#name, #index, &#table)))
        });
        quote! {
            #docs
            pub static #name: Defaults = Defaults { steps: &[#(#steps),*], below: &[#(#below),*] };
        }
    }

    fn step(&self, ty: &Type, step: &DefaultStep) -> TokenStream {
        match step {
            DefaultStep::Set { path, value, when } => self.set(ty, path, value, when),
            DefaultStep::Call(function) => {
                let path: syn::Path = syn::parse_str(function).expect("the function exists");
                quote!(DefaultStep::Call(defaults::#path))
            }
        }
    }

    fn set(&self, ty: &Type, path: &[String], value: &Value, when: &[Condition]) -> TokenStream {
        let (field, indices, value) = (path.join("."), self.indices(ty, path), value.to_string());
        if when.is_empty() {
            return quote!(DefaultStep::set(#field, &[#(#indices),*], #value));
        }
        let when = when.iter().map(|condition| {
            let (field, indices) = (condition.path.join("."), self.indices(ty, &condition.path));
            let is = match &condition.is {
                Is::Set => quote!(Is::Set),
                Is::Unset => quote!(Is::Unset),
                Is::OneOf(words) => quote!(Is::OneOf(&[#(#words),*])),
                Is::NoneOf(words) => quote!(Is::NoneOf(&[#(#words),*])),
            };
            quote!(Condition::new(#field, &[#(#indices),*], #is))
        });
        quote!(DefaultStep::set_when(#field, &[#(#indices),*], #value, &[#(#when),*]))
    }

    /// The positions of the fields on a path that is known to exist.
    fn indices(&self, ty: &Type, path: &[String]) -> Vec<Literal> {
        let positions = self.api.positions(ty, path).expect("paths are checked");
        positions.into_iter().map(Literal::usize_unsuffixed).collect()
    }
}
