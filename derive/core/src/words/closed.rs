//! Enums that refuse words which no variant has: scalars with a text format of their own.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use super::Paths;

pub(super) fn expand(paths: &Paths<'_>, default: &Ident) -> TokenStream {
    let expectation = format!("expected one of {}", paths.words.join(", "));
    let (text, reflection) = (text(paths, &expectation), reflection(paths, default, &expectation));
    quote!(#text #reflection)
}

/// Between the enum and its words.
fn text(paths: &Paths<'_>, expectation: &str) -> TokenStream {
    let Paths { ident, variants, words, machinery, .. } = paths;
    let text = quote!(#machinery::Str);
    quote! {
        impl #ident {
            /// The word that represents it in JSON.
            pub fn as_str(&self) -> &'static str {
                match self {
                    #(Self::#variants => #words,)*
                }
            }
        }

        impl ::core::convert::From<#ident> for #text {
            fn from(word: #ident) -> Self {
                Self::from_static(word.as_str())
            }
        }

        impl ::core::str::FromStr for #ident {
            type Err = ::std::string::String;

            fn from_str(word: &str) -> ::core::result::Result<Self, Self::Err> {
                match word {
                    #(#words => ::core::result::Result::Ok(Self::#variants),)*
                    _ => ::core::result::Result::Err(::std::format!("{}, found {word}", #expectation)),
                }
            }
        }
    }
}

/// What reflection and serde ask of a scalar.
fn reflection(paths: &Paths<'_>, default: &Ident, expectation: &str) -> TokenStream {
    let Paths { ident, variants, words, reflect, serde, .. } = paths;
    quote! {
        unsafe impl #reflect::Value for #ident {
            type Whole = Self;
            const TYPE: #reflect::Type = #reflect::Type::Enum(&[#(#words),*]);

            #[inline]
            fn slot(&self) -> #reflect::Slot<'_> {
                #reflect::Slot::Scalar(self)
            }

            #[inline]
            fn slot_mut(&mut self) -> #reflect::SlotMut<'_> {
                #reflect::SlotMut::Scalar(self)
            }
        }

        impl #reflect::Scalar for #ident {
            fn show(&self, visit: &mut dyn FnMut(#reflect::Literal<'_>)) {
                visit(#reflect::Literal::Text(self.as_str()));
            }

            fn set(&mut self, literal: #reflect::Literal<'_>) -> ::core::result::Result<(), ::std::string::String> {
                match literal {
                    #reflect::Literal::Text(word) => *self = word.parse()?,
                    _ => return ::core::result::Result::Err(#expectation.into()),
                }
                ::core::result::Result::Ok(())
            }

            fn is_zero(&self) -> bool {
                ::core::matches!(self, Self::#default)
            }

            fn clear(&mut self) {
                *self = Self::#default;
            }
        }

        unsafe impl #reflect::Empty for #ident {
            const EMPTY: Self = Self::#default;
            const STATIC: &'static Self = &Self::EMPTY;
        }

        impl #reflect::DeepCopy for #ident {
            fn deep_copy(&self) -> Self {
                match self {
                    #(Self::#variants => Self::#variants,)*
                }
            }
        }

        impl<'de> #serde::Deserialize<'de> for #ident {
            fn deserialize<D: #serde::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                let word = <::std::string::String as #serde::Deserialize>::deserialize(deserializer)?;
                word.parse().map_err(<D::Error as #serde::de::Error>::custom)
            }
        }
    }
}
