//! The expansion of enums that are words in JSON.
//!
//! A closed enum refuses words that no variant has. It is a scalar with its own text format. An open
//! enum has a variant for them. It accepts every text, so to reflection it is a text.

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
        Set::Closed { default } => words.closed(default),
        Set::Open { other } => words.open(other),
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

    fn closed(&self, default: &Ident) -> TokenStream {
        let Self { ident, variants, words, machinery, reflect, serde } = self;
        let text = quote!(#machinery::Str);
        let expectation = format!("expected one of {}", words.join(", "));
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

    fn open(&self, other: &Ident) -> TokenStream {
        let Self { ident, variants, words, machinery, reflect, serde } = self;
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
}
