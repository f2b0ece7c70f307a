//! The expansion of `#[derive(ApiType)]`.
//!
//! The derive macro uses it for users' types and for generated types. It
//! parses, checks and expands. If there are errors, all of them are reported
//! and nothing else is emitted.

mod attributes;
mod input;
mod json_name;
mod one_of;
mod shared;
mod structs;
mod words;

use proc_macro2::TokenStream;
use syn::DeriveInput;

pub use self::json_name::json_name;

/// Expands the derive on a struct or an enum. If it is used wrongly, the
/// expansion is compile errors.
pub fn api_type(input: &DeriveInput) -> TokenStream {
    let expanded = input::ApiType::parse(input).map(|ty| match ty {
        input::ApiType::Struct(item) => structs::expand(&item),
        input::ApiType::Words(item) => words::expand(&item),
        input::ApiType::OneOf(item) => one_of::expand(&item),
    });
    expanded.unwrap_or_else(|error| error.into_compile_error())
}

/// The path of the run-time crate in expanded code.
fn machinery() -> TokenStream {
    quote::quote!(::hubgen_machinery)
}
