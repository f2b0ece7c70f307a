//! Adds to JSON what a stash has restored in the typed object.
//!
//! Stashes are restored in typed objects, but the JSON must stay as it came: an object that is decoded and encoded has
//! gained empty fields that nobody wrote. So the typed hub exists twice, without what the stash restored and with it,
//! and only where these two differ the JSON changes. Both have gained the same empty fields, so that these are no
//! difference.
//!
//! In lists, an element may have moved. Each restored element is looked for among those before: at its own place, then
//! anywhere by equality, then by the most members in common. What is found stays as it came, and what is not is written
//! from the typed object. Looking by index alone would give an element the JSON of its neighbour.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};

use serde_json::{Map, Value};

use super::fault::Result;
use super::{Member, Tree};
use crate::json::writer;

/// Changes JSON wherever the restored object differs from the same object without its stash. What both have alike stays
/// as it came: a typed object has fields that the JSON does not have.
pub(super) fn graft(tree: &mut Tree<'_>, plain: &Value, restored: &Value) -> Result<()> {
    match (plain, restored) {
        _ if plain == restored => Ok(()),
        (Value::Object(plain), Value::Object(restored)) => members(tree, plain, restored),
        (Value::Array(plain), Value::Array(restored)) if tree.is_list_of(plain.len()) => {
            elements(tree, plain, restored)
        }
        (_, restored) => {
            *tree = of(restored);
            Ok(())
        }
    }
}

/// JSON of a value.
pub(super) fn of<'a>(value: &Value) -> Tree<'a> {
    let mut out = Vec::new();
    writer::value(&mut out, value);
    Tree::written(out)
}

