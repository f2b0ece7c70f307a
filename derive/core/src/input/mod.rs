//! Parses and checks the type on which the derive is used.

mod view;

use std::collections::HashMap;

use proc_macro2::Span;
use syn::{Attribute, Data, DataEnum, DeriveInput, Fields, Ident, LitStr, Type};

pub use self::view::View;
use crate::attributes::{FieldAttributes, crate_path, refuses_unknown};
use crate::docs;
use crate::errors::Errors;
use crate::facts::Facts;
use crate::json_name::json_name;
use crate::keys::{AttributeName, FieldKey};
use crate::kind::KindAttributes;
use crate::leaf::{self, Leaf};

/// A type on which the derive is used, parsed and checked.
pub enum ApiType {
    /// A struct.
    Struct(Struct),
    /// An enum of words.
    Words(Words),
    /// An enum of objects.
    OneOf(OneOf),
    /// A text of a foreign type.
    Leaf(Box<Leaf>),
    /// Some fields of another struct.
    View(View),
}

/// A struct with named fields.
pub struct Struct {
    /// Its name.
    pub ident: Ident,
    /// What its doc comment tells, unless the generator has written the type.
    pub description: Option<String>,
    /// Its kind, if it is one.
    pub kind: Option<Box<KindAttributes>>,
    /// Its fields, in the order of the source.
    pub fields: Vec<Field>,
    /// Whether JSON must have no other fields. If the last field is the [rest](Struct::has_rest), it
    /// contains them, and otherwise they are dropped.
    pub refuses_unknown: bool,
    /// What its schema specifies about the object as a whole.
    pub facts: Facts,
    /// Whether other structs may have its fields as their own.
    pub is_flattened: bool,
}

impl Struct {
    /// Whether the last field contains what JSON has besides the other fields.
    pub fn has_rest(&self) -> bool {
        self.fields.last().is_some_and(|field| field.attributes.rest.is_some())
    }
}

/// A field of a struct, or a variant of an enum of objects.
pub struct Field {
    /// Its name in Rust.
    pub ident: Ident,
    /// Its type.
    pub ty: Type,
    /// Its name in JSON.
    pub name: String,
    /// What its doc comment tells, unless the generator has written the type.
    pub description: Option<String>,
    /// Its attributes.
    pub attributes: FieldAttributes,
}

impl Field {
    /// Whether JSON has a field of its name: it is neither the rest nor a flattened object.
    pub fn is_named(&self) -> bool {
        self.attributes.rest.is_none() && self.attributes.flatten.is_none()
    }

    /// The protobuf numbers, from the outermost message inwards.
    fn number(&self) -> Vec<u32> {
        self.attributes.number.iter().filter_map(|number| number.base10_parse().ok()).collect()
    }
}

/// An enum of unit variants, which is one of a set of words in JSON.
pub struct Words {
    /// Its name.
    pub ident: Ident,
    /// The unit variants, each with its word.
    pub words: Vec<(Ident, String)>,
    /// Whether there are other words.
    pub set: Set,
}

/// Whether a word may be one that no unit variant has.
pub enum Set {
    /// No.
    Closed {
        /// The variant that is the empty value.
        default: Ident,
    },
    /// Yes.
    Open {
        /// The variant that contains it.
        other: Ident,
    },
}

/// An enum of variants with one value each, which is an object with one field in JSON.
pub struct OneOf {
    /// Its name.
    pub ident: Ident,
    /// What its doc comment tells, unless the generator has written the type.
    pub description: Option<String>,
    /// Its variants.
    pub members: Vec<Field>,
    /// The variant that is the empty value.
    pub default: Ident,
    /// What its schema specifies about the object as a whole.
    pub facts: Facts,
}

impl ApiType {
    /// Its name.
    pub fn ident(&self) -> &Ident {
        match self {
            Self::Struct(item) => &item.ident,
            Self::Words(item) => &item.ident,
            Self::OneOf(item) => &item.ident,
            Self::Leaf(item) => &item.ident,
            Self::View(item) => &item.ident,
        }
    }

