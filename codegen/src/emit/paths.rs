//! Paths in generated Rust: how code in one module names items of another one.

use hubgen_model::TypeId;
use proc_macro2::TokenStream;
use quote::quote;

use super::identifiers::{ident, table_name};
use super::module::Module;

/// The path by which code in a file of `from` names a type.
pub fn type_path(from: &Module, id: &TypeId) -> TokenStream {
    let (module, name) = (Module::of(id).path(from), ident(&id.name));
    quote!(#module::#name)
}

/// The path by which code in a file of `from` names facts about a type, such as its defaults.
/// `table` is the file in the type's module that contains them.
pub fn table_path(from: &Module, id: &TypeId, table: &str) -> TokenStream {
    let (module, table, name) = (Module::of(id).path(from), ident(table), table_name(id));
    quote!(#module::#table::#name)
}
