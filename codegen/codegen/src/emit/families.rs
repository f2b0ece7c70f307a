//! Emits the families of a crate's kinds.

use std::collections::BTreeMap;

use hubgen_plan::Family;
use hubgen_plan::FamilyPlan;
use proc_macro2::TokenStream;
use quote::quote;

use super::description::doc;
use crate::naming::{ident, snake};

/// The name of a family's constant: `DEPLOYMENT`.
pub fn constant(kind: &str) -> syn::Ident {
    ident(&snake(kind).to_uppercase())
}

/// Emits the families of one crate, a constant for each. Their names are unique, since kinds are
/// unique within a group.
pub fn emit<'a>(families: impl Iterator<Item = &'a Family>, plans: &[FamilyPlan]) -> Vec<TokenStream> {
    let sorted: BTreeMap<&str, &Family> = families.map(|family| (family.kind.as_str(), family)).collect();
    let mut parts = vec![quote!(
        use hubgen_machinery::scheme::FamilyRow;
    )];
    for (kind, family) in sorted {
        let name = constant(kind);
        let members = family.members.iter().map(|member| {
            let (group, version) = (&member.group, &member.version);
            quote!((#group, #version, #kind))
        });
        let (group, version) = (&family.hub.group, &family.hub.version);
        let plan = plans.iter().find(|plan| plan.family == *family);
        let words = plan.into_iter().flat_map(FamilyPlan::words);
        let words = words.map(|(field, word)| quote!((#field, #word)));
        let docs = doc(&[format!("The versions of {kind}.")]);
        parts.push(quote! {
            #docs
            pub static #name: FamilyRow = FamilyRow {
                members: &[#(#members),*],
                storage: (#group, #version, #kind),
                words: &[#(#words),*],
            };
        });
    }
    parts
}
