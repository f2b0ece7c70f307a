//! The expansion of structs.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::LitInt;
use syn::spanned::Spanned as _;

use crate::attributes::{Allowed, FieldAttributes, List, Omit};
use crate::definition;
use crate::facts::Facts;
use crate::input::{Field, Struct};
use crate::shared;

pub(crate) fn expand(item: &Struct, machinery: &TokenStream) -> TokenStream {
    let reflect = quote!(#machinery::reflect);
    let Struct { ident, description, kind, fields, refuses_unknown, facts, is_flattened } = item;
    let facts = of_type(description.as_ref(), facts, &reflect);
    let name = ident.to_string();
    let descriptors = descriptors(item, &reflect);
    let flattened = is_flattened.then(|| {
        quote! {
            // SAFETY: as for `ApiType`, whose descriptor has the same fields.
            unsafe impl #reflect::Flattened for #ident {
                const FIELDS: &'static [#reflect::Field] = #descriptors;
            }
        }
    });
    let descriptors =
        if *is_flattened { quote!(<#ident as #reflect::Flattened>::FIELDS) } else { descriptors };
    let message = message(Some(ident), fields, &reflect);
    let kind_name = match kind {
        Some(_) => quote!(::core::option::Option::Some(#reflect::KindName::of::<#ident>())),
        None => quote!(::core::option::Option::None),
    };
    let definition =
        kind.as_ref().filter(|kind| kind.defines()).map(|kind| definition::expand(ident, kind, machinery));
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
    let unknown = match (refuses_unknown, item.has_rest()) {
        (true, _) => quote!(Refused),
        (false, true) => quote!(Kept),
        (false, false) => quote!(Dropped),
    };
    let idents = fields.iter().map(|field| &field.ident);
    let types = fields.iter().map(|field| &field.ty);
    let common = common(ident, idents, types, None, machinery);
    let defaults = fields.iter().filter_map(|field| check_default(field, &reflect));
    quote! {
        // SAFETY: offset and type of each field of the descriptor are those of the struct's field.
        unsafe impl #reflect::ApiType for #ident {
            const DESCRIPTOR: &'static #reflect::Descriptor = {
                static DESCRIPTOR: #reflect::Descriptor = #reflect::Descriptor {
                    name: #reflect::Held::Static(#name),
                    kind: #kind_name,
                    fields: #reflect::Held::Static(#descriptors),
                    message: #reflect::Held::Static(#message),
                    size: ::core::mem::size_of::<#ident>(),
                    unknown: #reflect::UnknownFields::#unknown,
                    facts: #facts,
                    origin: #reflect::Origin::of::<#ident>(&DESCRIPTOR),
                };
                &DESCRIPTOR
            };

            fn describe() -> &'static #reflect::Descriptor {
                Self::DESCRIPTOR
            }
        }

        #flattened
        #kind_impl
        #definition
        #(#defaults)*
        #common
    }
}

/// The implementations other than reflection. All except deep copy call reflection. All are inlined, so
/// that a crate of types compiles none of them, and other crates only those that they use.
pub(crate) fn common<'f>(
    ident: &syn::Ident,
    idents: impl Iterator<Item = &'f syn::Ident>,
    types: impl Iterator<Item = &'f syn::Type>,
    whole: Option<&syn::Path>,
    machinery: &TokenStream,
) -> TokenStream {
    let reflect = quote!(#machinery::reflect);
    let made = shared::made(ident, &reflect);
    let object = shared::object(ident, quote!(of_struct), whole, machinery);
    quote! {
        // Objects are dropped by their fields.
        impl #reflect::MustNotImplementDrop for #ident {}

        unsafe impl #reflect::Empty for #ident {
            const EMPTY: Self = Self { #(#idents: <#types as #reflect::Empty>::EMPTY),* };
            const STATIC: &'static Self = &Self::EMPTY;
        }

        impl #reflect::DeepCopy for #ident {
            #[inline]
            fn deep_copy(&self) -> Self {
                #reflect::deep_copy(self)
            }

            #[inline]
            fn deep_copy_into(&self, target: &mut Self) {
                #reflect::copy_into(#reflect::Lent::new(self), #reflect::Lent::new_mut(target));
            }
        }

        #made
        #object
    }
}

