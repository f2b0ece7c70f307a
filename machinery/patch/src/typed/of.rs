use std::collections::BTreeMap;

use hubgen_machinery::reflect::Described;
use serde_json::Value;

use super::error::TypedError;
use super::item::element;
use super::place::{By, List, Members, Place, Types};
use crate::fields::{Element, Set};

/// The fields of an object of a type: all leaves, the items of lists, and the members of maps.
///
/// # Errors
/// If an item of a list cannot be told from others, as its type specifies.
pub fn fields(of: &Described, object: &Value) -> Result<Set, TypedError> {
    let types = Types(of);
    inside(types, types.root(), object).map(|(set, _)| set)
}

/// The fields inside a value, and whether the value itself is a field.
fn inside<'a>(types: Types<'a>, place: Place<'a>, value: &Value) -> Result<(Set, bool), TypedError> {
    match (place, value) {
        (Place::Leaf(_), _) => Ok((Set::EMPTY, true)),
        (Place::Any, Value::Object(_) | Value::Null) => object(types, None, value),
        (Place::Any, _) => Ok((Set::EMPTY, true)),
        (Place::Object { is_atomic: true, .. }, _) => Ok((Set::EMPTY, true)),
        (Place::Object { members, .. }, _) => object(types, Some(members), value),
        (Place::List(list), _) if matches!(list.by, By::Nothing) => Ok((Set::EMPTY, true)),
        (Place::List(list), Value::Array(items)) => of_list(types, list, items),
        (Place::List(_), _) => Ok((Set::EMPTY, false)),
    }
}

fn object<'a>(
    types: Types<'a>,
    members: Option<Members<'a>>,
    value: &Value,
) -> Result<(Set, bool), TypedError> {
    let (mut itself, mut children) = (Vec::new(), Vec::new());
    for (name, value) in value.as_object().into_iter().flatten() {
        let known = members.and_then(|members| types.member(members, name));
        let is_named = known.is_some() && matches!(members, Some(Members::Struct(_)));
        let element = Element::field(name);
        let place = known.unwrap_or(Place::Any);
        let (child, is_field) = inside(types, place, value).map_err(|error| error.behind(&element))?;
        let is_empty = value.is_null() || value.as_object().is_some_and(|members| members.is_empty());
        if is_field || is_empty || !is_named {
            itself.push(element.clone());
        }
        children.push((element, child));
    }
    Ok((Set::of(itself, children), false))
}

/// The items of a list. Several of the same element are one field.
fn of_list<'a>(types: Types<'a>, list: List<'a>, items: &[Value]) -> Result<(Set, bool), TypedError> {
    let mut by_element: BTreeMap<Element, (&Value, bool)> = BTreeMap::new();
    for (index, item) in items.iter().enumerate() {
        let element = element(types, list, item).map_err(|why| TypedError::of(index, why))?;
        by_element.entry(element).and_modify(|(_, is_several)| *is_several = true).or_insert((item, false));
    }
    let (mut itself, mut children) = (Vec::new(), Vec::new());
    for (element, (item, is_several)) in by_element {
        itself.push(element.clone());
        if !is_several {
            let (child, _) = inside(types, types.item(list), item).map_err(|error| error.behind(&element))?;
            children.push((element, child));
        }
    }
    Ok((Set::of(itself, children), false))
}