/// The index of each member. A map may have many, so that looking for one by one would take the square of that.
pub(super) fn places(members: &[Member<'_>]) -> HashMap<String, usize> {
    members.iter().enumerate().map(|(at, (name, _))| (name.to_string(), at)).collect()
}

fn members(tree: &mut Tree<'_>, plain: &Map<String, Value>, restored: &Map<String, Value>) -> Result<()> {
    if tree.is_null() {
        *tree = Tree::Object(Vec::new());
    }
    let own = tree.members()?;
    own.retain(|(name, _)| restored.contains_key(&**name) || !plain.contains_key(&**name));
    let mut places = places(own);
    for (name, restored) in restored {
        let plain = plain.get(name);
        if plain == Some(restored) {
            continue;
        }
        let place = *places.entry(name.clone()).or_insert_with(|| {
            let begun = match plain {
                Some(Value::Object(_)) => Tree::Around(Vec::new()),
                Some(plain) => of(plain),
                None => of(restored),
            };
            own.push((Cow::Owned(name.clone()), begun));
            own.len() - 1
        });
        let member = &mut own[place].1;
        match plain {
            Some(plain) => graft(member, plain, restored).map_err(|fault| fault.in_member(name))?,
            None => *member = of(restored),
        }
    }
    // Nothing was restored in it.
    own.retain(|(_, value)| !matches!(value, Tree::Around(members) if members.is_empty()));
    Ok(())
}

/// Arranges the elements of a list as they are in the restored one. An element that both have stays as it came.
fn elements(tree: &mut Tree<'_>, plain: &[Value], restored: &[Value]) -> Result<()> {
    let own = tree.elements()?;
    let before = origins(plain, restored);
    let mut left: Vec<Option<Tree<'_>>> = own.drain(..).map(Some).collect();
    for (element, before) in restored.iter().zip(before) {
        let mut kept = before.and_then(|place| Some((place, left[place].take()?)));
        if let Some((place, own)) = &mut kept {
            graft(own, &plain[*place], element).map_err(|fault| fault.in_element(*place))?;
        }
        own.push(kept.map_or_else(|| of(element), |(_, own)| own));
    }
    Ok(())
}

/// Up to so many pairs of elements are compared. In longer lists, elements that changed are paired in order.
const PAIRS: usize = 4096;

/// Where each restored element was before: at its own place or else that of another equal element, or else of the one
/// that has most members in common with it.
fn origins(plain: &[Value], restored: &[Value]) -> Vec<Option<usize>> {
    // Typed elements may be equal where their JSON is not, so those that are where they were stay there.
    let stays = |at: &usize| plain.get(*at) == Some(&restored[*at]);
    let mut origins: Vec<Option<usize>> = (0..restored.len()).map(|at| Some(at).filter(stays)).collect();
    let mut equal: HashMap<String, VecDeque<usize>> = HashMap::new();
    for (at, element) in plain.iter().enumerate() {
        if origins.get(at).is_none_or(Option::is_none) {
            equal.entry(element.to_string()).or_default().push_back(at);
        }
    }
    for (origin, element) in origins.iter_mut().zip(restored).filter(|(origin, _)| origin.is_none()) {
        *origin = equal.get_mut(&element.to_string()).and_then(VecDeque::pop_front);
    }
    let mut left: Vec<usize> = equal.into_values().flatten().collect();
    left.sort_unstable();
    let open: Vec<usize> = (0..restored.len()).filter(|to| origins[*to].is_none()).collect();
    if left.len() * open.len() > PAIRS {
        open.into_iter().zip(left).for_each(|(to, from)| origins[to] = Some(from));
        return origins;
    }
    let pair = |to: usize, from: usize| (Reverse(shared(&plain[from], &restored[to])), to, from);
    let mut pairs: Vec<_> = open
        .iter()
        .flat_map(|to| left.iter().map(move |from| (*to, *from)))
        .map(|(to, from)| pair(to, from))
        .collect();
    pairs.sort_unstable();
    let mut is_taken = vec![false; plain.len()];
    for (Reverse(shared), to, from) in pairs {
        if shared > 0 && origins[to].is_none() && !is_taken[from] {
            (origins[to], is_taken[from]) = (Some(from), true);
        }
    }
    // Elements of a list of the same length that have nothing in common, such as empty ones.
    for to in open.into_iter().filter(|_| plain.len() == restored.len()) {
        if origins[to].is_none() && !is_taken[to] && left.contains(&to) {
            origins[to] = Some(to);
        }
    }
    origins
}

/// The number of members that two objects have in common. Typed objects have empty ones that nobody wrote.
fn shared(one: &Value, other: &Value) -> usize {
    let (Some(one), Some(other)) = (one.as_object(), other.as_object()) else { return 0 };
    let is_empty = |value: &Value| ["\"\"", "0", "false", "null", "[]", "{}"].contains(&&*value.to_string());
    let same = |(name, value): &(&String, &Value)| !is_empty(value) && other.get(*name) == Some(*value);
    one.iter().filter(same).count()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_the_stash_restored_is_added() {
        let cases = [
            // A required field that the typed object has and the JSON does not.
            (
                json!({"a": 1}),
                json!({"a": 1, "required": ""}),
                json!({"a": 1, "required": "", "b": 2}),
                json!({"a": 1, "b": 2}),
            ),
            // Inside an object that only the typed object has.
            (
                json!({}),
                json!({"spec": {"name": ""}}),
                json!({"spec": {"name": "", "b": 2}}),
                json!({"spec": {"b": 2}}),
            ),
            // An element that the version does not show.
            (
                json!({"l": [{"a": 1}, {"a": 3}]}),
                json!({"l": [{"a": 1, "z": ""}, {"a": 3, "z": ""}]}),
                json!({"l": [{"a": 1, "z": ""}, {"a": 2, "z": ""}, {"a": 3, "z": ""}]}),
                json!({"l": [{"a": 1}, {"a": 2, "z": ""}, {"a": 3}]}),
            ),
            // The same, and a field of an element that it shows.
            (
                json!({"l": [{"a": 1}, {"a": 3}]}),
                json!({"l": [{"a": 1, "z": ""}, {"a": 3, "z": ""}]}),
                json!({"l": [{"a": 2, "z": ""}, {"a": 3, "z": "", "b": 4}, {"a": 1, "z": ""}]}),
                json!({"l": [{"a": 2, "z": ""}, {"a": 3, "b": 4}, {"a": 1}]}),
            ),
            (json!({"a": 1}), json!({"a": 1}), json!({}), json!({})),
            // Elements that are equal when they are typed, and not as JSON.
            (
                json!({"l": [{"a": ""}, {}, {}]}),
                json!({"l": [{}, {}, {}]}),
                json!({"l": [{"a": ""}, {}, {}]}),
                json!({"l": [{"a": ""}, {}, {}]}),
            ),
        ];
        for (written, plain, restored, expected) in cases {
            let text = written.to_string();
            let mut tree = Tree::new(text.as_bytes()).unwrap();
            graft(&mut tree, &plain, &restored).unwrap();
            assert_eq!(serde_json::from_slice::<Value>(&tree.to_json()).unwrap(), expected);
        }
    }
}
