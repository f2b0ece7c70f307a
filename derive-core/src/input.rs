//! The type that wears the derive, parsed and checked.

use std::collections::HashMap;

use syn::{Data, DataEnum, DeriveInput, Fields, Ident, LitStr, Type};

use crate::attributes::{FieldAttributes, KindAttributes};
use crate::json_name::json_name;

pub(crate) enum ApiType {
    Struct(Struct),
    Words(Words),
    OneOf(OneOf),
}

/// A struct with named fields.
pub(crate) struct Struct {
    pub ident: Ident,
    pub kind: Option<KindAttributes>,
    pub fields: Vec<Field>,
}

pub(crate) struct Field {
    pub ident: Ident,
    pub ty: Type,
    pub name: String,
    pub attributes: FieldAttributes,
}

impl Field {
    /// The protobuf numbers, from the outermost message inwards.
    fn number(&self) -> Vec<u32> {
        self.attributes.number.iter().filter_map(|number| number.base10_parse().ok()).collect()
    }
}

/// An enum of unit variants: one of a set of words.
pub(crate) struct Words {
    pub ident: Ident,
    pub words: Vec<(Ident, String)>,
    pub default: Ident,
}

/// An enum whose variants hold one value each: an object with one member.
pub(crate) struct OneOf {
    pub ident: Ident,
    pub members: Vec<Field>,
    pub default: Ident,
}

impl ApiType {
    pub(crate) fn parse(input: &DeriveInput) -> syn::Result<Self> {
        let mut errors = Errors::default();
        if let Some(parameter) = input.generics.params.first() {
            errors.add(
                parameter,
                "an API type has no type parameters or lifetimes: its schema has to be known as it stands",
            );
        }
        let kind = errors.take(KindAttributes::parse(&input.attrs)).flatten();
        let parsed = match &input.data {
            Data::Struct(data) => {
                let fields = errors.take(named(&data.fields, &input.ident)).map(|fields| {
                    fields.iter().filter_map(|field| errors.take(parse_field(field))).collect::<Vec<_>>()
                });
                let fields = fields.unwrap_or_default();
                check(&fields, &mut errors);
                Some(Self::Struct(Struct { ident: input.ident.clone(), kind, fields }))
            }
            Data::Enum(data) => parse_enum(input, data, kind.is_some(), &mut errors),
            Data::Union(data) => {
                errors.add(data.union_token, "expected a struct or an enum: a union has no JSON form");
                None
            }
        };
        errors.finish()?;
        parsed.ok_or_else(|| syn::Error::new_spanned(&input.ident, "expected a struct or an enum"))
    }
}

fn named<'a>(fields: &'a Fields, ident: &Ident) -> syn::Result<Vec<&'a syn::Field>> {
    match fields {
        Fields::Named(named) => Ok(named.named.iter().collect()),
        Fields::Unit => Ok(Vec::new()),
        Fields::Unnamed(_) => Err(syn::Error::new_spanned(
            ident,
            "expected named fields: each is a field of the JSON object, so it needs a name",
        )),
    }
}

fn parse_field(field: &syn::Field) -> syn::Result<Field> {
    let ident =
        field.ident.clone().ok_or_else(|| syn::Error::new_spanned(field, "expected a named field"))?;
    let attributes = FieldAttributes::parse(&field.attrs)?;
    let name = attributes.name.as_ref().map_or_else(|| json_name(&ident.to_string()), LitStr::value);
    Ok(Field { ident, ty: field.ty.clone(), name, attributes })
}

