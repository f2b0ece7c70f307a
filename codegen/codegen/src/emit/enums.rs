//! Emits words: as enums, or as constants of the struct that contains the field.

use hubgen_model::Type;
use proc_macro2::TokenStream;
use quote::quote;

use super::description::doc;
use crate::enums::{Constant, Enum, Variant};
use crate::naming::ident;

/// An enum. `string` is the type of other words.
pub fn emit(words: &Enum, string: &TokenStream) -> TokenStream {
    let name = ident(&words.id.name);
    let docs = doc(&[format!("A value of `{}` of [`{}`].", words.field, words.owner.name)]);
    let variants = words.variants.iter().map(|Variant { name, word }| {
        let variant = ident(name);
        let attribute = (name != word).then(|| quote!(#[field(name = #word)]));
        let docs = doc(&[if word.is_empty() { "The empty text.".to_owned() } else { format!("`{word}`.") }]);
        quote!(#docs #attribute #variant,)
    });
    let other = words.other.as_deref().map(|other| {
        let (docs, other) = (doc(&["A word that the schema does not list.".to_owned()]), ident(other));
        quote!(#docs #[field(other)] #other(#string),)
    });
    quote! {
        #docs
        #[derive(ApiType)]
        pub enum #name {
            #(#variants)*
            #other
        }
    }
}

/// The constants of a type.
pub fn constants(ty: &Type, constants: &[Constant]) -> TokenStream {
    if constants.is_empty() {
        return TokenStream::new();
    }
    let name = ident(&ty.id.name);
    let constants = constants.iter().map(|Constant { name, field, word }| {
        let (name, docs) = (ident(name), doc(&[format!("A value of `{field}`: `{word}`.")]));
        quote!(#docs pub const #name: &'static str = #word;)
    });
    quote!(impl #name { #(#constants)* })
}
