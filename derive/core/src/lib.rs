//! The expansion of `#[derive(ApiType)]`.
//!
//! The derive macro uses it for users' types and for generated types. It
//! parses, checks and expands. If there are errors, all of them are reported
//! and nothing else is emitted.
//!
//! The generator reads the same types from users' source files, and parses them
//! with [`ApiType::parse`], so that both understand attributes alike.

mod attributes;
mod definition;
mod docs;
mod errors;
mod facts;
mod fingerprint;
mod from;
mod input;
mod json;
mod json_name;
mod keys;
mod kind;
mod leaf;
mod one_of;
mod shared;
mod structs;
mod values;
mod view;
mod words;

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::DeriveInput;

pub use self::attributes::{Allowed, FieldAttributes, List, Omit, crate_path};
pub use self::facts::{Facts, ValueSort, WHOLE};
pub use self::fingerprint::fingerprint;
pub use self::from::{Cell, From, Function, KeyedList, NumberInText, ValueTable, WordMap};
pub use self::input::{ApiType, Field, OneOf, Set, Struct, View, Words};
pub use self::json_name::json_name;
pub use self::keys::{PLACES, Place};
pub use self::kind::{Column, KindAttributes, Scale, plural};
pub use self::leaf::Leaf;

/// Expands the derive on a struct or an enum. If it is used wrongly, the
/// expansion is compile errors.
pub fn api_type(input: &DeriveInput) -> TokenStream {
    let expanded = ApiType::parse(input).and_then(|ty| {
        let machinery = machinery(input)?;
        let fingerprint = shared::fingerprint(ty.ident(), fingerprint(&ty), &machinery);
        let expanded = match &ty {
            ApiType::Struct(item) => structs::expand(item, &machinery),
            ApiType::Words(item) => words::expand(item, &machinery),
            ApiType::OneOf(item) => one_of::expand(item, &machinery),
            ApiType::Leaf(item) => leaf::expand(item, &machinery),
            ApiType::View(item) => view::expand(item, &machinery),
        };
        Ok(quote::quote!(#fingerprint #expanded))
    });
    expanded.unwrap_or_else(|error| error.into_compile_error())
}

/// The path of the run-time crate in expanded code.
fn machinery(input: &DeriveInput) -> syn::Result<TokenStream> {
    Ok(match crate_path(&input.attrs)? {
        Some(path) => path.into_token_stream(),
        None => quote::quote!(::hubgen_machinery),
    })
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    /// A crate may have hubgen-machinery only under another name.
    #[test]
    fn all_code_names_the_crate_by_its_path() {
        let items: [DeriveInput; 6] = [
            parse_quote! {
                #[api(crate = "crate::facade::machinery")]
                #[kind(group = "example.com", version = "v1", kind = "Widget", storage, column("A" => ".a"))]
                #[kind(scale(spec = ".a", status = ".a"))]
                struct Widget {
                    #[field(required, list = map("a"), one_of("a"), default = "[1]")]
                    a: Option<Vec<i32>>,
                    #[field(one_of)]
                    b: Vec<Words>,
                }
            },
            parse_quote! {
                #[api(crate = "crate::facade::machinery")]
                enum Words { A, #[field(other)] Other(Str) }
            },
            parse_quote! {
                #[api(crate = "crate::facade::machinery")]
                enum Closed { A }
            },
            parse_quote! {
                #[api(crate = "crate::facade::machinery")]
                enum Either { A(i32) }
            },
            parse_quote! {
                #[api(crate = "crate::facade::machinery")]
                #[leaf(text, expects = "an address", examples("::1"))]
                struct Address(Leaf<IpAddr>);
            },
            parse_quote! {
                #[api(crate = "crate::facade::machinery")]
                #[view(Widget)]
                struct Part { a: Option<Vec<i32>> }
            },
        ];
        for item in items {
            let code = api_type(&item).to_string();
            assert!(code.contains("crate :: facade :: machinery :: reflect"), "{code}");
            assert!(!code.contains("hubgen_machinery"), "{code}");
            assert!(!code.contains("compile_error"), "{code}");
        }
    }
}
