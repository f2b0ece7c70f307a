//! Strategic merge patches: merge patches that know the type.
//!
//! What a list becomes depends on its type. A list with the strategy `merge` is merged item by item: objects by their
//! merge key, other values as a set. Any other list is replaced. Directives in the patch say what else is to be done:
//!
//! | directive | meaning |
//! | --- | --- |
//! | `$patch: replace` | the object, or the list around it, becomes what the patch has |
//! | `$patch: delete` | the object becomes empty, or the item of a list goes |
//! | `$retainKeys: [names]` | other members go |
//! | `$deleteFromPrimitiveList/name: [values]` | these values of the list go |
//! | `$setElementOrder/name: [keys]` | the order of the list |

mod list;
mod order;
mod ordered;
mod place;

use hubgen_machinery::reflect::Described;
use serde_json::{Map, Value};

use self::place::{Place, Strategy};
use crate::Error;
use crate::merge::remove_nulls;

const PATCH: &str = "$patch";
const RETAIN: &str = "$retainKeys";
const DELETE_FROM: &str = "$deleteFromPrimitiveList";
const ORDER: &str = "$setElementOrder";

/// Applies a strategic merge patch to an object of a type.
///
/// ```
/// use hubgen_machinery::ApiType;
/// use hubgen_machinery::reflect::Reflect;
/// use serde_json::json;
///
/// #[derive(ApiType)]
/// struct Pod {
///     #[field(list = map("name"), patch = "merge", merge_key = "name")]
///     containers: Vec<Container>,
/// }
///
/// #[derive(ApiType)]
/// struct Container {
///     name: String,
///     image: String,
/// }
///
/// let object = json!({"containers": [{"name": "a", "image": "one"}, {"name": "b", "image": "one"}]});
/// let patch = json!({"containers": [{"name": "b", "image": "two"}]});
/// let patched = hubgen_patch::strategic(object, patch, &Pod::default().descriptor().share())?;
/// assert_eq!(patched, json!({"containers": [{"name": "a", "image": "one"}, {"name": "b", "image": "two"}]}));
/// # Ok::<_, hubgen_patch::Error>(())
/// ```
///
/// # Errors
/// [`Error::Malformed`], [`Error::Inapplicable`] and [`Error::Misused`].
pub fn strategic(object: Value, patch: Value, of: &Described) -> Result<Value, Error> {
    let (Value::Object(object), Value::Object(patch)) = (object, patch) else {
        return Err(Error::Malformed("expected a patch that is an object".to_owned()));
    };
    merge_object(object, patch, &Place::Struct(of.clone())).map(Value::Object)
}

/// Merges an object of a patch into an object at a place.
fn merge_object(
    mut object: Map<String, Value>,
    mut patch: Map<String, Value>,
    place: &Place,
) -> Result<Map<String, Value>, Error> {
    if let Some(directive) = patch.get(PATCH) {
        return match directive.as_str() {
            Some("replace") => {
                patch.shift_remove(PATCH);
                Ok(patch)
            }
            Some("delete") => Ok(Map::new()),
            _ => Err(unknown_directive(directive, &patch)),
        };
    }
    retain_keys(&mut object, &mut patch)?;
    ordered::merge(&mut object, &mut patch, place)?;
    for (name, mut value) in patch {
        let (name, deletes) = match name.strip_prefix(DELETE_FROM) {
            Some(rest) => (of_directive(rest, DELETE_FROM)?, true),
            None => (name, false),
        };
        if value.is_null() {
            object.shift_remove(&name);
            continue;
        }
        let merged = match (object.get_mut(&name).map(Value::take), value) {
            (Some(Value::Object(old)), Value::Object(new)) => {
                let (inner, strategy, _) = place.member(&name)?;
                Some(Value::Object(match strategy {
                    Strategy::Replace => new,
                    _ => merge_object(old, new, &inner)?,
                }))
            }
            (Some(Value::Array(old)), Value::Array(new)) => {
                let (items, strategy, key) = place.list(&name)?;
                Some(Value::Array(match strategy {
                    _ if deletes => list::merge(old, new, &items, key.as_deref(), true)?,
                    Strategy::Merge => list::merge(old, new, &items, key.as_deref(), false)?,
                    _ => new,
                }))
            }
            (old, _) if deletes => old,
            (Some(old), new) if is_scalar(&old) && is_scalar(&new) => Some(new),
            (_, new) => {
                value = new;
                remove_nulls(&mut value);
                without_directives(value)
            }
        };
        match merged {
            Some(merged) => drop(object.insert(name, merged)),
            None => drop(object.shift_remove(&name)),
        }
    }
    Ok(object)
}

fn is_scalar(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}

/// Removes what the directive `$retainKeys` does not name.
fn retain_keys(object: &mut Map<String, Value>, patch: &mut Map<String, Value>) -> Result<(), Error> {
    let Some(directive) = patch.shift_remove(RETAIN) else { return Ok(()) };
    let wrong = || Error::Malformed("invalid patch format of retainKeys".to_owned());
    let Value::Array(names) = directive else { return Err(wrong()) };
    let is_named = |name: &str| names.iter().any(|named| named.as_str() == Some(name));
    for (name, value) in &*patch {
        let is_directive = name.starts_with(DELETE_FROM) || name.starts_with(ORDER);
        if !value.is_null() && !is_directive && !is_named(name) {
            return Err(wrong());
        }
    }
    object.retain(|name, _| is_named(name));
    Ok(())
}

/// The name of the list that a directive is about: what follows its prefix and a slash.
fn of_directive(rest: &str, prefix: &str) -> Result<String, Error> {
    rest.strip_prefix('/').map(str::to_owned).ok_or_else(|| {
        let of = if prefix == DELETE_FROM { "primitive list" } else { "setElementOrder list" };
        Error::Malformed(format!("invalid patch format of {of}"))
    })
}

/// A value without objects that have a directive; `None` if it is one.
fn without_directives(value: Value) -> Option<Value> {
    match value {
        Value::Object(members) if members.contains_key(PATCH) => None,
        Value::Object(members) => Some(Value::Object(
            members
                .into_iter()
                .filter_map(|(name, member)| without_directives(member).map(|member| (name, member)))
                .collect(),
        )),
        Value::Array(items) => Some(items.into_iter().filter_map(without_directives).collect()),
        other => Some(other),
    }
}

fn unknown_directive(directive: &Value, patch: &Map<String, Value>) -> Error {
    let directive = directive.as_str().map_or_else(|| directive.to_string(), str::to_owned);
    Error::Misused(format!("unknown patch type: {directive} in map: {}", Value::Object(patch.clone())))
}
