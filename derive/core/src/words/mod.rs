//! The expansion of enums that are words in JSON.
//!
//! A closed enum refuses words that no variant has. It is a scalar with its own text format. An open
//! enum has a variant for them. It accepts every text, so to reflection it is a text.

mod closed;
mod open;

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use crate::input::{Set, Words};
use crate::shared;

/// Expands an enum of unit variants, and perhaps one for all other words.
pub(crate) fn expand(item: &Words, machinery: &TokenStream) -> TokenStream {
    let words = Paths::new(item, machinery);
    let common = words.common();
    let rest = match &item.set {
        Set::Closed { default } => closed::expand(&words, default),
        Set::Open { other } => open::expand(&words, other),
    };
    quote!(#common #rest)
}

/// What the expansion is made of.
struct Paths<'a> {
    ident: &'a Ident,
    variants: Vec<&'a Ident>,
    words: Vec<&'a str>,
    machinery: &'a TokenStream,
    reflect: TokenStream,
    serde: TokenStream,
}

impl<'a> Paths<'a> {
    fn new(item: &'a Words, machinery: &'a TokenStream) -> Self {
        Self {
            ident: &item.ident,
            variants: item.words.iter().map(|(variant, _)| variant).collect(),
            words: item.words.iter().map(|(_, word)| word.as_str()).collect(),
            reflect: quote!(#machinery::reflect),
            serde: quote!(#machinery::serde),
            machinery,
        }
    }

    /// What both sorts of enums implement in the same way.
    fn common(&self) -> TokenStream {
        let Self { ident, words, machinery, reflect, serde, .. } = self;
        let made = shared::made(ident, reflect);
        let json_schema = shared::json_schema(ident, quote!(of_words(&[#(#words),*])), machinery);
        quote! {
            #made
            #json_schema

            impl ::core::cmp::PartialEq for #ident {
                #[inline]
                fn eq(&self, other: &Self) -> bool {
                    self.as_str() == other.as_str()
                }
            }

            impl ::core::cmp::Eq for #ident {}

            impl ::core::fmt::Debug for #ident {
                #[inline]
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    f.write_str(self.as_str())
                }
            }

            impl #serde::Serialize for #ident {
                fn serialize<S: #serde::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                    serializer.serialize_str(self.as_str())
                }
            }
        }
    }
}
