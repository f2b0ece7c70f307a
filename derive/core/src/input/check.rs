//! Checks what attributes say together: about several fields, or about a field and its object.

use std::collections::HashMap;

use proc_macro2::Span;
use syn::{Attribute, Ident, Type};

use super::Field;
use crate::attributes::FieldAttributes;
use crate::errors::Errors;
use crate::facts::Facts;
use crate::keys::FieldKey;

/// Checks that JSON names and protobuf numbers are unique, and that all fields have a protobuf number
/// or none has one.
pub(super) fn check(fields: &[Field], errors: &mut Errors) {
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
pub(super) fn check_rest(fields: &[Field], refuses: Option<Span>, errors: &mut Errors) {
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
pub(super) fn check_flatten(fields: &[Field], errors: &mut Errors) {
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
pub(super) fn check_flattened(
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
pub(super) fn check_numbers(fields: &[Field], errors: &mut Errors) {
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
pub(super) fn check_unnumbered(fields: &[Field], errors: &mut Errors) {
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
