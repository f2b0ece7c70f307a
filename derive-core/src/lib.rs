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
mod fingerprint;
mod from;
mod input;
mod json_name;
mod kind;
mod one_of;
mod shared;
mod structs;
mod words;

use proc_macro2::TokenStream;
use syn::DeriveInput;

pub use self::attributes::{Allowed, FieldAttributes, List, Omit};
pub use self::fingerprint::fingerprint;
pub use self::from::{From, WordMap};
pub use self::input::{ApiType, Field, OneOf, Set, Struct, Words};
pub use self::json_name::json_name;
pub use self::kind::{Column, KindAttributes, Scale};

/// Expands the derive on a struct or an enum. If it is used wrongly, the
/// expansion is compile errors.
pub fn api_type(input: &DeriveInput) -> TokenStream {
    let expanded = ApiType::parse(input).map(|ty| {
        let fingerprint = shared::fingerprint(ty.ident(), fingerprint(&ty));
        let expanded = match &ty {
            ApiType::Struct(item) => structs::expand(item),
            ApiType::Words(item) => words::expand(item),
            ApiType::OneOf(item) => one_of::expand(item),
        };
        quote::quote!(#fingerprint #expanded)
    });
    expanded.unwrap_or_else(|error| error.into_compile_error())
}

/// The path of the run-time crate in expanded code.
fn machinery() -> TokenStream {
    quote::quote!(::hubgen_machinery)
}
