//! Parses enums.

use syn::{DataEnum, DeriveInput, Fields, Ident, LitStr, Type};

use super::check::check;
use super::{ApiType, Describe, Field, OneOf, Set, Words};
use crate::attributes::FieldAttributes;
use crate::errors::Errors;
use crate::facts::Facts;
use crate::keys::AttributeName;

/// Parses an enum: a word, or an object with one field.
pub(super) fn parse_enum(
    input: &DeriveInput,
    data: &DataEnum,
    is_kind: bool,
    facts: Facts,
    describe: Describe,
    errors: &mut Errors,
) -> Option<ApiType> {
    if is_kind {
        errors.add(
            &input.ident,
            "expected a struct: objects of a kind have `metadata`, which an enum cannot have",
        );
    }
    let Some(first) = data.variants.first() else {
        errors.add(&input.ident, "expected at least one variant");
        return None;
    };
    let mut marked = data
        .variants
        .iter()
        .filter_map(|variant| Some((variant, AttributeName::Default.all(&variant.attrs).next()?)));
    let default = marked.next();
    let attributes = data.variants.iter().map(|variant| errors.take(FieldAttributes::parse(&variant.attrs)));
    let attributes: Vec<FieldAttributes> = attributes.collect::<Option<_>>()?;
    for span in attributes.iter().filter_map(|attributes| attributes.rest) {
        errors.push(syn::Error::new(span, "expected `rest` on a field of a struct"));
    }
    for span in attributes.iter().filter_map(|attributes| attributes.flatten) {
        errors.push(syn::Error::new(span, "expected `flatten` on a field of a struct"));
    }
    let variants: Vec<_> = data.variants.iter().zip(attributes).collect();
    let is_open = variants.iter().any(|(_, attributes)| attributes.other.is_some());
    if is_open && let Some((_, attribute)) = default {
        let message = "the empty value of an enum with `other` is the empty text: remove `#[default]`";
        errors.add(attribute, message);
    }
    if let Some((_, attribute)) = marked.next() {
        errors.add(attribute, "`#[default]` is set twice; remove one of the two");
    }
    let default = default.map_or(first, |(variant, _)| variant).ident.clone();
    if is_open || data.variants.iter().all(|variant| matches!(variant.fields, Fields::Unit)) {
        if let Some(span) = facts.span() {
            let message = "an enum of words is a text: write `#[field(…)]` on the fields that contain it";
            errors.push(syn::Error::new(span, message));
        }
        return Some(ApiType::Words(parse_words(input, variants, default, errors)));
    }
    let members = parse_members(variants, describe, errors);
    check(&members, errors);
    let description = describe(&input.attrs);
    Some(ApiType::OneOf(OneOf { ident: input.ident.clone(), description, members, default, facts }))
}

/// Parses the variants of an enum that is an object with one field.
fn parse_members(
    variants: Vec<(&syn::Variant, FieldAttributes)>,
    describe: Describe,
    errors: &mut Errors,
) -> Vec<Field> {
    let mut members = Vec::new();
    for (variant, attributes) in variants {
        let Fields::Unnamed(fields) = &variant.fields else {
            errors.add(
                variant,
                "expected one value, as in `Exec(ExecAction)`: the variant is a field of the JSON object; for an enum \
                 of words, mark the variant that contains all other words with `#[field(other)]`",
            );
            continue;
        };
        if fields.unnamed.len() != 1 {
            errors.add(variant, "expected exactly one value, as in `Exec(ExecAction)`");
            continue;
        }
        let name =
            attributes.name.as_ref().map_or_else(|| lower_first(&variant.ident.to_string()), LitStr::value);
        let ty = fields.unnamed[0].ty.clone();
        if let Some(default) = &attributes.default {
            errors.add(default, "a variant has no default: an object has exactly one of the variants");
        }
        if let Some(span) = attributes.empty_is_absent {
            let message =
                "an object has exactly one of the variants, be it empty or not: remove `empty_is_absent`";
            errors.push(syn::Error::new(span, message));
        }
        let _ = errors.take(attributes.facts.check_type(&ty));
        let description = describe(&variant.attrs);
        members.push(Field { ident: variant.ident.clone(), ty, name, description, attributes });
    }
    members
}

/// Parses the variants of an enum that is a word.
fn parse_words(
    input: &DeriveInput,
    variants: Vec<(&syn::Variant, FieldAttributes)>,
    default: Ident,
    errors: &mut Errors,
) -> Words {
    let mut words: Vec<(Ident, String)> = Vec::new();
    let mut set = Set::Closed { default };
    for (variant, attributes) in variants {
        let ident = &variant.ident;
        let FieldAttributes { added, removed, dropped, empty_is_absent, .. } = &attributes;
        let about_versions = added.or(*removed).or(*dropped).or(*empty_is_absent);
        let renamed = attributes.renamed.first().map(|(version, _)| version.span());
        if let Some(span) = about_versions.or(renamed) {
            let message = "expected `added`, `removed`, `dropped`, `renamed` and `empty_is_absent` on fields: conversions do \
                           not change words by their names; `words` of `#[from(…)]` does";
            errors.push(syn::Error::new(span, message));
        }
        if let Some(span) = attributes.facts.span() {
            let message = "a word has no limits: write them on the fields that contain the enum";
            errors.push(syn::Error::new(span, message));
        }
        if let Some(number) = attributes.number.first() {
            errors.add(
                number,
                "a word has no protobuf number: remove `number`; protobuf and JSON write the word",
            );
        }
        if let Some(span) = attributes.other {
            if !is_text(&variant.fields) {
                errors.add(variant, format!("expected a text for all other words: `{ident}(Str)`"));
            }
            if attributes.name.is_some() {
                errors.push(syn::Error::new(
                    span,
                    "a variant is one word or all `other` words: remove `name` or `other`",
                ));
            }
            if let Set::Open { other } = &set {
                let message = format!("`{other}` contains all other words already; remove one of the two");
                errors.push(syn::Error::new(span, message));
            }
            set = Set::Open { other: ident.clone() };
            continue;
        }
        if !matches!(variant.fields, Fields::Unit) {
            errors.add(variant, format!("expected a variant without a value, which is one word: `{ident}`"));
        }
        let word = attributes.name.as_ref().map_or_else(|| ident.to_string(), LitStr::value);
        if let Some((same, _)) = words.iter().find(|(_, other)| *other == word) {
            let message = format!("the word `{word}` is already `{same}`; give one of them another `name`");
            errors.add(ident, message);
        }
        words.push((ident.clone(), word));
    }
    Words { ident: input.ident.clone(), words, set }
}

/// Whether a variant has one value, of the type `Str`.
fn is_text(fields: &Fields) -> bool {
    let Fields::Unnamed(fields) = fields else { return false };
    let mut types = fields.unnamed.iter().map(|field| &field.ty);
    let (Some(Type::Path(ty)), None) = (types.next(), types.next()) else { return false };
    ty.path.segments.last().is_some_and(|last| last.ident == "Str")
}

fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}
