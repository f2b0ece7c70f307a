//! Expands structs with some fields of another struct: `#[view(…)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;

use crate::input::View;
use crate::json_name::json_name;
use crate::structs;

pub(crate) fn expand(item: &View, machinery: &TokenStream) -> TokenStream {
    let reflect = quote!(#machinery::reflect);
    let View { ident, whole, fields } = item;
    let name = ident.to_string();
    let count = fields.len();
    let idents = fields.iter().map(|(ident, _)| ident);
    let types = fields.iter().map(|(_, ty)| ty);
    let of_whole = quote_spanned!(whole.span()=> <#whole as #reflect::ApiType>::DESCRIPTOR);
    let descriptors = fields.iter().map(|(field, ty)| {
        let name = format!(",\"{}\":", json_name(&field.to_string()));
        quote_spanned! {field.span()=>
            #reflect::Field::of_view::<#ty>(
                #of_whole,
                ::core::mem::offset_of!(#whole, #field),
                #name,
                ::core::mem::offset_of!(#ident, #field),
            )
        }
    });
    let types_fit =
        fields.iter().map(|(field, ty)| quote_spanned!(ty.span()=> sees::<#ty, _>(&whole.#field);));
    let metadata = fields.iter().find(|(field, _)| field == "metadata").map(|(_, ty)| {
        quote_spanned! {ty.span()=>
            const METADATA: ::core::option::Option<&'static #reflect::Descriptor> = <#ty as #reflect::Value>::OBJECT;
        }
    });
    let common = structs::common(ident, idents, types, Some(whole), machinery);
    quote! {
        const _: fn(&#whole) = |whole| {
            use #reflect::sees;
            #(#types_fit)*
        };

        // SAFETY: offset and type of each field of the descriptor are those of the struct's field.
        unsafe impl #reflect::ApiType for #ident {
            const DESCRIPTOR: &'static #reflect::Descriptor = {
                const FIELDS: &[#reflect::Field] = &[#(#descriptors),*];
                const THIRD: &[#reflect::Level<#count>] = &#reflect::Level::all(FIELDS, 2, &[]);
                const SECOND: &[#reflect::Level<#count>] = &#reflect::Level::all(FIELDS, 1, THIRD);
                const FIRST: &[#reflect::Level<#count>] = &#reflect::Level::all(FIELDS, 0, SECOND);
                static DESCRIPTOR: #reflect::Descriptor = #reflect::Descriptor {
                    name: #reflect::Held::Static(#name),
                    kind: #reflect::Descriptor::kind_of_view(#of_whole),
                    fields: #reflect::Held::Static(FIELDS),
                    message: #reflect::Held::Static(#reflect::Level::message(FIRST)),
                    size: ::core::mem::size_of::<#ident>(),
                    unknown: #reflect::UnknownFields::Skipped,
                    facts: #reflect::Facts::NONE,
                    origin: #reflect::Origin::of::<#ident>(&DESCRIPTOR),
                };
                &DESCRIPTOR
            };

            #metadata

            fn describe() -> &'static #reflect::Descriptor {
                Self::DESCRIPTOR
            }
        }

        #common
    }
}
