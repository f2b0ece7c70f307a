//! Merges lists item by item.

use serde_json::Value;

use super::order::{self, Key, no_merge_key};
use super::place::Place;
use super::{PATCH, merge_object, unknown_directive};
use crate::Error;

/// Merges a list of a patch into a list, or deletes its values from it. The items have a merge key if they are objects.
pub(super) fn merge(
    old: Vec<Value>,
    patch: Vec<Value>,
    items: &Place,
    key: Option<&str>,
    deletes: bool,
) -> Result<Vec<Value>, Error> {
    let Some(first) = old.first().or(patch.first()) else { return Ok(old) };
    check_types(&old, &patch)?;
    if !first.is_object() {
        return Ok(if deletes {
            old.into_iter().filter(|item| !patch.contains(item)).collect()
        } else {
            merge_values(&old, &patch)
        });
    }
    let Some(key) = key else {
        let name = items.name();
        return Err(Error::Misused(format!("cannot merge lists without merge key for {name}")));
    };
    let (old, patch) = with_special_items(old, patch, key)?;
    let merged = merge_objects(old.clone(), &patch, items, key)?;
    order::arrange(merged, &patch, &old, Key::Member(key))
}

/// All items must be of one type, which is not a list.
fn check_types(old: &[Value], patch: &[Value]) -> Result<(), Error> {
    let mut all = old.iter().chain(patch);
    let Some(first) = all.next() else { return Ok(()) };
    if first.is_array() {
        return Err(Error::Inapplicable("lists of lists are not supported".to_owned()));
    }
    if all.any(|item| std::mem::discriminant(item) != std::mem::discriminant(first)) {
        let lists = Value::from(vec![old.to_vec(), patch.to_vec()]);
        return Err(Error::Misused(format!("list element types are not identical: {lists}")));
    }
    Ok(())
}

/// The union of two lists of values, those of the patch in its order.
fn merge_values(old: &[Value], patch: &[Value]) -> Vec<Value> {
    let mut merged: Vec<Value> = Vec::new();
    for item in old.iter().chain(patch) {
        if !merged.contains(item) {
            merged.push(item.clone());
        }
    }
    // Values are their own keys, so nothing can be missing.
    order::arrange(merged, patch, old, Key::Itself).unwrap_or_default()
}

/// Carries out the items with the directive `$patch`. Returns the old items, and those of the patch without a directive.
fn with_special_items(
    mut old: Vec<Value>,
    patch: Vec<Value>,
    key: &str,
) -> Result<(Vec<Value>, Vec<Value>), Error> {
    let mut usual = Vec::new();
    let mut replaces = false;
    for item in patch {
        let Value::Object(members) = &item else { continue };
        match members.get(PATCH).map(|directive| (directive, directive.as_str())) {
            None => usual.push(item),
            Some((_, Some("delete"))) => {
                let wanted = members.get(key).ok_or_else(|| no_merge_key(members, key))?;
                old.retain(|item| item.get(key) != Some(wanted));
            }
            Some((_, Some("replace"))) => replaces = true,
            Some((_, Some("merge"))) => {
                return Err(Error::Misused("merging lists cannot yet be specified in the patch".to_owned()));
            }
            Some((directive, _)) => return Err(unknown_directive(directive, members)),
        }
    }
    Ok(if replaces { (usual, Vec::new()) } else { (old, usual) })
}

/// Merges each item of the patch into the first old one with its key, or appends it.
fn merge_objects(
    mut old: Vec<Value>,
    patch: &[Value],
    items: &Place,
    key: &str,
) -> Result<Vec<Value>, Error> {
    for item in patch {
        let Value::Object(members) = item else { continue };
        let wanted = members.get(key).ok_or_else(|| no_merge_key(members, key))?;
        match old.iter_mut().find(|item| item.get(key) == Some(wanted)) {
            Some(Value::Object(found)) => {
                *found = merge_object(std::mem::take(found), members.clone(), items)?
            }
            _ => old.push(item.clone()),
        }
    }
    Ok(old)
}
