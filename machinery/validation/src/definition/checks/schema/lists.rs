//! Checks `x-kubernetes-list-type`, its keys, and `x-kubernetes-map-type`.

use std::collections::HashSet;

use serde_json::Value;

use super::Strictness;
use super::structural::needed;
use crate::compile::lists::{KEYS, LIST_TYPE, MAP_TYPE};
use crate::definition::checks::props::{Items, Props};
use crate::definition::checks::shown;
use crate::error::FieldError;

pub(super) fn check(schema: Props<'_>, path: &str, strictness: &Strictness, found: &mut Vec<FieldError>) {
    let at = |keyword: &str| format!("{path}.{keyword}");
    let (ty, list_type, map_type) = (schema.ty(), schema.word(LIST_TYPE), schema.word(MAP_TYPE));
    if map_type.is_some() && ty != "object" {
        found.push(needed(at("type"), ty, &format!("must be object if {MAP_TYPE} is specified")));
    }
    not_one_of(map_type, at(MAP_TYPE), &["atomic", "granular"], found);
    if list_type.is_some() && ty != "array" {
        found.push(needed(at("type"), ty, &format!("must be array if {LIST_TYPE} is specified")));
    } else if strictness.sets
        && list_type == Some("set")
        && let Some((keyword, item)) = not_atomic(schema)
    {
        // The API server shows the type of a list also where that of an object is wrong.
        let shown = item.word(LIST_TYPE).map_or(Value::Null, Value::from);
        let why = "must be atomic as item of a list with x-kubernetes-list-type=set";
        found.push(FieldError::invalid(format!("{path}.items.{keyword}"), &shown, why));
    }
    not_one_of(list_type, at(LIST_TYPE), &["atomic", "set", "map"], found);
    let keys: Vec<&str> = schema.words(KEYS).collect();
    if !keys.is_empty() && list_type != Some("map") {
        let why = "must be map if x-kubernetes-list-map-keys is non-empty";
        found.push(match list_type {
            None => FieldError::required(at(LIST_TYPE), why),
            Some(list_type) => FieldError::invalid_text(at(LIST_TYPE), list_type, why),
        });
    }
    if list_type == Some("map") {
        map(schema, &keys, path, found);
    }
    if strictness.keys {
        found.extend(not_always_there(schema, path));
    }
}

fn not_one_of(word: Option<&str>, path: String, known: &[&str], found: &mut Vec<FieldError>) {
    if let Some(word) = word.filter(|word| !known.contains(word)) {
        found.push(FieldError::not_supported(path, &word.into(), known.iter().copied()));
    }
}

/// The items of a set that are neither scalar nor atomic, with the keyword that should say it.
pub(crate) fn not_atomic(set: Props<'_>) -> Option<(&'static str, Props<'_>)> {
    let item = set.item()?;
    let keyword = match item.ty() {
        "array" if item.word(LIST_TYPE).is_some_and(|ty| ty != "atomic") => LIST_TYPE,
        "object" if item.word(MAP_TYPE) != Some("atomic") => MAP_TYPE,
        _ => return None,
    };
    Some((keyword, item))
}

/// The keys of a map must be scalar properties of its items.
fn map(schema: Props<'_>, keys: &[&str], path: &str, found: &mut Vec<FieldError>) {
    let path_of_keys = format!("{path}.{KEYS}");
    if keys.is_empty() {
        let why = "must not be empty if x-kubernetes-list-type is map";
        found.push(FieldError::required(&path_of_keys, why));
    }
    let items = format!("{path}.items");
    let item = match schema.items() {
        Items::Absent => {
            found.push(FieldError::required(items, "must have a schema if x-kubernetes-list-type is map"));
            return;
        }
        Items::Many(all) => {
            let why = "must only have a single schema if x-kubernetes-list-type is map";
            found.push(FieldError::invalid_shown(items, &shown::items(all), why));
            return;
        }
        Items::One(item) => item,
    };
    let ty = item.ty();
    if ty != "object" {
        let why = "must be object if parent array's x-kubernetes-list-type is map";
        found.push(FieldError::invalid_text(format!("{items}.type"), ty, why));
        return;
    }
    let shown: Value = keys.into();
    let mut seen = HashSet::new();
    for key in keys {
        match item.property(key) {
            None => {
                let why = "entries must all be names of item properties";
                found.push(FieldError::invalid(&path_of_keys, &shown, why));
            }
            Some(property) if matches!(property.ty(), "array" | "object") => {
                let why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                let path = format!("{items}.properties[{key}].type");
                found.push(FieldError::invalid_text(path, ty, why));
            }
            Some(_) => {}
        }
        if !seen.insert(*key) {
            found.push(FieldError::invalid(&path_of_keys, &shown, "must not contain duplicate entries"));
        }
    }
}

/// What may be absent or null of the items of a set or a map, although it tells them apart.
pub(crate) fn not_always_there(schema: Props<'_>, path: &str) -> Vec<FieldError> {
    let mut found = Vec::new();
    let (Some(list_type @ ("set" | "map")), Some(item)) = (schema.word(LIST_TYPE), schema.item()) else {
        return found;
    };
    if item.is("nullable") {
        let why = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        found.push(FieldError::forbidden(format!("{path}.items.nullable"), &why));
    }
    for key in schema.words(KEYS).filter(|_| list_type == "map") {
        let Some(property) = item.property(key) else { continue };
        let path = format!("{path}.items.properties[{key}]");
        if !property.has("default") && item.words("required").all(|name| name != key) {
            let why = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
            found.push(FieldError::required(format!("{path}.default"), why));
        }
        if property.is("nullable") {
            let why = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
            found.push(FieldError::forbidden(format!("{path}.nullable"), why));
        }
    }
    found
}
