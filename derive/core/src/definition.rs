//! The definition of a kind, of `#[kind(…)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Ident, LitStr};

use crate::kind::{Column, KindAttributes, Scale};

/// Implements `HasCrd`, with the generated definition if there is one, and otherwise with that of this version; and
/// `HasResource`.
pub(crate) fn expand(ident: &Ident, kind: &KindAttributes, machinery: &TokenStream) -> TokenStream {
    let crd = quote!(#machinery::crd);
    let (plural, singular, list) = (kind.plural_name(), kind.singular_name(), kind.list_kind());
    let KindAttributes { short, category, selectable, status, .. } = kind;
    let (is_namespaced, is_served) = (kind.namespaced.is_some(), !kind.unserved);
    let deprecated = option(kind.deprecated.as_ref().map(text));
    let scale = option(kind.scale.as_ref().map(|Scale { spec, status, selector }| {
        let selector = text(selector);
        quote!(#crd::Scale { spec: #spec, status: #status, selector: #selector })
    }));
    let columns = kind.column.iter().map(|Column { name, path, ty, format, description, priority }| {
        let (ty, format, description) = (text(ty), text(format), text(description));
        let priority = option(priority.map(|priority| quote!(#priority)));
        quote! {
            #crd::Column {
                name: #name,
                path: #path,
                ty: #ty,
                format: #format,
                description: #description,
                priority: #priority,
            }
        }
    });
    let pairs = |pairs: &[(LitStr, LitStr)]| {
        pairs.iter().map(|(name, value)| quote!((#name, #value))).collect::<Vec<_>>()
    };
    let (labels, annotations, conversion) =
        (pairs(&kind.label), pairs(&kind.annotation), text(&kind.conversion));
    let preserve = option(kind.preserve_unknown_fields.as_ref().map(|preserve| quote!(#preserve)));
    let scope = if is_namespaced { quote!(Namespaced) } else { quote!(Cluster) };
    quote! {
        impl #machinery::scheme::HasResource for #ident {
            type Scope = #machinery::scheme::#scope;
            const PLURAL: &'static str = #plural;
        }

        impl #crd::HasCrd for #ident {
            fn crd() -> #crd::Crd {
                // Not used if there is a generated definition.
                #[allow(unused_imports)]
                use #crd::OneVersion as _;
                #crd::Choice::<Self>::crd(&#crd::Specified {
                    plural: #plural,
                    singular: #singular,
                    list: #list,
                    short: &[#(#short),*],
                    categories: &[#(#category),*],
                    is_namespaced: #is_namespaced,
                    is_served: #is_served,
                    deprecated: #deprecated,
                    has_status: #status,
                    scale: #scale,
                    columns: &[#(#columns),*],
                    selectable: &[#(#selectable),*],
                    labels: &[#(#labels),*],
                    annotations: &[#(#annotations),*],
                    conversion: #conversion,
                    preserve_unknown_fields: #preserve,
                })
            }
        }
    }
}

fn text(text: &Option<LitStr>) -> TokenStream {
    option(text.as_ref().map(|text| quote!(#text)))
}

fn option(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}
