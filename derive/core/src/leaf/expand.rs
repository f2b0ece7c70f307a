//! The expansion of a leaf.

use proc_macro2::TokenStream;
use quote::quote;

use super::Leaf;
use crate::shared;

/// Expands a leaf.
pub(crate) fn expand(item: &Leaf, machinery: &TokenStream) -> TokenStream {
    let ident = &item.ident;
    let made = shared::made(ident, &quote!(#machinery::reflect));
    let json_schema = shared::json_schema(ident, quote!(of::<Self>()), machinery);
    let (foreign, text) = (foreign(item, machinery), text(item, machinery));
    let (reflection, serde) = (reflection(item, machinery), serde(item, machinery));
    quote!(#made #json_schema #foreign #text #reflection #serde)
}

/// Between the leaf, its text and the foreign type.
fn foreign(Leaf { ident, inside, foreign, .. }: &Leaf, machinery: &TokenStream) -> TokenStream {
    let text = quote!(#machinery::Str);
    quote! {
        impl ::core::ops::Deref for #ident {
            type Target = #inside;

            #[inline]
            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }

        impl ::core::ops::DerefMut for #ident {
            #[inline]
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.0
            }
        }

        impl ::core::convert::From<#foreign> for #ident {
            fn from(value: #foreign) -> Self {
                Self(::core::convert::From::from(value))
            }
        }

        /// Any text: one that the type does not accept has no value.
        impl ::core::convert::From<#text> for #ident {
            fn from(text: #text) -> Self {
                Self(<#inside>::of_text(text))
            }
        }

        /// Any text: one that the type does not accept has no value.
        impl ::core::convert::From<&str> for #ident {
            fn from(text: &str) -> Self {
                Self(<#inside>::of_text(::core::convert::From::from(text)))
            }
        }

        impl ::core::convert::From<#ident> for #text {
            fn from(leaf: #ident) -> Self {
                leaf.0.into_text()
            }
        }
    }
}

/// The leaf as a text: parsed, shown, compared.
fn text(Leaf { ident, expects, foreign, .. }: &Leaf, machinery: &TokenStream) -> TokenStream {
    quote! {
        /// Fails if the type does not accept the text.
        impl ::core::str::FromStr for #ident {
            type Err = ::std::string::String;

            fn from_str(text: &str) -> ::core::result::Result<Self, Self::Err> {
                match #machinery::leaf::refusal::<#foreign>(text, #expects) {
                    ::core::option::Option::None => ::core::result::Result::Ok(::core::convert::From::from(text)),
                    ::core::option::Option::Some(refusal) => ::core::result::Result::Err(refusal),
                }
            }
        }

        impl ::core::fmt::Display for #ident {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(&self.0, f)
            }
        }

        impl ::core::fmt::Debug for #ident {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Debug::fmt(&self.0, f)
            }
        }

        impl ::core::cmp::PartialEq for #ident {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                self.0 == other.0
            }
        }

        impl ::core::cmp::Eq for #ident {}
    }
}

/// What reflection asks of a scalar.
fn reflection(item: &Leaf, machinery: &TokenStream) -> TokenStream {
    let reflect = quote!(#machinery::reflect);
    let Leaf { ident, facts, other, expects, examples, inside, foreign, .. } = item;
    let refusal = if *other {
        quote!(|_| ::core::option::Option::None)
    } else {
        quote!(|text| #machinery::leaf::refusal::<#foreign>(text, #expects))
    };
    let schema = facts.json();
    quote! {
        // SAFETY: the access is that of the type itself.
        unsafe impl #reflect::Value for #ident {
            type Whole = Self;
            const TYPE: #reflect::Type = #reflect::Type::Leaf(&#reflect::LeafType {
                refusal: #refusal,
                expects: #expects,
                examples: &[#(#examples),*],
                schema: #schema,
            });

            fn slot(&self) -> #reflect::Slot<'_> {
                #reflect::Slot::Scalar(self)
            }

            fn slot_mut(&mut self) -> #reflect::SlotMut<'_> {
                #reflect::SlotMut::Scalar(self)
            }
        }

        impl #reflect::Scalar for #ident {
            fn show(&self, visit: &mut dyn FnMut(#reflect::Literal<'_>)) {
                visit(#reflect::Literal::Text(self.0.as_str()));
            }

            fn set(&mut self, literal: #reflect::Literal<'_>) -> ::core::result::Result<(), ::std::string::String> {
                let text = #machinery::leaf::accepted::<Self>(literal)?;
                *self = ::core::convert::From::from(text);
                ::core::result::Result::Ok(())
            }

            fn is_zero(&self) -> bool {
                self.0.is_empty()
            }

            fn clear(&mut self) {
                *self = <Self as #reflect::Empty>::EMPTY;
            }

            fn copy_from(&mut self, source: &dyn #reflect::Scalar) {
                #reflect::clone_scalar(self, source);
            }
        }

        // SAFETY: both are the same constant, which owns nothing.
        unsafe impl #reflect::Empty for #ident {
            const EMPTY: Self = Self(<#inside>::EMPTY);
            const STATIC: &'static Self = &Self(<#inside>::EMPTY);
        }

        impl #reflect::DeepCopy for #ident {
            fn deep_copy(&self) -> Self {
                Self(::core::clone::Clone::clone(&self.0))
            }
        }
    }
}

fn serde(Leaf { ident, .. }: &Leaf, machinery: &TokenStream) -> TokenStream {
    let (reflect, serde, text) =
        (quote!(#machinery::reflect), quote!(#machinery::serde), quote!(#machinery::Str));
    quote! {
        impl #serde::Serialize for #ident {
            fn serialize<S: #serde::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.0.as_str())
            }
        }

        impl<'de> #serde::Deserialize<'de> for #ident {
            fn deserialize<D: #serde::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                let text = <#text as #serde::Deserialize>::deserialize(deserializer)?;
                #machinery::leaf::accepted::<Self>(#reflect::Literal::Text(&text)).map_err(<D::Error as #serde::de::Error>::custom)?;
                ::core::result::Result::Ok(::core::convert::From::from(text))
            }
        }
    }
}
