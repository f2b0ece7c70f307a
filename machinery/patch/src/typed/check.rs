use std::collections::BTreeSet;

use hubgen_machinery::reflect::Described;
use serde_json::Value;

use super::error::{ItemError, TypedError};
use super::item::element;
use super::place::{By, Place, Types};
use crate::fields::Element;

/// Checks that the items of all lists of an object can be told apart, as its type specifies. Lists inside of what is
/// owned as a whole are checked, too.
///
/// # Errors
/// If they cannot. Two items that are the same are an error unless `allows_duplicates` is set.
pub fn check(of: &Described, object: &Value, allows_duplicates: bool) -> Result<(), TypedError> {
    let types = Types(of);
    walk(types, types.root(), object, allows_duplicates)
}

fn walk<'a>(
    types: Types<'a>,
    place: Place<'a>,
    value: &Value,
    allows_duplicates: bool,
) -> Result<(), TypedError> {
    let inner = |place, value, behind: &dyn std::fmt::Display| {
        walk(types, place, value, allows_duplicates).map_err(|error| error.behind(behind))
    };
    match (place, value) {
        (Place::Object { members, .. }, Value::Object(object)) => {
            for (name, value) in object {
                if let Some(place) = types.member(members, name) {
                    inner(place, value, &format_args!(".{name}"))?;
                }
            }
        }
        (Place::List(list), Value::Array(items)) => {
            let mut seen: BTreeSet<Element> = BTreeSet::new();
            for (index, item) in items.iter().enumerate() {
                if !matches!(list.by, By::Nothing) {
                    let element = element(types, list, item).map_err(|why| TypedError::of(index, why))?;
                    if !allows_duplicates && seen.contains(&element) {
                        let why = ItemError::Duplicate(element.to_string());
                        return Err(TypedError::of(index, why));
                    }
                    seen.insert(element);
                }
                inner(types.item(list), item, &format_args!("[{index}]"))?;
            }
        }
        _ => {}
    }
    Ok(())
}
