//! What is said of properties fits their types.

use std::collections::{BTreeMap, HashSet};

use hubgen_model::{Api, Field, ListType, Presence, Type, TypeExpr, TypeId};

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
        && !field.ty.fits(value)
    {
        faults.field(
            &ty.id,
            &field.name,
            format!("the default {value} does not fit the property's type"),
            "write the default as an object would have it",
        );
    }
}

/// The keys by which elements are told apart are properties of them.
fn keys(api: &Api, ty: &Type, field: &Field, faults: &mut Faults) {
    // Nobody merges a list of objects, and upstream names odd keys for some.
    if ty.is_list() {
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
