//! `canonical.rs`: the rewrites to canonical form of a version's types.

use hubgen_model::canonical::{CanonicalForms, Rewrite};
use hubgen_model::{GroupVersion, TypeId};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::description::doc;
use super::homes::Homes;
use crate::module::Module;
use crate::naming::table_name;

/// The path by which code in a file of `from` names the rewrites of a type.
pub fn path(homes: &Homes<'_>, from: &Module, id: &TypeId) -> TokenStream {
    homes.table_path(from, id, "canonical")
}

/// The file of one version; `None` if none of its types has rewrites.
pub fn emit(canonical: &CanonicalForms, group_version: &GroupVersion) -> Option<Vec<TokenStream>> {
    let own = canonical.types.iter().filter(|(id, _)| id.group_version == *group_version);
    let tables: Vec<_> = own
        .map(|(id, steps)| {
            let name = table_name(id);
            let docs = doc(&[format!("Rewrites of {} to canonical form.", id.name)]);
            let steps = steps.iter().map(step);
            quote! {
                #docs
                pub static #name: &[Rewrite] = &[#(#steps),*];
            }
        })
        .collect();
    if tables.is_empty() {
        return None;
    }
    let docs = format!(" Canonical forms of the types of `{}`.", group_version.api_version());
    let mut parts = vec![
        quote!(#![doc = #docs]),
        quote!(
            use hubgen_machinery::canonical::Rewrite;
        ),
    ];
    parts.extend(tables);
    Some(parts)
}

fn step(step: &Rewrite) -> TokenStream {
    match step {
        Rewrite::Alias { field, of } => quote!(Rewrite::Alias { field: #field, of: #of }),
        Rewrite::First { field, list, element } => {
            let element = match element {
                Some(element) => quote!(Some(#element)),
                None => quote!(None),
            };
            quote!(Rewrite::First { field: #field, list: #list, element: #element })
        }
        Rewrite::Overwrite { from, into } => quote!(Rewrite::Overwrite { from: #from, into: #into }),
        Rewrite::Constant { list, field, value } => {
            quote!(Rewrite::Constant { list: #list, field: #field, value: #value })
        }
        Rewrite::Negative { path, value } => {
            let value = Literal::i64_unsuffixed(*value);
            quote!(Rewrite::Negative { path: &[#(#path),*], value: #value })
        }
        Rewrite::Forget { annotations } => quote!(Rewrite::Forget { annotations: &[#(#annotations),*] }),
    }
}
