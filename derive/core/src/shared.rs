//! The implementations that several sorts of types have in common.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned as _;

/// By which generated code notices that a type has changed.
pub(crate) fn fingerprint(ident: &Ident, fingerprint: u64, machinery: &TokenStream) -> TokenStream {
    quote! {
        impl #machinery::reflect::Fingerprint for #ident {
            const FINGERPRINT: u64 = #fingerprint;
        }
    }
}

/// How a value of any derived type is made: as an empty one, or as a copy.
pub(crate) fn made(ident: &Ident, reflect: &TokenStream) -> TokenStream {
    quote! {
        unsafe impl #reflect::Element for #ident {
            #[inline]
            fn make(option: &mut ::core::option::Option<Self>) {
                #reflect::fill(option, <Self as #reflect::Empty>::EMPTY);
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
    }
}

/// `JsonSchema` of schemars; nothing unless the feature is on. `schema` is the function of machinery that returns the
/// schema.
pub(crate) fn json_schema(ident: &Ident, schema: TokenStream, machinery: &TokenStream) -> TokenStream {
    if !cfg!(feature = "schemars") {
        return TokenStream::new();
    }
    let name = ident.to_string();
    let schemars = quote!(#machinery::schemars);
    let text = quote!(::std::borrow::Cow<'static, str>);
    quote! {
        impl #schemars::JsonSchema for #ident {
            fn schema_name() -> #text {
                ::std::borrow::Cow::Borrowed(#name)
            }

            fn schema_id() -> #text {
                ::std::borrow::Cow::Borrowed(::core::concat!(::core::module_path!(), "::", #name))
            }

            fn json_schema(_: &mut #schemars::SchemaGenerator) -> #schemars::Schema {
                #machinery::json_schema::#schema
            }
        }
    }
}

/// What objects in JSON implement over reflection: structs, and enums whose variants have a value. `access` is the
/// constructor of their access, `whole` the type of which they are a view, if they are one. All is inlined, so that a
/// crate of types compiles none of it, and other crates only what they use.
pub(crate) fn object(
    ident: &Ident,
    access: TokenStream,
    whole: Option<&syn::Path>,
    machinery: &TokenStream,
) -> TokenStream {
    let reflect = quote!(#machinery::reflect);
    let serde = quote!(#machinery::serde);
    let whole = match whole {
        None => quote!(
            type Whole = Self;
        ),
        Some(whole) => quote_spanned! {whole.span()=>
            type Whole = <#whole as #reflect::Value>::Whole;
            const HAS_VIEW: bool = true;
        },
    };
    let json_schema = json_schema(ident, quote!(of::<Self>()), machinery);
    quote! {
        #json_schema

        unsafe impl #reflect::Value for #ident {
            #whole
            const OBJECT: ::core::option::Option<&'static #reflect::Descriptor> =
                ::core::option::Option::Some(<Self as #reflect::ApiType>::DESCRIPTOR);
            const TYPE: #reflect::Type = #reflect::Type::Struct(#reflect::StructType::Compiled(<Self as #reflect::ApiType>::describe));
            const ACCESS: &'static #reflect::Access = &#reflect::Access::#access::<Self>();

            #[inline]
            fn slot(&self) -> #reflect::Slot<'_> {
                #reflect::Slot::Struct(#reflect::Lent::new(self))
            }

            #[inline]
            fn slot_mut(&mut self) -> #reflect::SlotMut<'_> {
                #reflect::SlotMut::Struct(#reflect::Lent::new_mut(self))
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