/// The protobuf message of the fields of a struct, or of an enum if there is no `item`.
pub(crate) fn message(item: Option<&syn::Ident>, fields: &[Field], reflect: &TokenStream) -> TokenStream {
    let mut members: Vec<_> =
        (0..).zip(fields).map(|(position, field)| Member::new(position, field)).collect();
    members.retain(|member| !member.numbers.is_empty());
    members.sort_by(|one, other| one.numbers.cmp(&other.numbers));
    level(item, &members, 0, reflect)
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
fn level(
    item: Option<&syn::Ident>,
    members: &[Member<'_>],
    depth: usize,
    reflect: &TokenStream,
) -> TokenStream {
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
            let place = match item {
                Some(item) => place(item, field, reflect),
                None => quote!(#reflect::Place::ELSEWHERE),
            };
            return quote!(#reflect::Numbered::Field {
                number: #number,
                position: #position,
                place: #place.written(#written),
            });
        }
        let message = level(item, same, depth + 1, reflect);
        quote!(#reflect::Numbered::Inlined { number: #number, message: #reflect::Held::Static(#message) })
    });
    quote!(&[#(#numbered),*])
}

/// The descriptors of all fields, those of flattened objects among them.
fn descriptors(item: &Struct, reflect: &TokenStream) -> TokenStream {
    let Struct { ident, fields, .. } = item;
    if fields.iter().all(|field| field.attributes.flatten.is_none()) {
        let descriptors = fields.iter().map(|field| describe(ident, field, reflect));
        return quote!(&[#(#descriptors),*]);
    }
    let is_own = |field: &Field| field.attributes.flatten.is_none();
    let parts = fields.chunk_by(|one, other| is_own(one) && is_own(other)).map(|part| match part {
        [field] if !is_own(field) => {
            let (ty, offset) = (&field.ty, offset(ident, &field.ident));
            quote_spanned!(ty.span()=> #reflect::Part::Flattened(<#ty as #reflect::Flattened>::FIELDS, #offset))
        }
        own => {
            let descriptors = own.iter().map(|field| describe(ident, field, reflect));
            quote!(#reflect::Part::Own(&[#(#descriptors),*]))
        }
    });
    quote! {{
        const PARTS: &[#reflect::Part] = &[#(#parts),*];
        const FIELDS: &[#reflect::Field] = &#reflect::Part::join::<{ #reflect::Part::count(PARTS) }>(PARTS);
        FIELDS
    }}
}

/// A field's descriptor. Type and presence come from the field's Rust type.
fn describe(item: &syn::Ident, field: &Field, reflect: &TokenStream) -> TokenStream {
    let Field { ident, ty, name, attributes, .. } = field;
    let offset = offset(item, ident);
    if attributes.rest.is_some() {
        return quote!(#reflect::Field::rest::<#ty>(#offset));
    }
    // As it is before a value in JSON: `Name` explains why.
    let name = format!(",\"{name}\":");
    let number = &attributes.number;
    let facts = facts(field, reflect);
    if matches!(omit(attributes), Omit::Empty) && !attributes.value {
        return quote!(#reflect::Field::of::<#ty>(#name, #offset, &[#(#number),*], #facts));
    }
    let omit = omit_variant(attributes);
    let pointer = if attributes.value { quote!(false) } else { quote!(<#ty as #reflect::Value>::OPTIONAL) };
    quote!(#reflect::Field::with::<#ty>(#name, #offset, &[#(#number),*], #pointer, #reflect::Omit::#omit, #facts))
}

/// When JSON omits a field. A required one is always written, and as it is.
fn omit(attributes: &FieldAttributes) -> Omit {
    let usual = if attributes.required { Omit::Exact } else { Omit::Empty };
    attributes.omit.unwrap_or(usual)
}

fn omit_variant(attributes: &FieldAttributes) -> TokenStream {
    match omit(attributes) {
        Omit::Empty => quote!(Empty),
        Omit::Zero => quote!(Zero),
        Omit::Never => quote!(Never),
        Omit::Exact => quote!(Exact),
    }
}

/// Assertions about the default of a field.
fn check_default(field: &Field, reflect: &TokenStream) -> Option<TokenStream> {
    let Field { ident, ty, attributes, .. } = field;
    let default = attributes.default.as_ref()?;
    let omit = omit_variant(attributes);
    let missing = format!(
        "the default of `{ident}` is never set, because JSON always contains the field: make it an `Option`"
    );
    let wrong = format!("the default of `{ident}` does not fit: write a value of the field's type as JSON");
    Some(quote_spanned! {default.span()=>
        const _: () = {
            ::core::assert!(#reflect::may_be_missing::<#ty>(#reflect::Omit::#omit), #missing);
            ::core::assert!(#reflect::may_fit::<#ty>(#default), #wrong);
        };
    })
}

fn offset(item: &syn::Ident, field: &syn::Ident) -> TokenStream {
    quote!(::core::mem::offset_of!(#item, #field))
}

/// Where a field is in an object.
fn place(item: &syn::Ident, field: &Field, reflect: &TokenStream) -> TokenStream {
    let (ty, offset) = (&field.ty, offset(item, &field.ident));
    quote!(#reflect::Place::of::<#ty>(#offset))
}

/// The descriptor of an enum's variant.
pub(crate) fn describe_variant(variant: &Field, reflect: &TokenStream) -> TokenStream {
    let Field { ty, name, attributes, .. } = variant;
    let name = format!(",\"{name}\":");
    let number = &attributes.number;
    let facts = facts(variant, reflect);
    quote!(#reflect::Field::of_variant::<#ty>(#name, &[#(#number),*], #facts))
}

/// The facts of a type as a whole.
pub(crate) fn of_type(description: Option<&String>, facts: &Facts, reflect: &TokenStream) -> TokenStream {
    let facts: Vec<_> = specified(description, facts, reflect).collect();
    if facts.is_empty() {
        return quote!(#reflect::Facts::NONE);
    }
    quote!(#reflect::Facts::of(&[#(#reflect::Fact::#facts),*]))
}

/// The facts that a type and a field may have.
fn specified(
    description: Option<&String>,
    facts: &Facts,
    reflect: &TokenStream,
) -> impl Iterator<Item = TokenStream> {
    let description = description.map(|text| quote!(Description(#reflect::Held::Static(#text))));
    let schema = (!facts.is_empty()).then(|| facts.json());
    description.into_iter().chain(schema.map(|json| quote!(Schema(#reflect::Held::Static(#json)))))
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
    match &attributes.one_of {
        None => {}
        Some(Allowed::Listed(words)) => {
            let words = static_words(words);
            facts.push(quote!(OneOf(#words)));
        }
        Some(Allowed::OfType) => {
            let ty = &field.ty;
            facts.push(quote!(OneOf(#reflect::Words::Static(<#ty as #reflect::HasWords>::WORDS))));
        }
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
    facts.extend(specified(field.description.as_ref(), &attributes.facts, reflect));
    quote!(&[#(#reflect::Fact::#facts),*])
}