    /// Parses a struct or an enum with its attributes.
    ///
    /// # Errors
    /// All wrong uses of the derive, combined.
    pub fn parse(input: &DeriveInput) -> syn::Result<Self> {
        let mut errors = Errors::default();
        if let Some(parameter) = input.generics.params.first() {
            errors.add(
                parameter,
                "expected a type without parameters and lifetimes: an API type has exactly one schema",
            );
        }
        errors.take(crate_path(&input.attrs));
        if let Some(attribute) = leaf::attribute(&input.attrs) {
            errors.finish()?;
            return Leaf::parse(input, attribute).map(|leaf| Self::Leaf(Box::new(leaf)));
        }
        if let Some(attribute) = view::attribute(&input.attrs) {
            errors.finish()?;
            return View::parse(input, attribute).map(Self::View);
        }
        let kind = errors.take(KindAttributes::parse(&input.attrs)).flatten().map(Box::new);
        let facts = errors.take(Facts::of_type(&input.attrs)).unwrap_or_default();
        let describe: Describe = match docs::is_generated(&input.ident, &input.attrs) {
            true => |_| None,
            false => docs::description,
        };
        let parsed = match &input.data {
            Data::Struct(data) => {
                let fields = errors.take(named(&data.fields, &input.ident)).map(|fields| {
                    fields
                        .iter()
                        .filter_map(|field| errors.take(parse_field(field, describe)))
                        .collect::<Vec<_>>()
                });
                let fields = fields.unwrap_or_default();
                check(&fields, &mut errors);
                let refuses = errors.take(refuses_unknown(&input.attrs)).flatten();
                check_rest(&fields, refuses, &mut errors);
                check_flatten(&fields, &mut errors);
                let flattened = AttributeName::Flattened.all(&input.attrs).next();
                if let Some(attribute) = flattened {
                    check_flattened(attribute, &fields, kind.is_some(), refuses, &facts, &mut errors);
                }
                let refuses_unknown = refuses.is_some();
                Some(Self::Struct(Struct {
                    ident: input.ident.clone(),
                    description: describe(&input.attrs),
                    kind,
                    fields,
                    refuses_unknown,
                    facts,
                    is_flattened: flattened.is_some(),
                }))
            }
            Data::Enum(data) => {
                if let Some(attribute) = AttributeName::Flattened.all(&input.attrs).next() {
                    errors.add(
                        attribute,
                        "expected `#[flattened]` on a struct, whose fields become those of another object",
                    );
                }
                if let Some(span) = errors.take(refuses_unknown(&input.attrs)).flatten() {
                    let message = "expected `#[unknown(refuse)]` on a struct, which has fields";
                    errors.push(syn::Error::new(span, message));
                }
                parse_enum(input, data, kind.is_some(), facts, describe, &mut errors)
            }
            Data::Union(data) => {
                errors.add(
                    data.union_token,
                    "expected a struct or an enum: JSON cannot represent a Rust union",
                );
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
            "expected named fields: each field needs a name in the JSON object; a type of another crate that is a text \
             in JSON is a leaf: `#[leaf(text, …)]`",
        )),
    }
}

/// Makes a description of attributes.
type Describe = fn(&[Attribute]) -> Option<String>;

fn parse_field(field: &syn::Field, describe: Describe) -> syn::Result<Field> {
    let ident =
        field.ident.clone().ok_or_else(|| syn::Error::new_spanned(field, "expected a named field"))?;
    let attributes = FieldAttributes::parse(&field.attrs)?;
    attributes.facts.check_type(&field.ty)?;
    let name = attributes.name.as_ref().map_or_else(|| json_name(&ident.to_string()), LitStr::value);
    Ok(Field { ident, ty: field.ty.clone(), name, description: describe(&field.attrs), attributes })
}

