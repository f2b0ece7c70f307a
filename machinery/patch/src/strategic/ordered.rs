//! The directive `$setElementOrder`, which names all items of a list in their order.

use serde_json::{Map, Value};

use super::list;
use super::order::{Key, arrange, no_merge_key};
use super::place::{Place, Strategy};
use super::{ORDER, PATCH, of_directive, without_directives};
use crate::Error;

/// Carries out the directives `$setElementOrder`, and merges the lists that they are about. Both are taken from the patch.
pub(super) fn merge(
    object: &mut Map<String, Value>,
    patch: &mut Map<String, Value>,
    place: &Place,
) -> Result<(), Error> {
    let directives: Vec<String> = patch.keys().filter(|name| name.starts_with(ORDER)).cloned().collect();
    for directive in directives {
        let wanted = match patch.shift_remove(&directive) {
            Some(Value::Array(wanted)) => wanted,
            other => return Err(no_list(other.as_ref())),
        };
        let name = of_directive(&directive[ORDER.len()..], ORDER)?;
        let list = |members: &Map<String, Value>| match members.get(&name) {
            None => Ok(None),
            Some(Value::Array(items)) => Ok(Some(items.clone())),
            Some(other) => Err(no_list(Some(other))),
        };
        let (old, new) = (list(object)?, list(patch)?);
        let (items, strategy, key) = place.list(&name)?;
        let key = key.as_deref();
        check_order(new.as_deref().unwrap_or_default(), &wanted, key)?;
        let merged = match (&old, new) {
            (None, None) => continue,
            (Some(old), None) => old.clone(),
            (None, Some(new)) => match without_directives(Value::Array(new)) {
                Some(Value::Array(new)) => new,
                _ => continue,
            },
            (Some(old), Some(new)) if strategy == Strategy::Merge => {
                list::merge(old.clone(), new, &items, key, false)?
            }
            (Some(_), Some(new)) => new,
        };
        let key = key.map_or(Key::Itself, Key::Member);
        let arranged = arrange(merged, &wanted, old.as_deref().unwrap_or_default(), key)?;
        patch.shift_remove(&name);
        object.insert(name, Value::Array(arranged));
    }
    Ok(())
}

fn no_list(found: Option<&Value>) -> Error {
    let found = match found {
        Some(Value::Object(_)) => "map[string]interface {}",
        Some(Value::String(_)) => "string",
        Some(Value::Bool(_)) => "bool",
        Some(Value::Number(_)) => "int64",
        _ => "%!s(<nil>)",
    };
    Error::Misused(format!("expected a []interface {{}}, but received a {found}"))
}

/// Checks that the items of a patch have the order that its directive wants, which names all of them.
fn check_order(patch: &[Value], wanted: &[Value], key: Option<&str>) -> Result<(), Error> {
    if patch.is_empty() || wanted.is_empty() {
        return Ok(());
    }
    let mut order = wanted.iter();
    for item in patch.iter().filter(|item| item.get(PATCH).is_none()) {
        let named = match key {
            None => order.any(|wanted| wanted == item),
            Some(key) => {
                let of = |item: &Value| {
                    let members = item.as_object().cloned().unwrap_or_default();
                    members.get(key).cloned().ok_or_else(|| no_merge_key(&members, key))
                };
                let item = of(item)?;
                let mut found = false;
                for wanted in order.by_ref() {
                    if of(wanted)? == item {
                        found = true;
                        break;
                    }
                }
                found
            }
        };
        if !named {
            let (patch, wanted) = (Value::from(patch), Value::from(wanted));
            return Err(Error::Misused(format!(
                "The order in patch list:\n{patch}\n doesn't match {ORDER} list:\n{wanted}\n"
            )));
        }
    }
    Ok(())
}
