//! Struct literals, in which fields of flattened objects are in these.

use std::collections::BTreeSet;

use hubgen_model::{Field, Type, TypeId};
use proc_macro2::TokenStream;
use quote::quote;

use super::Context;
use crate::naming::{field_ident, ident};

/// A literal of a type with these fields and their values. The others are empty.
pub(super) fn literal(context: &Context<'_>, id: &TypeId, values: &[(Field, TokenStream)]) -> TokenStream {
    named(context, id, &context.path(id), values)
}

/// As [`literal`], with another name for the type, such as `Self`.
pub(super) fn named(
    context: &Context<'_>,
    id: &TypeId,
    name: &TokenStream,
    values: &[(Field, TokenStream)],
) -> TokenStream {
    let values: Vec<_> = values.iter().map(|(field, value)| (field, value)).collect();
    inside(context, id, name, 0, &values)
}

/// The literal of an object that is flattened so many times.
fn inside(
    context: &Context<'_>,
    id: &TypeId,
    path: &TokenStream,
    depth: usize,
    values: &[(&Field, &TokenStream)],
) -> TokenStream {
    let outermost = |field: &Field, depth: usize| {
        let around = field.rust_name.around().get(depth);
        around.map_or_else(|| field_ident(field), |(name, _)| ident(name))
    };
    let all = context.types.find(id).map(Type::fields).unwrap_or_default();
    let all: BTreeSet<_> = all.iter().map(|field| outermost(field, 0)).collect();
    let mut written: Vec<(syn::Ident, TokenStream)> = Vec::new();
    for (field, value) in values {
        let name = outermost(field, depth);
        if written.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let member = match field.rust_name.around().get(depth) {
            Some((_, inner)) => {
                let is_beside = |(other, _): &&(&Field, &TokenStream)| outermost(other, depth) == name;
                let beside: Vec<_> = values.iter().filter(is_beside).copied().collect();
                let literal = inside(context, inner, &context.path(inner), depth + 1, &beside);
                quote!(#name: #literal)
            }
            None if name == value.to_string() => quote!(#name),
            None => quote!(#name: #value),
        };
        written.push((name, member));
    }
    let is_whole = written.len() == all.len();
    let members = written.iter().map(|(_, member)| member);
    if is_whole {
        quote!(#path { #(#members),* })
    } else if written.is_empty() {
        quote!(#path::default())
    } else {
        quote!(#path { #(#members,)* ..Default::default() })
    }
}
