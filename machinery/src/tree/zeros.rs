//! Empty values of JSON that a typed object does not tell from none.
//!
//! A typed object writes a required number whether it was there or not. So the difference of two typed objects does not
//! have it where the one is zero and the other has none, and JSON would lose what the hub requires. The same is true of a
//! required `null`.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::Tree;
use super::fault::Result;
use super::graft::of;
use crate::json::lexer::Kind;

/// Whether `before` has a member that `back`, the JSON that comes back from a version, lacks.
pub(super) fn may_be_lost(before: &mut Tree<'_>, back: &mut Tree<'_>) -> Result<bool> {
    if let (Tree::Text(before), Tree::Text(back)) = (&*before, &*back)
        && before == back
    {
        return Ok(false);
    }
    match (before.kind(), back.kind()) {
        (Kind::Object, Kind::Object) => {
            for (name, member) in before.members()? {
                let Some(back) = back.get(name)? else { return Ok(true) };
                if may_be_lost(member, back)? {
                    return Ok(true);
                }
            }
        }
        (Kind::Array, Kind::Array) => {
            let (before, back) = (before.elements()?, back.elements()?);
            if before.len() != back.len() {
                return Ok(true);
            }
            for (before, back) in before.iter_mut().zip(back) {
                if may_be_lost(before, back)? {
                    return Ok(true);
                }
            }
        }
        _ => {}
    }
    Ok(false)
}

/// The members of `typed` that `before` has and `back` lacks; `None` if there are none. `typed` is what `before` is when it
/// is decoded, and `back` is what comes back with all that the difference of typed objects has.
///
/// The value has the shape of the object. A list in it has one element if that is right for all elements.
pub(super) fn lost(
    before: &mut Tree<'_>,
    back: Option<&mut Tree<'_>>,
    typed: &Value,
) -> Result<Option<Value>> {
    match typed {
        Value::Object(typed) if before.kind() == Kind::Object => lost_members(before, back, typed),
        Value::Array(typed) if before.is_list_of(typed.len()) => {
            let Some(back) = back else { return Ok(None) };
            if !back.is_list_of(typed.len()) {
                return Ok(None);
            }
            let pairs = before.elements()?.iter_mut().zip(back.elements()?).zip(typed);
            let lost = pairs.map(|((before, back), typed)| lost(before, Some(back), typed));
            let mut lost = lost.collect::<Result<Vec<Option<Value>>>>()?;
            if lost.iter().all(|other| *other == lost[0]) {
                lost.truncate(1);
            }
            let is_any = lost.iter().any(Option::is_some);
            Ok(is_any.then(|| lost.into_iter().map(Option::unwrap_or_default).collect()))
        }
        _ => Ok(None),
    }
}

fn lost_members(
    before: &mut Tree<'_>,
    mut back: Option<&mut Tree<'_>>,
    typed: &Map<String, Value>,
) -> Result<Option<Value>> {
    let mut all = Map::new();
    for (name, before) in before.members()? {
        let Some(typed) = typed.get(&**name) else { continue };
        let back = member_of(back.as_deref_mut(), name)?;
        let is_lost = back.is_none();
        let own = if before.is_null() { Value::Null } else { without_members(typed) };
        if let Some(value) = lost(before, back, typed)?.or_else(|| is_lost.then_some(own)) {
            all.insert(name.to_string(), value);
        }
    }
    Ok((!all.is_empty()).then_some(Value::Object(all)))
}