fn parse_enum(
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
    check(&members, errors);
    let description = describe(&input.attrs);
    Some(ApiType::OneOf(OneOf { ident: input.ident.clone(), description, members, default, facts }))
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

/// Checks that JSON names and protobuf numbers are unique, and that all fields have a protobuf number
/// or none has one.
fn check(fields: &[Field], errors: &mut Errors) {
    for span in fields.iter().filter_map(|field| field.attributes.other) {
        let message =
            "expected `other` on the variant of an enum that contains the words of no other variant";
        errors.push(syn::Error::new(span, message));
    }
    let mut names: HashMap<&str, &Ident> = HashMap::new();
    for field in fields.iter().filter(|field| field.is_named()) {
        if let Some(other) = names.insert(&field.name, &field.ident) {
            errors.add(
                &field.ident,
                format!(
                    "the JSON name `{}` is already used by `{other}`; give one of them another `name`",
                    field.name
                ),
            );
        }
    }
    for field in fields {
        check_dropped(&field.attributes, errors);
        check_empty(&field.attributes, errors);
    }
    check_numbers(fields, errors);
    check_unnumbered(fields, errors);
}

/// Checks that a field that is dropped may be absent, and that nothing else is said of other versions.
fn check_dropped(attributes: &FieldAttributes, errors: &mut Errors) {
    let Some(span) = attributes.dropped else { return };
    let mut wrong = |message: &str| errors.push(syn::Error::new(span, message));
    if attributes.required {
        wrong(
            "a required field cannot be dropped, as objects without it are invalid: write `removed`, which keeps it",
        );
    }
    if attributes.removed.is_some() || attributes.added.is_some() || !attributes.renamed.is_empty() {
        wrong(
            "a dropped field is lost, so nothing else can be said of it in other versions: remove one of the keys",
        );
    }
}

/// Checks that a field of which an empty value is the same as none may be absent.
fn check_empty(attributes: &FieldAttributes, errors: &mut Errors) {
    if let Some(span) = attributes.empty_is_absent
        && attributes.required
    {
        let message = "a required field is never absent, as objects without it are invalid: remove `empty_is_absent`, or write \
                       it on the optional object around the field";
        errors.push(syn::Error::new(span, message));
    }
}

/// Checks that the rest is the last field, in a struct without protobuf numbers.
fn check_rest(fields: &[Field], refuses: Option<Span>, errors: &mut Errors) {
    let rests = fields.iter().enumerate().filter_map(|(at, field)| Some((at, field, field.attributes.rest?)));
    for (at, field, span) in rests {
        let mut wrong = |message: &str| errors.push(syn::Error::new(span, message));
        if !field.attributes.is_only(FieldKey::Rest) {
            wrong("the rest has no name and no facts of its own: remove the other keys");
        }
        if at + 1 < fields.len() {
            wrong("expected the rest as the last field: JSON writes it after the others");
        }
        if fields.iter().any(|field| !field.number().is_empty()) {
            wrong("protobuf cannot contain the rest: remove the numbers of the other fields");
        }
        if refuses.is_some() {
            wrong(
                "the rest keeps unknown fields, but `#[unknown(refuse)]` refuses them: remove one of the two",
            );
        }
    }
}

/// Checks flattened objects in a struct.
fn check_flatten(fields: &[Field], errors: &mut Errors) {
    for field in fields {
        let Some(span) = field.attributes.flatten else { continue };
        let mut wrong = |message: &str| errors.push(syn::Error::new(span, message));
        if !field.attributes.is_only(FieldKey::Flatten) {
            wrong("a flattened object has no name and no facts of its own: remove the other keys");
        }
        if fields.iter().any(|field| !field.number().is_empty()) {
            wrong("protobuf cannot contain a flattened object: remove the numbers of the other fields");
        }
        if let Type::Path(ty) = &field.ty
            && let Some(outside) = ty.path.segments.last().filter(|last| !last.arguments.is_none())
        {
            let message = format!(
                "expected a struct with `#[flattened]`, and not a `{}`: its fields are always there, and each may be an \
                 `Option`",
                outside.ident
            );
            errors.add(&field.ty, message);
        }
    }
}

/// Checks a struct that may be flattened.
fn check_flattened(
    attribute: &Attribute,
    fields: &[Field],
    is_kind: bool,
    refuses: Option<Span>,
    facts: &Facts,
    errors: &mut Errors,
) {
    let mut wrong = |message: &str| errors.add(attribute, message);
    if is_kind {
        wrong("a kind is an object of its own: remove `#[flattened]` or `#[kind(…)]`");
    }
    if refuses.is_some() || fields.iter().any(|field| field.attributes.rest.is_some()) {
        wrong(
            "the object around a flattened one determines what becomes of unknown fields: write `rest` or `#[unknown(refuse)]` there",
        );
    }
    if facts.span().is_some() {
        wrong("a flattened object has no schema of its own: write `#[object(…)]` on the object around it");
    }
    if fields.iter().any(|field| !field.number().is_empty()) {
        wrong("protobuf cannot contain a flattened object: remove the numbers of its fields");
    }
}

/// Checks that each number belongs to one field, and that a number is either a field or a nested
/// message.
fn check_numbers(fields: &[Field], errors: &mut Errors) {
    let mut taken: HashMap<Vec<u32>, &Ident> = HashMap::new();
    let mut messages: HashMap<Vec<u32>, &Ident> = HashMap::new();
    for field in fields {
        let number = field.number();
        let Some(span) = field.attributes.number.last() else { continue };
        let text = number.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let outer = || (1..number.len()).map(|depth| &number[..depth]);
        if let Some(other) = taken.get(&number) {
            let text = format!("the protobuf number {text} is already used by `{other}`; use another number");
            errors.add(span, text);
        } else if let Some(other) = messages.get(&number) {
            let text = format!(
                "the protobuf number {text} is already used by the message that contains `{other}`; use another \
                 number"
            );
            errors.add(span, text);
        } else if let Some(other) = outer().find_map(|outer| taken.get(outer)) {
            let text = format!(
                "the protobuf number {text} is inside a message whose number is already used by `{other}`; use \
                 another number"
            );
            errors.add(span, text);
        }
        for outer in outer() {
            messages.entry(outer.to_vec()).or_insert(&field.ident);
        }
        taken.entry(number).or_insert(&field.ident);
    }
}

/// Checks that every field has a number if some do. Protobuf loses a field without a number, so that
/// `number = none` must be explicit. Two sorts of fields need no number: `apiVersion` and `kind` are in
/// the envelope, and fields with `until` may be older than upstream's numbers.
fn check_unnumbered(fields: &[Field], errors: &mut Errors) {
    let Some(highest) = fields.iter().filter_map(|field| field.number().first().copied()).max() else {
        return;
    };
    let mut lost: Vec<&Field> = fields
        .iter()
        .filter(|field| {
            let attributes = &field.attributes;
            // The rest and flattened objects are errors of their own.
            let is_unnumbered = attributes.unnumbered || !field.is_named();
            attributes.number.is_empty() && !is_unnumbered && attributes.until.is_none()
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
                "`{}` has no protobuf number, but other fields have one, so protobuf would lose it: add \
                 `#[field(number = {free})]`, or `#[field(number = none)]` to store kinds with this type as JSON",
                field.name
            ),
        );
    }
}
