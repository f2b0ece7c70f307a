//! Enums that have a variant for all other words: they accept every text, so to reflection they are texts.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use super::Paths;

pub(super) fn expand(paths: &Paths<'_>, other: &Ident) -> TokenStream {
    let (text, reflection) = (text(paths, other), reflection(paths, other));
    quote!(#text #reflection)
}

/// Between the enum and its words.
fn text(paths: &Paths<'_>, other: &Ident) -> TokenStream {
    let Paths { ident, variants, words, machinery, .. } = paths;
    let text = quote!(#machinery::Str);
    quote! {
        impl #ident {
            /// The word that represents it in JSON.
            pub fn as_str(&self) -> &str {
                match self {
                    #(Self::#variants => #words,)*
                    Self::#other(word) => word,
                }
            }
        }

        impl ::core::convert::From<&str> for #ident {
            fn from(word: &str) -> Self {
                match word {
                    #(#words => Self::#variants,)*
                    _ => Self::#other(word.into()),
                }
            }
        }

        impl ::core::convert::From<#text> for #ident {
            fn from(word: #text) -> Self {
                match &*word {
                    #(#words => Self::#variants,)*
                    _ => Self::#other(word),
                }
            }
        }

        impl ::core::convert::From<#ident> for #text {
            fn from(word: #ident) -> Self {
                match word {
                    #(#ident::#variants => Self::from_static(#words),)*
                    #ident::#other(word) => word,
                }
            }
        }

        impl ::core::fmt::Display for #ident {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl ::core::cmp::PartialEq<str> for #ident {
            #[inline]
            fn eq(&self, other: &str) -> bool {
                self.as_str() == other
            }
        }

        impl ::core::cmp::PartialEq<&str> for #ident {
            #[inline]
            fn eq(&self, other: &&str) -> bool {
                self.as_str() == *other
            }
        }
    }
}

/// What reflection and serde ask of a text.
fn reflection(paths: &Paths<'_>, other: &Ident) -> TokenStream {
    let Paths { ident, variants, words, machinery, reflect, serde } = paths;
    let text = quote!(#machinery::Str);
    // A word has one form only, so that values can be compared with patterns.
    let empty = match words.iter().position(|word| word.is_empty()) {
        Some(at) => {
            let variant = variants[at];
            quote!(Self::#variant)
        }
        None => quote!(Self::#other(#text::new())),
    };
    quote! {
        unsafe impl #reflect::Value for #ident {
            type Whole = Self;
            const TYPE: #reflect::Type = #reflect::Type::Words(<Self as #reflect::HasWords>::WORDS);

            #[inline]
            fn slot(&self) -> #reflect::Slot<'_> {
                #reflect::Slot::String(match self {
                    Self::#other(word) => #reflect::TextRef::Str(word),
                    word => #reflect::TextRef::Plain(word.as_str()),
                })
            }

            #[inline]
            fn slot_mut(&mut self) -> #reflect::SlotMut<'_> {
                #reflect::SlotMut::String(self)
            }
        }

        impl #reflect::HasWords for #ident {
            const WORDS: &'static [&'static str] = &[#(#words),*];
        }

        impl #reflect::TextSlot for #ident {
            fn as_str(&self) -> &str {
                self.as_str()
            }

            fn set(&mut self, text: &str) {
                *self = text.into();
            }

            fn set_shared(&mut self, text: &#text) {
                *self = text.clone().into();
            }
        }

        unsafe impl #reflect::Empty for #ident {
            const EMPTY: Self = #empty;
            const STATIC: &'static Self = &Self::EMPTY;
        }

        impl #reflect::DeepCopy for #ident {
            fn deep_copy(&self) -> Self {
                match self {
                    #(Self::#variants => Self::#variants,)*
                    Self::#other(word) => Self::#other(#text::clone(word)),
                }
            }
        }

        impl<'de> #serde::Deserialize<'de> for #ident {
            fn deserialize<D: #serde::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                <#text as #serde::Deserialize>::deserialize(deserializer).map(::core::convert::Into::into)
            }
        }
    }
}