/// Adds what was [`lost`] wherever the JSON lacks it and the typed object, `restored`, has it still.
pub(super) fn put_back(tree: &mut Tree<'_>, restored: &Value, lost: &Value) -> Result<()> {
    match (restored, lost) {
        (Value::Object(restored), Value::Object(lost)) if tree.kind() == Kind::Object => {
            for (name, lost) in lost {
                let Some(restored) = restored.get(name) else { continue };
                let own = without_members(lost);
                if let Some(member) = tree.get(name)? {
                    put_back(member, restored, lost)?;
                } else if own.is_null() || own == without_members(restored) {
                    let mut member = of(&own);
                    put_back(&mut member, restored, lost)?;
                    tree.set(name, member)?;
                }
            }
        }
        (Value::Array(restored), Value::Array(lost)) if tree.is_list_of(restored.len()) => {
            // Nobody knows which elements of another list these are, and what is empty in some may be so in all.
            let in_all = (lost.len() != restored.len()).then(|| distinct(lost));
            for (at, (element, restored)) in tree.elements()?.iter_mut().zip(restored).enumerate() {
                let own = in_all.clone().unwrap_or_else(|| vec![&lost[at]]);
                own.into_iter().try_for_each(|lost| put_back(element, restored, lost))?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Adds all members that the typed object, `restored`, has and the JSON lacks. Metadata is the same on both sides.
pub(super) fn put_all(tree: &mut Tree<'_>, restored: &Value) -> Result<()> {
    match restored {
        Value::Object(restored) if tree.kind() == Kind::Object => {
            for (name, restored) in restored.iter().filter(|(name, _)| *name != "metadata") {
                match tree.get(name)? {
                    Some(member) => put_all(member, restored)?,
                    None => tree.set(name, of(restored))?,
                }
            }
        }
        Value::Array(restored) if tree.is_list_of(restored.len()) => {
            for (element, restored) in tree.elements()?.iter_mut().zip(restored) {
                put_all(element, restored)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn distinct(values: &[Value]) -> Vec<&Value> {
    let mut seen = HashSet::new();
    values.iter().filter(|value| seen.insert(value.to_string())).collect()
}

fn member_of<'t, 'a>(object: Option<&'t mut Tree<'a>>, name: &str) -> Result<Option<&'t mut Tree<'a>>> {
    match object.filter(|object| object.kind() == Kind::Object) {
        Some(object) => Ok(object.get(name)?),
        None => Ok(None),
    }
}

/// An object without its members, or another value as it is.
fn without_members(value: &Value) -> Value {
    if value.is_object() { Map::new().into() } else { value.clone() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What is lost, and what comes back of it.
    fn lost_and_back(before: &Value, back: &Value, typed: &Value) -> (Option<Value>, Value) {
        let [before, back] = [before, back].map(ToString::to_string);
        let [mut before, mut back] = [&before, &back].map(|text| Tree::new(text.as_bytes()).unwrap());
        let lost = may_be_lost(&mut before, &mut back).unwrap().then(|| {
            let lost = lost(&mut before, Some(&mut back), typed).unwrap();
            lost.inspect(|lost| put_back(&mut back, typed, lost).unwrap())
        });
        (lost.flatten(), serde_json::from_slice(&back.to_json()).unwrap())
    }

    #[test]
    fn empty_members_that_typed_objects_write_are_lost_and_come_back() {
        let cases = [
            // Not in the JSON before.
            (json!({}), json!({}), json!({"n": 0}), None),
            (json!({"n": 0}), json!({}), json!({"n": 0}), Some(json!({"n": 0}))),
            (json!({"q": "0"}), json!({}), json!({"q": "0"}), Some(json!({"q": "0"}))),
            // To a typed object, it is an empty list.
            (json!({"l": null}), json!({}), json!({"l": []}), Some(json!({"l": null}))),
            // A typed object does not write it.
            (json!({"n": 0}), json!({}), json!({}), None),
            // Objects that only the typed object has.
            (
                json!({"o": {"n": 0, "m": []}}),
                json!({}),
                json!({"o": {"n": 0, "m": [], "k": ""}}),
                Some(json!({"o": {"n": 0, "m": []}})),
            ),
            (json!({"o": {}}), json!({}), json!({"o": {"n": 0}}), Some(json!({"o": {}}))),
            // The same in all elements, and in some.
            (
                json!({"l": [{"n": 0}, {"n": 0, "a": 1}]}),
                json!({"l": [{}, {"a": 1}]}),
                json!({"l": [{"n": 0}, {"n": 0, "a": 1}]}),
                Some(json!({"l": [{"n": 0}]})),
            ),
            (
                json!({"l": [{}, {"n": 0}]}),
                json!({"l": [{}, {}]}),
                json!({"l": [{"n": 0}, {"n": 0}]}),
                Some(json!({"l": [null, {"n": 0}]})),
            ),
        ];
        for (before, back, typed, expected) in cases {
            let (lost, found) = lost_and_back(&before, &back, &typed);
            assert_eq!(lost, expected, "{before}");
            assert_eq!(found, if expected.is_some() { before } else { back });
        }
    }

    #[test]
    fn what_has_changed_since_stays_as_it_is() {
        let cases = [
            // It has another value, or is gone.
            (json!({"n": 1}), json!({"n": 1}), json!({"n": 0}), json!({"n": 1})),
            (json!({}), json!({}), json!({"o": {"n": 0}}), json!({})),
            (json!({}), json!({"n": 1}), json!({"n": 0}), json!({})),
            (json!({"o": null}), json!({"o": {"n": 0}}), json!({"o": {"n": 0}}), json!({"o": null})),
            // Another list.
            (
                json!({"l": [{}, {"n": 1}, {}]}),
                json!({"l": [{"n": 0, "m": ""}, {"n": 1, "m": ""}, {"n": 0, "m": ""}]}),
                json!({"l": [{"n": 0}, {"m": ""}]}),
                json!({"l": [{"n": 0, "m": ""}, {"n": 1, "m": ""}, {"n": 0, "m": ""}]}),
            ),
        ];
        for (tree, restored, lost, expected) in cases {
            let text = tree.to_string();
            let mut tree = Tree::new(text.as_bytes()).unwrap();
            put_back(&mut tree, &restored, &lost).unwrap();
            assert_eq!(serde_json::from_slice::<Value>(&tree.to_json()).unwrap(), expected, "{text}");
        }
    }
}
