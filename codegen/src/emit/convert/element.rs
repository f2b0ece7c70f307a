//! An element of a list that is a field in the version.

use hubgen_model::{TypeExpr, TypeId};
use hubgen_plan::{Link, Place};
use proc_macro2::TokenStream;
use quote::quote;

use super::super::names::{field_ident, ident, snake};
use super::super::types::{doc, is_option};
use super::tree::Tree;
use super::{Context, parameter};

/// The function that makes the element: `target_percentage_to_element`.
pub(super) fn make(field: &Place) -> syn::Ident {
    ident(&format!("{}_to_element", snake(&field.field().name)))
}

/// The function that reads the value from the element that it stands for.
pub(super) fn read(field: &Place) -> syn::Ident {
    ident(&format!("{}_of_element", snake(&field.field().name)))
}

/// The function that writes the value there.
pub(super) fn set(field: &Place) -> syn::Ident {
    ident(&format!("set_{}_of_element", snake(&field.field().name)))
}

/// A field of `input` as an `Option`: absent where it is, or what it is in.
pub(super) fn optional(input: &syn::Ident, place: &Place) -> TokenStream {
    let mut out = quote!(#input);
    let mut has_option = false;
    for field in &place.0 {
        let name = field_ident(&field.name);
        out = match (has_option, is_option(field)) {
            (false, _) => quote!(#out.#name),
            (true, false) => quote!(#out.map(|value| value.#name)),
            (true, true) => quote!(#out.and_then(|value| value.#name)),
        };
        has_option |= is_option(field);
    }
    if has_option { out } else { quote!(Some(#out)) }
}

pub(super) fn functions(context: &Context<'_>, link: &Link) -> TokenStream {
    let Link::Element { version, list, element, when, value, last: _ } = link else { return quote!() };
    let make = made(context, version, list, element, when, value);
    let read = reader(context, version, element, when, value);
    // Only a list that is kept whole has both, the field and the element.
    let is_whole =
        context.mapping.kept.iter().any(|kept| kept.annotation.whole && kept.place.0.ends_with(&list.0));
    let set = is_whole.then(|| setter(context, version, element, value));
    quote!(#make #read #set)
}

fn made(
    context: &Context<'_>,
    field: &Place,
    list: &Place,
    element: &TypeId,
    when: &[(Place, String)],
    value: &Place,
) -> TokenStream {
    let name = make(field);
    let mut tree = Tree::default();
    for (place, word) in when {
        let word = quote!(#word.to_owned());
        tree.put(place, if is_option(place.field()) { quote!(Some(#word)) } else { word });
    }
    tree.put(value, if is_option(value.field()) { quote!(Some(value)) } else { quote!(value) });
    let literal = tree.literal(context, element, true);
    let (ty, element) = (rust_type(&value.field().ty), context.path(element));
    let docs = doc(&[format!("The element of `{list}` that stands for `{field}`.")]);
    quote! {
        #docs
        fn #name(value: #ty) -> #element {
            #literal
        }
    }
}

fn reader(
    context: &Context<'_>,
    field: &Place,
    element: &TypeId,
    when: &[(Place, String)],
    value: &Place,
) -> TokenStream {
    let name = read(field);
    let input = parameter(element);
    // Objects that may be absent, in the order in which they are met.
    let mut unwrapped: Vec<(Vec<String>, syn::Ident)> = Vec::new();
    let mut statements = Vec::new();
    let mut reach = |place: &Place| {
        let mut out = quote!(#input);
        let mut path = Vec::new();
        for field in &place.0[..place.0.len() - 1] {
            path.push(field.name.clone());
            let name = field_ident(&field.name);
            out = quote!(#out.#name);
            if is_option(field) {
                if !unwrapped.iter().any(|(known, _)| *known == path) {
                    statements.push(quote!(let #name = #out.as_ref()?;));
                    unwrapped.push((path.clone(), name.clone()));
                }
                out = quote!(#name);
            }
        }
        let last = field_ident(&place.field().name);
        quote!(#out.#last)
    };
    let tests: Vec<TokenStream> = when
        .iter()
        .map(|(place, word)| {
            let value = reach(place);
            if is_option(place.field()) {
                quote!(#value.as_deref() == Some(#word))
            } else {
                quote!(#value == #word)
            }
        })
        .collect();
    let found = reach(value);
    let found = match (is_option(value.field()), is_copy(&value.field().ty)) {
        (true, true) => quote!(#found),
        (true, false) => quote!(#found.clone()),
        (false, true) => quote!(Some(#found)),
        (false, false) => quote!(Some(#found.clone())),
    };
    let body = if tests.is_empty() { found } else { quote!(if #(#tests)&&* { #found } else { None }) };
    let (ty, element) = (rust_type(&value.field().ty), context.path(element));
    let docs = doc(&[format!("What `{field}` says, if this is the element that it stands for.")]);
    quote! {
        #docs
        fn #name(#input: &#element) -> Option<#ty> {
            #(#statements)*
            #body
        }
    }
}

fn setter(context: &Context<'_>, field: &Place, element: &TypeId, value: &Place) -> TokenStream {
    let name = set(field);
    let input = parameter(element);
    let assigned = if is_option(value.field()) { quote!(value) } else { quote!(value.unwrap_or_default()) };
    let mut path = quote!(#input);
    let mut conditions = Vec::new();
    for field in &value.0[..value.0.len() - 1] {
        let name = field_ident(&field.name);
        path = quote!(#path.#name);
        if is_option(field) {
            conditions.push(quote!(let Some(#name) = &mut #path));
            path = quote!(#name);
        }
    }
    let last = field_ident(&value.field().name);
    let assignment = quote!(#path.#last = #assigned;);
    let body = if conditions.is_empty() { assignment } else { quote!(if #(#conditions)&&* { #assignment }) };
    let (ty, element) = (rust_type(&value.field().ty), context.path(element));
    let docs = doc(&[format!("Makes the element say what `{field}` says.")]);
    quote! {
        #docs
        fn #name(#input: &mut #element, value: Option<#ty>) {
            #body
        }
    }
}

fn is_copy(ty: &TypeExpr) -> bool {
    matches!(ty, TypeExpr::Bool | TypeExpr::Int32 | TypeExpr::Int64 | TypeExpr::Double)
}

/// The types that a field and an element's member can have in common.
fn rust_type(ty: &TypeExpr) -> TokenStream {
    match ty {
        TypeExpr::Bool => quote!(bool),
        TypeExpr::Int32 => quote!(i32),
        TypeExpr::Int64 => quote!(i64),
        TypeExpr::Double => quote!(f64),
        TypeExpr::Quantity => quote!(hubgen_machinery::scalar::Quantity),
        TypeExpr::IntOrString => quote!(hubgen_machinery::scalar::IntOrString),
        _ => quote!(String),
    }
}
