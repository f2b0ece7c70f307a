//! `normals.rs`: what is seen to in the types of a version, by type.

use hubgen_model::normal::{Normals, Step};
use hubgen_model::{GroupVersion, TypeId};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::module::Module;
use super::names::table_name;
use super::paths::table_path;
use super::types::doc;

/// The steps of a type as code in a file of `from` names them.
pub fn path(from: &Module, id: &TypeId) -> TokenStream {
    table_path(from, id, "normals")
}

/// The file of one version; `None` where nothing is seen to in its types.
pub fn emit(normals: &Normals, group_version: &GroupVersion) -> Option<Vec<TokenStream>> {
    let own = normals.types.iter().filter(|(id, _)| id.group_version == *group_version);
    let tables: Vec<_> = own
        .map(|(id, steps)| {
            let name = table_name(id);
            let docs = doc(&[format!("What {} says twice or in two ways.", id.name)]);
            let steps = steps.iter().map(step);
            quote! {
                #docs
                pub static #name: &[Step] = &[#(#steps),*];
            }
        })
        .collect();
    if tables.is_empty() {
        return None;
    }
    let docs = format!(" Normal forms of the types of `{}`.", group_version.api_version());
    let mut parts = vec![
        quote!(#![doc = #docs]),
        quote!(
            use hubgen_machinery::normal::Step;
        ),
    ];
    parts.extend(tables);
    Some(parts)
}

fn step(step: &Step) -> TokenStream {
    match step {
        Step::Alias { field, of } => quote!(Step::Alias { field: #field, of: #of }),
        Step::First { field, list, element } => {
            let element = match element {
                Some(element) => quote!(Some(#element)),
                None => quote!(None),
            };
            quote!(Step::First { field: #field, list: #list, element: #element })
        }
        Step::Overwrite { from, into } => quote!(Step::Overwrite { from: #from, into: #into }),
        Step::Constant { list, field, value } => {
            quote!(Step::Constant { list: #list, field: #field, value: #value })
        }
        Step::Negative { path, value } => {
            let value = Literal::i64_unsuffixed(*value);
            quote!(Step::Negative { path: &[#(#path),*], value: #value })
        }
        Step::Forget { annotations } => quote!(Step::Forget { annotations: &[#(#annotations),*] }),
    }
}
