//! Checks that the facts about properties match their types.

use std::collections::{BTreeMap, HashSet};

use hubgen_model::{Api, Field, ListType, Presence, Type, TypeExpr, TypeId};

use super::Faults;

pub(super) fn check(api: &Api, faults: &mut Faults) {
    for ty in api.types() {
        numbers(ty, faults);
        for field in ty.fields() {
            default(ty, field, faults);
            keys(api, ty, field, faults);
            if is_infinite(api, ty, field) {
                faults.field(
                    &ty.id,
                    &field.name,
                    format!(
                        "`{}` contains itself without a pointer, so its objects would be infinite",
                        ty.id.name
                    ),
                    "give the property `\"x-presence\": \"pointer\"`, or make it a list",
                );
            }
        }
    }
}

/// Whether a type contains itself without a pointer, which is an error of the schemas.
pub fn has_infinite_types(api: &Api) -> bool {
    api.types().any(|ty| ty.fields().iter().any(|field| is_infinite(api, ty, field)))
}

/// Checks that protobuf numbers are in range, and that no two fields have the same.
fn numbers(ty: &Type, faults: &mut Faults) {
    let mut taken: BTreeMap<&[u32], &str> = BTreeMap::new();
    for field in ty.fields().iter().filter(|field| !field.number.is_empty()) {
        if field.is_nullable() {
            faults.field(
                &ty.id,
                &field.name,
                "a nullable property has a protobuf number, but protobuf has no `null`".to_owned(),
                "remove `x-number`, or the presence `nullable`",
            );
        }
        let is_valid =
            |number: &u32| (1..=536_870_911).contains(number) && !(19_000..=19_999).contains(number);
        if let Some(number) = field.number.iter().find(|number| !is_valid(number)) {
            faults.field(
                &ty.id,
                &field.name,
                format!("{number} is not a valid protobuf number"),
                "use a number from 1 to 536870911, but not from 19000 to 19999",
            );
        }
        if let Some(other) = taken.insert(&field.number, &field.name) {
            let number: Vec<_> = field.number.iter().map(u32::to_string).collect();
            faults.field(
                &ty.id,
                &field.name,
                format!("the protobuf number {} is also the number of `{other}`", number.join(", ")),
                "give each property a number that no other property has or had",
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
            format!("the default {value} does not match the property's type"),
            "write the default as it appears in an object",
        );
    }
}

/// Checks that the keys of list elements are properties of the elements.
fn keys(api: &Api, ty: &Type, field: &Field, faults: &mut Faults) {
    // Lists of objects are never merged, and upstream publishes odd keys for some.
    if ty.is_list() {
        return;
    }
    let TypeExpr::List(element) = &field.ty else {
        if field.list_type.is_some() && field.ty != TypeExpr::Bytes {
            faults.field(
                &ty.id,
                &field.name,
                "`x-kubernetes-list-type` on a property that is not a list".to_owned(),
                "remove it",
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
            format!("`{key}` is a key of the list, but not a property of its elements"),
            "use properties of the elements as keys",
        );
    }
}

/// Whether a type contains itself through this property and others that are never absent.
fn is_infinite(api: &Api, ty: &Type, field: &Field) -> bool {
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
