//! Emits the functions for a field of a version that is an element of a list in the hub.

use hubgen_model::{Field, TypeExpr};
use hubgen_plan::ResolvedPath;
use hubgen_plan::program::Element;
use proc_macro2::TokenStream;
use quote::quote;

use super::super::description::doc;
use super::tree::Tree;
use super::{Context, parameter, plain};
use crate::naming::{field_ident, field_path, ident, snake};

/// The name of the function that creates the element: `target_percentage_to_element`.
pub(super) fn make(field: &ResolvedPath) -> syn::Ident {
    ident(&format!("{}_to_element", snake(&field.field().name)))
}

/// The name of the function that reads the field's value from the element that represents it.
pub(super) fn read(field: &ResolvedPath) -> syn::Ident {
    ident(&format!("{}_of_element", snake(&field.field().name)))
}

/// The name of the function that writes the field's value to that element.
pub(super) fn set(field: &ResolvedPath) -> syn::Ident {
    ident(&format!("set_{}_of_element", snake(&field.field().name)))
}

/// A field below `object` as an `Option`, which is `None` if the field or an object on its path is absent; `is_there`
/// tells whether `object` is, where it may be absent and is empty then.
pub(super) fn optional(object: TokenStream, fields: &[Field], is_there: Option<syn::Ident>) -> TokenStream {
    let mut out = object;
    let mut has_option = false;
    for field in fields {
        let name = field_path(field);
        out = match (has_option, field.may_be_absent()) {
            (false, _) => quote!(#out.#name),
            (true, false) => quote!(#out.map(|value| value.#name)),
            (true, true) => quote!(#out.and_then(|value| value.#name)),
        };
        if field.is_nullable() {
            out = quote!(#out.flatten());
        }
        has_option |= field.may_be_absent();
    }
    match is_there {
        _ if has_option => out,
        Some(is_there) => quote!(#is_there.then_some(#out)),
        None => quote!(Some(#out)),
    }
}

/// Emits the functions for an element of a list.
pub(super) fn functions(context: &Context<'_>, list: &ResolvedPath, element: &Element) -> TokenStream {
    let make = made(context, list, element);
    let read = reader(context, element);
    // Only if the annotation contains the whole list are both the field and the element present.
    let is_whole = context.mapping.kept.iter().any(|kept| kept.annotation.whole && kept.path.ends_with(list));
    let set = is_whole.then(|| setter(context, element));
    quote!(#make #read #set)
}

fn made(context: &Context<'_>, list: &ResolvedPath, element: &Element) -> TokenStream {
    let Element { field, id, when, value, .. } = element;
    let name = make(field);
    let mut tree = Tree::default();
    for (place, word) in when {
        let word = quote!(#word.into());
        tree.put(place, if place.may_be_absent() { quote!(Some(#word)) } else { word });
    }
    tree.put(value, if value.may_be_absent() { quote!(Some(value)) } else { quote!(value) });
    let literal = tree.literal(context, id, true);
    let (ty, element) = (plain::rust_type(&value.field().ty), context.path(id));
    let docs = doc(&[format!("Creates the element of `{list}` that represents `{field}`.")]);
    quote! {
        #docs
        fn #name(value: #ty) -> #element {
            #literal
        }
    }
}

fn reader(context: &Context<'_>, element: &Element) -> TokenStream {
    let Element { field, id, when, value, .. } = element;
    let name = read(field);
    let input = parameter(id);
    // Objects on the path that may be absent, outermost first.
    let mut unwrapped: Vec<(Vec<String>, syn::Ident)> = Vec::new();
    let mut statements = Vec::new();
    let mut reach = |place: &ResolvedPath| {
        let mut out = quote!(#input);
        let mut path = Vec::new();
        for field in &place.0[..place.0.len() - 1] {
            path.push(field.name.clone());
            let (name, path_to) = (field_ident(field), field_path(field));
            out = quote!(#out.#path_to);
            if field.may_be_absent() {
                if !unwrapped.iter().any(|(known, _)| *known == path) {
                    statements.push(quote!(let #name = #out.as_ref()?;));
                    unwrapped.push((path.clone(), name.clone()));
                }
                out = quote!(#name);
            }
        }
        let last = field_path(place.field());
        quote!(#out.#last)
    };
    let tests: Vec<TokenStream> = when
        .iter()
        .map(|(place, word)| {
            let value = reach(place);
            if place.field().is_nullable() {
                quote!(#value.as_ref().and_then(Option::as_deref) == Some(#word))
            } else if place.may_be_absent() {
                quote!(#value.as_deref() == Some(#word))
            } else {
                quote!(#value == #word)
            }
        })
        .collect();
    let found = reach(value);
    let found = match (value.may_be_absent(), is_copy(&value.field().ty)) {
        (true, true) => quote!(#found),
        (true, false) => quote!(#found.clone()),
        (false, true) => quote!(Some(#found)),
        (false, false) => quote!(Some(#found.clone())),
    };
    let body = if tests.is_empty() { found } else { quote!(if #(#tests)&&* { #found } else { None }) };
    let (ty, element) = (plain::rust_type(&value.field().ty), context.path(id));
    let docs = doc(&[format!("The value of `{field}`, if this is the element that represents it.")]);
    quote! {
        #docs
        fn #name(#input: &#element) -> Option<#ty> {
            #(#statements)*
            #body
        }
    }
}

fn setter(context: &Context<'_>, element: &Element) -> TokenStream {
    let Element { field, id, value, .. } = element;
    let name = set(field);
    let input = parameter(id);
    let assigned = if value.may_be_absent() { quote!(value) } else { quote!(value.unwrap_or_default()) };
    let mut path = quote!(#input);
    let mut conditions = Vec::new();
    for field in &value.0[..value.0.len() - 1] {
        let (name, path_to) = (field_ident(field), field_path(field));
        path = quote!(#path.#path_to);
        if field.may_be_absent() {
            conditions.push(quote!(let Some(#name) = &mut #path));
            path = quote!(#name);
        }
    }
    let last = field_path(value.field());
    let assignment = quote!(#path.#last = #assigned;);
    let body = if conditions.is_empty() { assignment } else { quote!(if #(#conditions)&&* { #assignment }) };
    let (ty, element) = (plain::rust_type(&value.field().ty), context.path(id));
    let docs = doc(&[format!("Sets the value of the element to that of `{field}`.")]);
    quote! {
        #docs
        fn #name(#input: &mut #element, value: Option<#ty>) {
            #body
        }
    }
}

fn is_copy(ty: &TypeExpr) -> bool {
    use TypeExpr::{Bool, Double, Float, Int32, Int64, Uint16, Uint32, Uint64};
    matches!(ty, Bool | Int32 | Int64 | Uint16 | Uint32 | Uint64 | Float | Double)
}
