//! Fields that are the same whether they are empty or absent.

use hubgen_model::{Field, Omit, Presence, Type, TypeExpr};

use super::ops::{Absence, Op, Parent, When};
use super::path::join;
use super::refusal::Refusal;
use super::{Pair, ResolvedPath};
use crate::Types;

/// Checks that a rule can specify it of a field.
///
/// # Errors
/// When the field is never absent, or when its JSON does not tell whether it is empty.
pub(super) fn check(types: Types<'_>, place: &ResolvedPath) -> Result<(), Refusal> {
    let field = place.field();
    if field.is_rest() {
        return Err("`empty-is-absent` needs a field, and `*` stands for unknown ones".to_owned().into());
    }
    if !field.may_be_absent() {
        let message = match field.required {
            true => format!("{place} is required, so an object without it is not valid"),
            false => format!("{place} is the same by its type, whether it is empty or absent"),
        };
        let help = "remove the path, or name the optional object around it";
        return Err(Refusal { message, help: help.to_owned() });
    }
    let mut opaque = Vec::new();
    find_opaque(types, &field.ty, &place.to_string(), &mut opaque);
    match opaque.first() {
        Some((path, ty)) => Err(Refusal {
            message: format!("`empty-is-absent` cannot tell whether {path} is empty, which is {ty}"),
            help: "remove the path: texts, numbers, lists, maps and objects of these can be empty".to_owned(),
        }),
        None => Ok(()),
    }
}

/// Whether the JSON of an empty value of a type is known: `""`, `0`, `false`, `[]` or `{}`.
fn is_clear(ty: &TypeExpr) -> bool {
    ty.has_empty() || matches!(ty, TypeExpr::Ref(_))
}

/// Finds values whose JSON does not tell whether they are empty: one of the type, or fields that are in every object of
/// it.
fn find_opaque<'a>(types: Types<'a>, ty: &'a TypeExpr, path: &str, out: &mut Vec<(String, &'a TypeExpr)>) {
    if !is_clear(ty) {
        out.push((path.to_owned(), ty));
    }
    for field in always_there(types, ty) {
        find_opaque(types, &field.ty, &join(path, &field.name), out);
    }
}

/// The fields that every object of a type has in Rust.
fn always_there<'a>(types: Types<'a>, ty: &TypeExpr) -> impl Iterator<Item = &'a Field> {
    let object = match ty {
        TypeExpr::Ref(id) => types.find(id),
        _ => None,
    };
    object.into_iter().flat_map(Type::named).filter(|field| !field.may_be_absent())
}

/// The members of an object that does not count as filled by them, if they are empty: its type cannot tell them from
/// absent ones. Paths begin at the object.
pub(crate) fn zeros(types: Types<'_>, ty: &TypeExpr) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    for field in always_there(types, ty) {
        out.push(vec![field.name.clone()]);
        for below in zeros(types, &field.ty) {
            out.push([vec![field.name.clone()], below].concat());
        }
    }
    out
}

/// The members of an object that are `null` in JSON if they are absent. Paths begin at the object.
pub(crate) fn nulls(types: Types<'_>, ty: &TypeExpr) -> Vec<Vec<String>> {
    let TypeExpr::Ref(id) = ty else { return Vec::new() };
    let fields = types.find(id).into_iter().flat_map(Type::named).filter(|field| is_null(field));
    let mut out: Vec<Vec<String>> = fields.map(|field| vec![field.name.clone()]).collect();
    for field in always_there(types, ty) {
        let below = nulls(types, &field.ty).into_iter();
        out.extend(below.map(|below| [vec![field.name.clone()], below].concat()));
    }
    out
}

/// Whether JSON contains a field as `null` where it has no value.
pub(crate) fn is_null(field: &Field) -> bool {
    field.presence == Presence::Pointer && field.omit == Omit::Exact
}

/// Whether a rule about a field of the version changes what the programs do.
pub(super) fn has_effect(pair: &Pair, place: &ResolvedPath) -> bool {
    let is_copied = |op: &Op| {
        let Op::Copy(copy) = op else { return false };
        copy.from == *place && copy.absence == Absence::EmptyIsAbsent
    };
    let is_parent = |parent: &Parent| parent.path == *place && matches!(parent.when, When::EmptyIsAbsent(_));
    pair.to_hub.ops.iter().any(is_copied) || pair.from_hub.parents.iter().any(is_parent)
}

/// The JSON of an empty value.
pub(crate) fn json(ty: &TypeExpr) -> &'static str {
    match ty {
        TypeExpr::Bool => "false",
        TypeExpr::String | TypeExpr::Bytes => "\"\"",
        TypeExpr::List(_) | TypeExpr::Strings => "[]",
        TypeExpr::Map(_) | TypeExpr::Ref(_) => "{}",
        TypeExpr::Quantity => "\"0\"",
        ty if ty.has_empty() || *ty == TypeExpr::IntOrString => "0",
        _ => "null",
    }
}
