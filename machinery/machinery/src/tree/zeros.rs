//! Empty values of JSON that a typed object does not tell from none.
//!
//! A typed object writes a required number whether it was there or not. So the difference of two typed objects does not
//! have it where the one is zero and the other has none, and JSON would lose what the hub requires. The same is true of
//! a required `null`.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::Tree;
use super::fault::Result;
use super::graft::{of, places};
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
            let back = back.members()?;
            let places = places(back);
            for (name, member) in before.members()? {
                let Some(at) = places.get(&**name) else { return Ok(true) };
                if may_be_lost(member, &mut back[*at].1)? {
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

/// The members of `typed` that `before` has and `back` lacks; `None` if there are none. `typed` is what `before` is
/// when it is decoded, and `back` is what comes back with all that the difference of typed objects has.
///
/// The words are those of a [delta](crate::convert): `{"fields":{…}}` for an object, `{"items":[…]}` for a list, with
/// one item if that is right for all, and `{"is":…}` for a lost value.
pub(super) fn lost(before: &mut Tree<'_>, back: &mut Tree<'_>, typed: &Value) -> Result<Option<Value>> {
    match typed {
        Value::Object(typed) if before.kind() == Kind::Object && back.kind() == Kind::Object => {
            let mut fields = Map::new();
            let back = back.members()?;
            let places = places(back);
            for (name, before) in before.members()? {
                let Some(typed) = typed.get(&**name) else { continue };
                let lost = match places.get(&**name) {
                    Some(at) => lost(before, &mut back[*at].1, typed)?,
                    None => Some(json!({"is": written(before, typed)?})),
                };
                fields.extend(lost.map(|lost| (name.to_string(), lost)));
            }
            Ok((!fields.is_empty()).then(|| json!({"fields": fields})))
        }
        Value::Array(typed) if before.is_list_of(typed.len()) && back.is_list_of(typed.len()) => {
            let pairs = before.elements()?.iter_mut().zip(back.elements()?).zip(typed);
            let items = pairs.map(|((before, back), typed)| lost(before, back, typed));
            let mut items = items.collect::<Result<Vec<Option<Value>>>>()?;
            if items.iter().all(|other| *other == items[0]) {
                items.truncate(1);
            }
            let is_any = items.iter().any(Option::is_some);
            Ok(is_any.then(|| json!({"items": items})))
        }
        _ => Ok(None),
    }
}

/// What was written of a typed value.
fn written(before: &mut Tree<'_>, typed: &Value) -> Result<Value> {
    match typed {
        _ if before.is_null() => Ok(Value::Null),
        Value::Object(typed) => {
            let mut members = Map::new();
            for (name, before) in before.members()? {
                if let Some(typed) = typed.get(&**name) {
                    members.insert(name.to_string(), written(before, typed)?);
                }
            }
            Ok(members.into())
        }
        typed => Ok(typed.clone()),
    }
}

/// Adds what was [`lost`] wherever the JSON lacks it and the typed object, `restored`, has it still.
///
/// A forged stash may have many members and an object many elements, so the names of the typed object are looked up.
pub(super) fn put_back(tree: &mut Tree<'_>, restored: &Value, lost: &Value) -> Result<()> {
    match (restored, lost.get("fields"), lost.get("items")) {
        (Value::Object(restored), Some(Value::Object(fields)), _) if tree.kind() == Kind::Object => {
            let own = tree.members()?;
            let places = places(own);
            for (name, restored) in restored {
                let Some(lost) = fields.get(name) else { continue };
                match (places.get(name), lost.get("is")) {
                    (Some(at), _) => put_back(&mut own[*at].1, restored, lost)?,
                    (None, Some(is)) if is_part(is, restored) => own.push((Cow::Owned(name.clone()), of(is))),
                    _ => {}
                }
            }
        }
        (Value::Array(restored), _, Some(Value::Array(items))) if tree.is_list_of(restored.len()) => {
            // Nobody knows which elements of another list these are, and what is empty in some may be so in all.
            let in_all = (items.len() != restored.len()).then(|| union(items));
            for (at, (element, restored)) in tree.elements()?.iter_mut().zip(restored).enumerate() {
                put_back(element, restored, in_all.as_ref().unwrap_or_else(|| &items[at]))?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// What is lost in any of some elements.
fn union(items: &[Value]) -> Value {
    let mut union = Value::Null;
    items.iter().for_each(|item| unite(&mut union, item));
    union
}

fn unite(union: &mut Value, other: &Value) {
    if union.is_null() {
        *union = Map::new().into();
    }
    if let Some(Value::Object(fields)) = other.get("fields") {
        for (name, other) in fields {
            unite(&mut union["fields"][name], other);
        }
    }
    if let Some(Value::Array(items)) = other.get("items") {
        let own = union["items"].as_array().into_iter().flatten();
        union["items"] = json!([self::union(&own.chain(items).cloned().collect::<Vec<_>>())]);
    }
    if let (Some(is), None) = (other.get("is"), union.get("is")) {
        union["is"] = is.clone();
    }
}

/// Whether a typed value has these members still. It may have more, and has an empty value where the JSON has `null`.
fn is_part(written: &Value, typed: &Value) -> bool {
    match (written, typed) {
        (Value::Object(written), Value::Object(typed)) => {
            written.iter().all(|(name, value)| typed.get(name).is_some_and(|typed| is_part(value, typed)))
        }
        (written, typed) => written.is_null() || written == typed,
    }
}

/// Adds all members that the typed object, `restored`, has and the JSON lacks. Metadata is the same on both sides.
pub(super) fn put_all(tree: &mut Tree<'_>, restored: &Value) -> Result<()> {
    match restored {
        Value::Object(restored) if tree.kind() == Kind::Object => {
            let own = tree.members()?;
            let places = places(own);
            for (name, restored) in restored.iter().filter(|(name, _)| *name != "metadata") {
                match places.get(name) {
                    Some(at) => put_all(&mut own[*at].1, restored)?,
                    None => own.push((Cow::Owned(name.clone()), of(restored))),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What is lost, and what comes back of it.
    fn lost_and_back(before: &Value, back: &Value, typed: &Value) -> (Option<Value>, Value) {
        let [before, back] = [before, back].map(ToString::to_string);
        let [mut before, mut back] = [&before, &back].map(|text| Tree::new(text.as_bytes()).unwrap());
        let lost = may_be_lost(&mut before, &mut back).unwrap().then(|| {
            let lost = lost(&mut before, &mut back, typed).unwrap();
            lost.inspect(|lost| put_back(&mut back, typed, lost).unwrap())
        });
        (lost.flatten(), serde_json::from_slice(&back.to_json()).unwrap())
    }

    #[test]
    fn empty_members_that_typed_objects_write_are_lost_and_come_back() {
        let n = json!({"fields": {"n": {"is": 0}}});
        let cases = [
            // Not in the JSON before.
            (json!({}), json!({}), json!({"n": 0}), None),
            (json!({"n": 0}), json!({}), json!({"n": 0}), Some(n.clone())),
            (json!({"q": "0"}), json!({}), json!({"q": "0"}), Some(json!({"fields": {"q": {"is": "0"}}}))),
            // To a typed object, it is an empty list.
            (json!({"l": null}), json!({}), json!({"l": []}), Some(json!({"fields": {"l": {"is": null}}}))),
            // A typed object does not write it.
            (json!({"n": 0}), json!({}), json!({}), None),
            // Objects that only the typed object has.
            (
                json!({"o": {"n": 0, "m": []}}),
                json!({}),
                json!({"o": {"n": 0, "m": [], "k": ""}}),
                Some(json!({"fields": {"o": {"is": {"n": 0, "m": []}}}})),
            ),
            (json!({"o": {}}), json!({}), json!({"o": {"n": 0}}), Some(json!({"fields": {"o": {"is": {}}}}))),
            // The same in all elements, and in some.
            (
                json!({"l": [{"n": 0}, {"n": 0, "a": 1}]}),
                json!({"l": [{}, {"a": 1}]}),
                json!({"l": [{"n": 0}, {"n": 0, "a": 1}]}),
                Some(json!({"fields": {"l": {"items": [n]}}})),
            ),
            (
                json!({"l": [{}, {"n": 0}]}),
                json!({"l": [{}, {}]}),
                json!({"l": [{"n": 0}, {"n": 0}]}),
                Some(json!({"fields": {"l": {"items": [null, n]}}})),
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
        let field = |name: &str, node: Value| json!({"fields": {name: node}});
        let n = field("n", json!({"is": 0}));
        let cases = [
            // It has another value.
            (json!({"n": 1}), json!({"n": 1}), n.clone(), json!({"n": 1})),
            (json!({}), json!({"n": 1}), n.clone(), json!({})),
            (json!({}), json!({"o": {"n": 1}}), field("o", json!({"is": {"n": 0}})), json!({})),
            // The object around it is gone, or is in no partial object.
            (json!({}), json!({}), field("o", n.clone()), json!({})),
            (json!({}), json!({"o": {"n": 0}}), field("o", n.clone()), json!({})),
            (json!({"o": null}), json!({"o": {"n": 0}}), field("o", n.clone()), json!({"o": null})),
            // Another list, and one inside it.
            (
                json!({"l": [{"k": [{}]}]}),
                json!({"l": [{"k": [{"n": 0, "m": ""}]}]}),
                field(
                    "l",
                    json!({"items": [
                        field("k", json!({"items": [n]})),
                        field("k", json!({"items": [null, field("m", json!({"is": ""}))]})),
                    ]}),
                ),
                json!({"l": [{"k": [{"n": 0, "m": ""}]}]}),
            ),
            (
                json!({"l": [{}, {"n": 1}, {}]}),
                json!({"l": [{"n": 0, "m": ""}, {"n": 1, "m": ""}, {"n": 0, "m": ""}]}),
                field("l", json!({"items": [n, field("m", json!({"is": ""}))]})),
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
