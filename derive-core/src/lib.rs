//! The expansion of `#[derive(ApiType)]`.
//!
//! One expansion serves the derive macro, which users put on their own types,
//! and the generator, whose types wear the same derive. Parse, check, expand:
//! all errors are gathered before anything is emitted.

mod attributes;
mod enums;
mod input;
mod json_name;
mod structs;

use proc_macro2::TokenStream;
use syn::DeriveInput;

pub use self::json_name::json_name;

/// Expands the derive on a struct or an enum; on misuse, into the errors.
pub fn api_type(input: &DeriveInput) -> TokenStream {
    let expanded = input::ApiType::parse(input).map(|ty| match ty {
        input::ApiType::Struct(item) => structs::expand(&item),
        input::ApiType::Words(item) => enums::expand_words(&item),
        input::ApiType::OneOf(item) => enums::expand_one_of(&item),
    });
    expanded.unwrap_or_else(|error| error.into_compile_error())
}

/// Where the expansion finds the run time.
fn machinery() -> TokenStream {
    quote::quote!(::hubgen_machinery)
}
