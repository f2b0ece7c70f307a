//! The expansion of enums.

use proc_macro2::TokenStream;
use quote::quote;

use crate::input::{OneOf, Words};
use crate::machinery;
use crate::structs::{describe_variant, serde_impls};

/// Expands an enum of unit variants, which is one of a set of words in JSON.
pub(crate) fn expand_words(item: &Words) -> TokenStream {
    let machinery = machinery();
    let reflect = quote!(#machinery::reflect);
    let serde = quote!(#machinery::serde);
    let Words { ident, words, default } = item;
    let (variants, words): (Vec<_>, Vec<_>) =
        words.iter().map(|(variant, word)| (variant, word.as_str())).unzip();
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

        unsafe impl #reflect::Element for #ident {
            #[inline]
            fn make(option: &mut ::core::option::Option<Self>) {
                #reflect::fill(option, <Self as #reflect::Empty>::EMPTY);
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

        impl ::core::clone::Clone for #ident {
            #[inline]
            fn clone(&self) -> Self {
                #reflect::DeepCopy::deep_copy(self)
            }
        }

        impl ::core::default::Default for #ident {
            #[inline]
            fn default() -> Self {
                <Self as #reflect::Empty>::EMPTY
            }
        }

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

        impl<'de> #serde::Deserialize<'de> for #ident {
            fn deserialize<D: #serde::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                let word = <::std::string::String as #serde::Deserialize>::deserialize(deserializer)?;
                word.parse().map_err(<D::Error as #serde::de::Error>::custom)
            }
        }
    }
}

/// Expands an enum of variants with one value each, which is an object with one field in JSON.
pub(crate) fn expand_one_of(item: &OneOf) -> TokenStream {
    let machinery = machinery();
    let reflect = quote!(#machinery::reflect);
    let OneOf { ident, members, default } = item;
    let name = ident.to_string();
    let descriptors = members.iter().map(|member| describe_variant(member, &reflect));
    let message = super::structs::message(None, members, &reflect);
    let variants: Vec<_> = members.iter().map(|member| &member.ident).collect();
    let index: Vec<_> = (0..members.len()).collect();
    let count = members.len();
    let serde = serde_impls(ident, &machinery);
    quote! {
        // SAFETY: the variants have no offset, and the origin refers to the enum.
        unsafe impl #reflect::ApiType for #ident {
            fn describe() -> &'static #reflect::Descriptor {
                static DESCRIPTOR: #reflect::Descriptor = #reflect::Descriptor {
                    name: #reflect::Held::Static(#name),
                    kind: ::core::option::Option::None,
                    fields: #reflect::Held::Static(&[#(#descriptors),*]),
                    message: #reflect::Held::Static(#message),
                    size: ::core::mem::size_of::<#ident>(),
                    origin: #reflect::Origin::of_enum::<#ident>(&DESCRIPTOR),
                };
                &DESCRIPTOR
            }

            #[inline]
            fn write_field(&mut self, index: usize) -> #reflect::SlotMut<'_> {
                if index >= #count {
                    #reflect::no_such_field(<Self as #reflect::ApiType>::describe(), index);
                }
                #reflect::SlotMut::Member(self, index)
            }
        }

        impl #reflect::OneOf for #ident {
            fn active(&self) -> usize {
                match self {
                    #(Self::#variants(_) => #index,)*
                }
            }

            fn value(&self) -> #reflect::Slot<'_> {
                match self {
                    #(Self::#variants(value) => #reflect::Value::slot(value),)*
                }
            }

            fn activate(&mut self, index: usize) -> #reflect::SlotMut<'_> {
                if #reflect::OneOf::active(self) != index {
                    *self = match index {
                        #(#index => Self::#variants(#reflect::Empty::EMPTY),)*
                        _ => #reflect::no_such_field(<Self as #reflect::ApiType>::describe(), index),
                    };
                }
                match self {
                    #(Self::#variants(value) => #reflect::Value::slot_mut(value),)*
                }
            }

            fn reset(&mut self) {
                *self = ::core::default::Default::default();
            }
        }

        unsafe impl #reflect::Value for #ident {
            const TYPE: #reflect::Type = #reflect::Type::Struct(#reflect::StructType::Compiled(<Self as #reflect::ApiType>::describe));
            const ACCESS: &'static #reflect::Access = &#reflect::Access::of_enum::<Self>();

            #[inline]
            fn slot(&self) -> #reflect::Slot<'_> {
                #reflect::Slot::Struct(#reflect::Lent::new(self))
            }

            #[inline]
            fn slot_mut(&mut self) -> #reflect::SlotMut<'_> {
                #reflect::SlotMut::Struct(#reflect::Lent::new_mut(self))
            }
        }

        unsafe impl #reflect::Element for #ident {
            #[inline]
            fn make(option: &mut ::core::option::Option<Self>) {
                #reflect::fill(option, <Self as #reflect::Empty>::EMPTY);
            }
        }

        unsafe impl #reflect::Empty for #ident {
            const EMPTY: Self = Self::#default(#reflect::Empty::EMPTY);
            const STATIC: &'static Self = &Self::EMPTY;
        }

        impl #reflect::DeepCopy for #ident {
            #[inline]
            fn deep_copy(&self) -> Self {
                let mut copy = <Self as ::core::default::Default>::default();
                #reflect::copy_into(#reflect::Lent::new(self), #reflect::Lent::new_mut(&mut copy));
                copy
            }
        }

        impl ::core::clone::Clone for #ident {
            #[inline]
            fn clone(&self) -> Self {
                #reflect::DeepCopy::deep_copy(self)
            }
        }

        impl ::core::default::Default for #ident {
            #[inline]
            fn default() -> Self {
                <Self as #reflect::Empty>::EMPTY
            }
        }

        impl ::core::cmp::PartialEq for #ident {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                #reflect::equal(#reflect::Lent::new(self), #reflect::Lent::new(other))
            }
        }

        impl ::core::fmt::Debug for #ident {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                #reflect::debug(#reflect::Lent::new(self), f)
            }
        }

        #serde
    }
}
