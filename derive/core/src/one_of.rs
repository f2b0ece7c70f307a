//! The expansion of enums whose variants have a value.

use proc_macro2::TokenStream;
use quote::quote;

use crate::input::OneOf;
use crate::shared;
use crate::structs::{describe_variant, of_type};

/// Expands an enum of variants with one value each, which is an object with one field in JSON.
pub(crate) fn expand(item: &OneOf, machinery: &TokenStream) -> TokenStream {
    let reflect = quote!(#machinery::reflect);
    let OneOf { ident, description, members, facts, .. } = item;
    let facts = of_type(description.as_ref(), facts, &reflect);
    let name = ident.to_string();
    let descriptors = members.iter().map(|member| describe_variant(member, &reflect));
    let message = super::structs::message(None, members, &reflect);
    let count = members.len();
    let made = shared::made(ident, &reflect);
    let object = shared::object(ident, quote!(of_enum), None, machinery);
    let choice = choice(item, &reflect);
    quote! {
        // SAFETY: the variants have no offset, and the origin refers to the enum.
        unsafe impl #reflect::ApiType for #ident {
            const DESCRIPTOR: &'static #reflect::Descriptor = {
                static DESCRIPTOR: #reflect::Descriptor = #reflect::Descriptor {
                    name: #reflect::Held::Static(#name),
                    kind: ::core::option::Option::None,
                    fields: #reflect::Held::Static(&[#(#descriptors),*]),
                    message: #reflect::Held::Static(#message),
                    size: ::core::mem::size_of::<#ident>(),
                    // Without it, an object with a variant of a newer version would become the empty value.
                    unknown: #reflect::UnknownFields::Refused,
                    facts: #facts,
                    origin: #reflect::Origin::of_enum::<#ident>(&DESCRIPTOR),
                };
                &DESCRIPTOR
            };

            fn describe() -> &'static #reflect::Descriptor {
                Self::DESCRIPTOR
            }

            #[inline]
            fn write_field(&mut self, index: usize) -> #reflect::SlotMut<'_> {
                if index >= #count {
                    #reflect::no_such_field(<Self as #reflect::ApiType>::describe(), index);
                }
                #reflect::SlotMut::Member(self, index)
            }
        }

        #choice

        #made
        #object
    }
}

/// Which variant is there, and how another one takes its place.
fn choice(OneOf { ident, members, default, .. }: &OneOf, reflect: &TokenStream) -> TokenStream {
    let variants: Vec<_> = members.iter().map(|member| &member.ident).collect();
    let index: Vec<_> = (0..members.len()).collect();
    quote! {
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
    }
}
