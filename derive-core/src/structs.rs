//! The expansion of structs.

use proc_macro2::TokenStream;
use quote::quote;
use syn::LitInt;

use crate::attributes::{List, Omit};
use crate::input::{Field, Struct};
use crate::machinery;

pub(crate) fn expand(item: &Struct) -> TokenStream {
    let machinery = machinery();
    let reflect = quote!(#machinery::reflect);
    let Struct { ident, kind, fields } = item;
    let name = ident.to_string();
    let descriptors = fields.iter().map(|field| describe(field, &reflect));
    let message = message(fields, &reflect);
    let idents: Vec<_> = fields.iter().map(|field| &field.ident).collect();
    let index = 0..fields.len();
    let kind_name = match kind {
        Some(_) => quote!(::core::option::Option::Some(#reflect::KindName::of::<#ident>())),
        None => quote!(::core::option::Option::None),
    };
    let kind_impl = kind.as_ref().map(|kind| {
        let (group, version, api_version, kind) =
            (&kind.group, &kind.version, kind.api_version(), &kind.kind);
        quote! {
            impl #reflect::Kind for #ident {
                const GROUP: &'static str = #group;
                const VERSION: &'static str = #version;
                const API_VERSION: &'static str = #api_version;
                const KIND: &'static str = #kind;
            }
        }
    });
    let common = common(item, &machinery);
    quote! {
        impl #reflect::ApiType for #ident {
            fn describe() -> &'static #reflect::Descriptor {
                static DESCRIPTOR: #reflect::Descriptor = #reflect::Descriptor {
                    name: #reflect::Held::Static(#name),
                    kind: #kind_name,
                    fields: #reflect::Held::Static(&[#(#descriptors),*]),
                    message: #reflect::Held::Static(#message),
                    size: ::core::mem::size_of::<#ident>(),
                    origin: #reflect::Origin::of::<#ident>(&DESCRIPTOR),
                };
                &DESCRIPTOR
            }

            #[inline]
            fn read_fields<'a>(&'a self, visit: &mut dyn FnMut(&[#reflect::Slot<'a>])) {
                visit(&[#(#reflect::Value::slot(&self.#idents)),*]);
            }

            #[inline]
            fn write_field(&mut self, index: usize) -> #reflect::SlotMut<'_> {
                match index {
                    #(#index => #reflect::Value::slot_mut(&mut self.#idents),)*
                    _ => #reflect::no_such_field(<Self as #reflect::ApiType>::describe(), index),
                }
            }
        }

        #kind_impl
        #common
    }
}

/// The implementations other than reflection. All except deep copy call reflection. All are inlined, so
/// that a crate of types compiles none of them, and other crates only those that they use.
fn common(item: &Struct, machinery: &TokenStream) -> TokenStream {
    let reflect = quote!(#machinery::reflect);
    let Struct { ident, fields, .. } = item;
    let idents: Vec<_> = fields.iter().map(|field| &field.ident).collect();
    let serde = serde_impls(ident, machinery);
    quote! {
        impl #reflect::Value for #ident {
            const TYPE: #reflect::Type = #reflect::Type::Struct(#reflect::StructType::Compiled(<Self as #reflect::ApiType>::describe));

            #[inline]
            fn slot(&self) -> #reflect::Slot<'_> {
                #reflect::Slot::Struct(#reflect::Lent::new(self))
            }

            #[inline]
            fn slot_mut(&mut self) -> #reflect::SlotMut<'_> {
                #reflect::SlotMut::Struct(#reflect::Lent::new_mut(self))
            }
        }

        impl #reflect::Element for #ident {}

        impl #reflect::DeepCopy for #ident {
            #[inline]
            fn deep_copy(&self) -> Self {
                Self { #(#idents: #reflect::DeepCopy::deep_copy(&self.#idents)),* }
            }

            #[inline]
            fn deep_copy_into(&self, target: &mut Self) {
                #reflect::copy_into(#reflect::Lent::new(self), #reflect::Lent::new_mut(target));
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
                Self { #(#idents: ::core::default::Default::default()),* }
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

pub(crate) fn serde_impls(ident: &syn::Ident, machinery: &TokenStream) -> TokenStream {
    let reflect = quote!(#machinery::reflect);
    let serde = quote!(#machinery::serde);
    quote! {
        impl #serde::Serialize for #ident {
            fn serialize<S: #serde::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                #reflect::serialize(#reflect::Lent::new(self), serializer)
            }
        }

        impl<'de> #serde::Deserialize<'de> for #ident {
            fn deserialize<D: #serde::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                #reflect::deserialize(deserializer)
            }
        }
    }
}

/// The protobuf message of the fields.
pub(crate) fn message(fields: &[Field], reflect: &TokenStream) -> TokenStream {
    let mut members: Vec<_> =
        (0..).zip(fields).map(|(position, field)| Member::new(position, field)).collect();
    members.retain(|member| !member.numbers.is_empty());
    members.sort_by(|one, other| one.numbers.cmp(&other.numbers));
    level(&members, 0, reflect)
}

/// A field of a message.
struct Member<'f> {
    numbers: Vec<u32>,
    position: u16,
    field: &'f Field,
}

impl<'f> Member<'f> {
    fn new(position: u16, field: &'f Field) -> Self {
        let value = |number: &LitInt| number.base10_parse().expect("checked when the attribute was parsed");
        Self { numbers: field.attributes.number.iter().map(value).collect(), position, field }
    }
}

/// The message of fields whose numbers have the same first `depth` parts.
fn level(members: &[Member<'_>], depth: usize, reflect: &TokenStream) -> TokenStream {
    let numbered = members.chunk_by(|one, other| one.numbers[depth] == other.numbers[depth]).map(|same| {
        let Member { numbers, position, field } = &same[0];
        let number = numbers[depth];
        if numbers.len() == depth + 1 {
            let ty = &field.ty;
            // A value that is no pointer, but an `Option` in Rust, is written even if absent.
            let written = if field.attributes.value {
                quote!(<#ty as #reflect::Value>::OPTIONAL)
            } else {
                quote!(false)
            };
            return quote!(#reflect::Numbered::Field { number: #number, position: #position, written: #written });
        }
        let message = level(same, depth + 1, reflect);
        quote!(#reflect::Numbered::Inlined { number: #number, message: #reflect::Held::Static(#message) })
    });
    quote!(&[#(#numbered),*])
}

/// A field's descriptor. Type and presence come from the field's Rust type.
pub(crate) fn describe(field: &Field, reflect: &TokenStream) -> TokenStream {
    let Field { ty, name, attributes, .. } = field;
    // As it is before a value in JSON: `Name` explains why.
    let name = format!(",\"{name}\":");
    let number = &attributes.number;
    let facts = facts(field, reflect);
    let omit = match attributes.omit {
        None if !attributes.value => {
            return quote!(#reflect::Field::of::<#ty>(#name, &[#(#number),*], #facts));
        }
        None => quote!(Empty),
        Some(Omit::Never) => quote!(Never),
        Some(Omit::Zero) => quote!(Zero),
    };
    let pointer = if attributes.value { quote!(false) } else { quote!(<#ty as #reflect::Value>::OPTIONAL) };
    quote!(#reflect::Field::with::<#ty>(#name, &[#(#number),*], #pointer, #reflect::Omit::#omit, #facts))
}

fn facts(field: &Field, reflect: &TokenStream) -> TokenStream {
    let attributes = &field.attributes;
    let mut facts = Vec::new();
    if attributes.required {
        facts.push(quote!(Required));
    }
    for (fact, value) in [
        ("Default", &attributes.default),
        ("MergeKey", &attributes.merge_key),
        ("Since", &attributes.since),
        ("Until", &attributes.until),
    ] {
        if let Some(value) = value {
            let fact = syn::Ident::new(fact, value.span());
            facts.push(quote!(#fact(#reflect::Held::Static(#value))));
        }
    }
    let static_words = |words: &[syn::LitStr]| quote!(#reflect::Words::Static(&[#(#words),*]));
    if !attributes.one_of.is_empty() {
        let words = static_words(&attributes.one_of);
        facts.push(quote!(OneOf(#words)));
    }
    if let Some(list) = &attributes.list {
        let list = match list {
            List::Atomic => quote!(Atomic),
            List::Set => quote!(Set),
            List::Map(keys) => {
                let keys = static_words(keys);
                quote!(Map(#keys))
            }
        };
        facts.push(quote!(List(#reflect::ListType::#list)));
    }
    if attributes.atomic {
        facts.push(quote!(Atomic));
    }
    if !attributes.patch.is_empty() {
        let strategies = static_words(&attributes.patch);
        facts.push(quote!(Patch(#strategies)));
    }
    quote!(&[#(#reflect::Fact::#facts),*])
}