fn parse_enum(input: &DeriveInput, data: &DataEnum, is_kind: bool, errors: &mut Errors) -> Option<ApiType> {
    if is_kind {
        errors.add(&input.ident, "a kind is a struct: clients send it as an object with `metadata`");
    }
    let Some(first) = data.variants.first() else {
        errors.add(&input.ident, "expected at least one variant");
        return None;
    };
    let is_default = |variant: &&syn::Variant| variant.attrs.iter().any(|a| a.path().is_ident("default"));
    let default = data.variants.iter().find(is_default).unwrap_or(first).ident.clone();
    if data.variants.iter().all(|variant| matches!(variant.fields, Fields::Unit)) {
        let mut words = Vec::new();
        for variant in &data.variants {
            let attributes = errors.take(FieldAttributes::parse(&variant.attrs))?;
            if let Some(number) = attributes.number.first() {
                errors.add(number, "a word has no number: protobuf has it as text, as JSON does");
            }
            let word = attributes.name.as_ref().map_or_else(|| variant.ident.to_string(), LitStr::value);
            words.push((variant.ident.clone(), word));
        }
        return Some(ApiType::Words(Words { ident: input.ident.clone(), words, default }));
    }
    let mut members = Vec::new();
    for variant in &data.variants {
        let Fields::Unnamed(fields) = &variant.fields else {
            errors.add(
                variant,
                "expected one value, as in `Exec(ExecAction)`: it becomes a member of the object",
            );
            continue;
        };
        if fields.unnamed.len() != 1 {
            errors.add(variant, "expected exactly one value, as in `Exec(ExecAction)`");
            continue;
        }
        let Some(attributes) = errors.take(FieldAttributes::parse(&variant.attrs)) else { continue };
        let name =
            attributes.name.as_ref().map_or_else(|| lower_first(&variant.ident.to_string()), LitStr::value);
        let ty = fields.unnamed[0].ty.clone();
        members.push(Field { ident: variant.ident.clone(), ty, name, attributes });
    }
    check(&members, errors);
    Some(ApiType::OneOf(OneOf { ident: input.ident.clone(), members, default }))
}

fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// No two fields share a JSON name or a protobuf number, and protobuf has all of them or none.
fn check(fields: &[Field], errors: &mut Errors) {
    let mut names: HashMap<&str, &Ident> = HashMap::new();
    for field in fields {
        if let Some(other) = names.insert(&field.name, &field.ident) {
            errors.add(
                &field.ident,
                format!(
                    "the JSON name `{}` is taken by `{other}`; give one of them another `name`",
                    field.name
                ),
            );
        }
    }
    check_numbers(fields, errors);
    check_unnumbered(fields, errors);
}

/// A number is one field's; one that is a message for some is a message for all.
fn check_numbers(fields: &[Field], errors: &mut Errors) {
    let mut taken: HashMap<Vec<u32>, &Ident> = HashMap::new();
    let mut messages: HashMap<Vec<u32>, &Ident> = HashMap::new();
    for field in fields {
        let number = field.number();
        let Some(span) = field.attributes.number.last() else { continue };
        let text = number.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let outer = || (1..number.len()).map(|depth| &number[..depth]);
        if let Some(other) = taken.get(&number) {
            let text =
                format!("the protobuf number {text} is taken by `{other}`; numbers are never used twice");
            errors.add(span, text);
        } else if let Some(other) = messages.get(&number) {
            let text = format!("the protobuf number {text} is a message, in which `{other}` is");
            errors.add(span, text);
        } else if let Some(other) = outer().find_map(|outer| taken.get(outer)) {
            errors.add(span, format!("the protobuf number {text} is in a message, but that is `{other}`"));
        }
        for outer in outer() {
            messages.entry(outer.to_vec()).or_insert(&field.ident);
        }
        taken.entry(number).or_insert(&field.ident);
    }
}

/// Where some fields have a number, one without is lost in protobuf. It has to be said that this is
/// meant, except where it always is: `apiVersion` and `kind` are in the envelope, and fields of
/// earlier releases may have gone before there were numbers.
fn check_unnumbered(fields: &[Field], errors: &mut Errors) {
    let Some(highest) = fields.iter().filter_map(|field| field.number().first().copied()).max() else {
        return;
    };
    let mut lost: Vec<&Field> = fields
        .iter()
        .filter(|field| {
            let attributes = &field.attributes;
            attributes.number.is_empty() && !attributes.unnumbered && attributes.until.is_none()
        })
        .collect();
    if ["apiVersion", "kind"].iter().all(|name| lost.iter().any(|field| field.name == *name)) {
        lost.retain(|field| !matches!(&*field.name, "apiVersion" | "kind"));
    }
    let free = if (18_999..=19_999).contains(&highest) { 20_000 } else { highest.saturating_add(1) };
    for (field, free) in lost.into_iter().zip(free..) {
        errors.add(
            &field.ident,
            format!(
                "`{}` has no protobuf number where others have one, and would be lost in protobuf: give it \
                 one, as in `#[field(number = {free})]`, or say `#[field(number = none)]`; a server then \
                 keeps the kind in JSON",
                field.name
            ),
        );
    }
}

/// Errors, gathered so that a user sees all of them at once.
#[derive(Default)]
struct Errors(Option<syn::Error>);

impl Errors {
    fn add(&mut self, tokens: impl quote::ToTokens, message: impl std::fmt::Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    fn finish(self) -> syn::Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}
