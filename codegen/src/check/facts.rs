//! What is said of properties fits their types.

use std::collections::{BTreeMap, HashSet};

use hubgen_model::{Api, Field, ListType, Presence, Type, TypeExpr, TypeId, family};
use serde_json::Value;

use super::Faults;

pub(super) fn check(api: &Api, faults: &mut Faults) {
    for ty in api.types() {
        numbers(ty, faults);
        for field in ty.fields() {
            default(ty, field, faults);
            keys(api, ty, field, faults);
            if is_endless(api, ty, field) {
                faults.field(
                    &ty.id,
                    &field.name,
                    format!("`{}` contains itself, always: no object of it would ever end", ty.id.name),
                    "give the property `\"x-presence\": \"pointer\"`, or make it a list",
                );
            }
        }
    }
}

/// Protobuf numbers are in range, and no two fields have the same.
fn numbers(ty: &Type, faults: &mut Faults) {
    let mut taken: BTreeMap<&[u32], &str> = BTreeMap::new();
    for field in ty.fields().iter().filter(|field| !field.number.is_empty()) {
        let is_valid =
            |number: &u32| (1..=536_870_911).contains(number) && !(19_000..=19_999).contains(number);
        if let Some(number) = field.number.iter().find(|number| !is_valid(number)) {
            faults.field(
                &ty.id,
                &field.name,
                format!("{number} is no protobuf number"),
                "they go from 1 to 536870911, without 19000 to 19999",
            );
        }
        if let Some(other) = taken.insert(&field.number, &field.name) {
            let number: Vec<_> = field.number.iter().map(u32::to_string).collect();
            faults.field(
                &ty.id,
                &field.name,
                format!("`{other}` has the protobuf number {} already", number.join(", ")),
                "give each property a number of its own, and never one that was in use before",
            );
        }
    }
}

fn default(ty: &Type, field: &Field, faults: &mut Faults) {
    if let Some(value) = &field.default
        && !fits(&field.ty, value)
    {
        faults.field(
            &ty.id,
            &field.name,
            format!("the default {value} does not fit the property's type"),
            "write the default as an object would have it",
        );
    }
}

/// Whether JSON of that form can be read as the type. Names inside objects
/// are not looked at.
pub(crate) fn fits(ty: &TypeExpr, value: &Value) -> bool {
    match ty {
        TypeExpr::Bool => value.is_boolean(),
        TypeExpr::Int32 => value.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
        TypeExpr::Int64 => value.is_i64(),
        TypeExpr::Double => value.is_number(),
        TypeExpr::String | TypeExpr::Bytes | TypeExpr::Time | TypeExpr::MicroTime | TypeExpr::Duration => {
            value.is_string()
        }
        TypeExpr::Quantity => value.is_string() || value.is_number(),
        TypeExpr::IntOrString => value.is_i64() || value.is_string(),
        TypeExpr::Raw(_) => true,
        TypeExpr::Strings => fits(&TypeExpr::List(Box::new(TypeExpr::String)), value),
        TypeExpr::Ref(_) => value.is_object(),
        TypeExpr::List(element) => {
            value.as_array().is_some_and(|elements| elements.iter().all(|value| fits(element, value)))
        }
        TypeExpr::Map(element) => {
            value.as_object().is_some_and(|members| members.values().all(|value| fits(element, value)))
        }
        TypeExpr::OrBool(other) => value.is_boolean() || fits(other, value),
        TypeExpr::OrArray(other) => {
            fits(other, value)
                || value.as_array().is_some_and(|list| list.iter().all(|value| fits(other, value)))
        }
        TypeExpr::OrStrings(other) => fits(&TypeExpr::Strings, value) || fits(other, value),
    }
}

/// The keys by which elements are told apart are properties of them.
fn keys(api: &Api, ty: &Type, field: &Field, faults: &mut Faults) {
    // Nobody merges a list of objects, and upstream names odd keys for some.
    if family::is_list(ty) {
        return;
    }
    let TypeExpr::List(element) = &field.ty else {
        if field.list_type.is_some() && field.ty != TypeExpr::Bytes {
            faults.field(
                &ty.id,
                &field.name,
                "a list type on what is no list".to_owned(),
                "remove `x-kubernetes-list-type`",
            );
        }
        return;
    };
    let mut keys: Vec<&String> = match &field.list_type {
        Some(ListType::Map(keys)) => keys.iter().collect(),
        _ => Vec::new(),
    };
    keys.extend(field.patch.iter().filter_map(|patch| patch.merge_key.as_ref()));
    let element = match &**element {
        TypeExpr::Ref(id) => api.find(id),
        _ => None,
    };
    keys.retain(|key| element.is_none_or(|element| element.field(key).is_none()));
    keys.dedup();
    for key in keys {
        faults.field(
            &ty.id,
            &field.name,
            format!("elements are told apart by `{key}`, which is no property of theirs"),
            "name properties of the list's elements as its keys",
        );
    }
}

/// Whether a type contains itself by this property and others that are never
/// absent.
fn is_endless(api: &Api, ty: &Type, field: &Field) -> bool {
    let target = |field: &Field| match &field.ty {
        TypeExpr::Ref(id) if field.presence == Presence::Value => Some(id.clone()),
        _ => None,
    };
    let mut seen: HashSet<TypeId> = HashSet::new();
    let mut todo: Vec<TypeId> = target(field).into_iter().collect();
    while let Some(id) = todo.pop() {
        if id == ty.id {
            return true;
        }
        let fields = api.find(&id).map(Type::fields).unwrap_or_default();
        if seen.insert(id) {
            todo.extend(fields.iter().filter_map(target));
        }
    }
    false
}
