//! `#[view(…)]`: structs with some fields of another struct.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Attribute, Data, DeriveInput, Fields, Ident, Path, Type};

use crate::input::Errors;
use crate::json_name::json_name;
use crate::keys::{AttributeName, Key as _};
use crate::structs;

/// A struct with some fields of another struct, the whole: `#[view(core::v1::Pod)]`.
pub struct View {
    /// Its name.
    pub ident: Ident,
    /// The whole.
    pub whole: Path,
    /// The names of its fields in Rust, which are those of the whole, and their types.
    pub fields: Vec<(Ident, Type)>,
}

/// The attribute, if there is one.
pub(crate) fn attribute(attributes: &[Attribute]) -> Option<&Attribute> {
    AttributeName::View.all(attributes).next()
}

impl View {
    pub(crate) fn parse(input: &DeriveInput, attribute: &Attribute) -> syn::Result<Self> {
        let mut errors = Errors::default();
        let whole = attribute.parse_args::<Path>().map_err(|error| {
            syn::Error::new(
                error.span(),
                "expected the type of which this is a view: `#[view(core::v1::Pod)]`",
            )
        });
        let whole = errors.take(whole);
        for other in input.attrs.iter().filter(|other| !std::ptr::eq(*other, attribute)) {
            match AttributeName::at(other.path()) {
                None | Some(AttributeName::Api) => {}
                Some(AttributeName::View) => {
                    errors.add(other, "`#[view(…)]` is written twice; remove one of the two");
                }
                Some(name) => {
                    let message = format!("a view has the schema of its whole: remove `#[{name}]`");
                    errors.add(other, message);
                }
            }
        }
        let mut fields = Vec::new();
        match &input.data {
            Data::Struct(data) if matches!(data.fields, Fields::Named(_)) => {
                for field in &data.fields {
                    for attribute in &field.attrs {
                        if let Some(name) = AttributeName::at(attribute.path()) {
                            let message = format!(
                                "the field of a view is that of its whole, with the same name in Rust: remove `#[{name}]`"
                            );
                            errors.add(attribute, message);
                        }
                    }
                    fields.extend(field.ident.clone().map(|ident| (ident, field.ty.clone())));
                }
            }
            _ => {
                errors.add(&input.ident, "expected a struct with named fields: they are some of the whole's")
            }
        }
        errors.finish()?;
        let whole = whole.ok_or_else(|| syn::Error::new_spanned(attribute, "expected a type"))?;
        Ok(Self { ident: input.ident.clone(), whole, fields })
    }
}

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
