//! Computes the difference between what a version shows and the hub: what the stash has to contain.
//!
//! Structs and maps are compared member by member. A list needs more, since clients add, remove and move its elements:
//! each element of the hub is paired with what the version shows for it (the equal element, else the one with the same
//! keys, else the most similar one), and what has no pair is hidden. The delta names shown elements by fingerprints, so
//! that it can be applied to a list that a client has edited; `apply` does that.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};

use super::delta::{Anchor, Delta, Item};
use super::fingerprint;
use super::plain::{is_unset, to_json};
use crate::reflect::{Keys, List, Map, Reflect, Slot, slots_equal};

/// The difference between `reconverted`, which is the version's object converted back, and `hub`.
/// `None` when they are equal.
pub(super) fn diff(reconverted: &dyn Reflect, hub: &dyn Reflect) -> Option<Delta> {
    let mut out = Vec::new();
    for ((field, hub), reconverted) in hub.fields().iter().zip(reconverted.fields().slots()) {
        if let Some(delta) = diff_slot(field.optional, field.facts.keys(), &reconverted, &hub) {
            out.push((field.name.to_string(), delta));
        }
    }
    (!out.is_empty()).then_some(Delta::Fields(out))
}

/// The fingerprint that identifies a list element.
pub(super) fn identity(element: &Slot<'_>, keys: Keys<'_>) -> u64 {
    match element {
        Slot::Struct(object) if !keys.is_empty() => fingerprint::of_keys(*object, keys),
        element => fingerprint::of(element),
    }
}

fn diff_slot(optional: bool, keys: Keys<'_>, reconverted: &Slot<'_>, hub: &Slot<'_>) -> Option<Delta> {
    match (reconverted, hub) {
        (Slot::Struct(reconverted), Slot::Struct(hub)) => diff(*reconverted, *hub),
        (Slot::Map(reconverted), Slot::Map(hub)) => diff_map(*reconverted, *hub),
        (Slot::List(reconverted), Slot::List(hub)) => diff_list(*reconverted, *hub, keys),
        _ if slots_equal(reconverted, hub) => None,
        _ => Some(Delta::Value {
            was: (!is_unset(optional, reconverted)).then(|| fingerprint::of(reconverted)),
            is: (!is_unset(optional, hub)).then(|| to_json(hub)),
        }),
    }
}

fn diff_map(reconverted: &dyn Map, hub: &dyn Map) -> Option<Delta> {
    let mut out = Vec::new();
    reconverted.visit(&mut |key, slot| {
        let hub = hub.get(key).unwrap_or(Slot::Absent);
        if let Some(delta) = diff_slot(true, Keys::None, &slot, &hub) {
            out.push((key.to_owned(), delta));
        }
    });
    hub.visit(&mut |key, slot| {
        if reconverted.get(key).is_none() {
            out.push((key.to_owned(), Delta::Value { was: None, is: Some(to_json(&slot)) }));
        }
    });
    (!out.is_empty()).then_some(Delta::Fields(out))
}

fn diff_list(reconverted: &dyn List, hub: &dyn List, keys: Keys<'_>) -> Option<Delta> {
    if slots_equal(&Slot::List(reconverted), &Slot::List(hub)) {
        return None;
    }
    let (pairs, equal) = pair(reconverted, hub, keys);
    let mut items = Vec::with_capacity(hub.len());
    for (index, place) in pairs.iter().enumerate() {
        let element = hub.get(index);
        items.push(match place {
            Some(place) if equal[index] => Item::Shown(*place, None),
            Some(place) => {
                Item::Shown(*place, diff_slot(true, Keys::None, &reconverted.get(*place), &element))
            }
            None => Item::Hidden(to_json(&element)),
        });
    }
    let mut shown: Vec<Anchor> = (0..reconverted.len())
        .map(|index| Anchor { identity: identity(&reconverted.get(index), keys), leaves: Vec::new() })
        .collect();
    if keys.is_empty() {
        for item in &items {
            if let Item::Shown(place, Some(_)) = item {
                shown[*place].leaves = fingerprint::of_leaves(&reconverted.get(*place));
            }
        }
    }
    Some(Delta::List { shown, items })
}

/// For each element of the hub's list, the index of the element that the version shows for it: the
/// equal one, otherwise the one with the same keys, otherwise the most similar one. Then, for each,
/// whether it is known to be equal.
fn pair(reconverted: &dyn List, hub: &dyn List, keys: Keys<'_>) -> (Vec<Option<usize>>, Vec<bool>) {
    let mut places = vec![None; hub.len()];
    let mut free: Vec<usize> = (0..reconverted.len()).collect();
    let mut equal = vec![false; hub.len()];
    // Comparing short lists costs less than fingerprints. The pairs are the same.
    if free.len().saturating_mul(places.len()) <= 64 {
        pair_compared(&mut places, &mut free, reconverted, hub);
        equal = places.iter().map(Option::is_some).collect();
    } else {
        pair_equal(
            &mut places,
            &mut free,
            |i| fingerprint::of(&reconverted.get(i)),
            |i| fingerprint::of(&hub.get(i)),
        );
    }
    if free.is_empty() {
        return (places, equal);
    }
    if !keys.is_empty() {
        pair_equal(
            &mut places,
            &mut free,
            |i| identity(&reconverted.get(i), keys),
            |i| identity(&hub.get(i), keys),
        );
    }
    let mut open: Vec<usize> = (0..hub.len()).filter(|index| places[*index].is_none()).collect();
    // Comparing each with each is only for the few elements that a rule could not carry over.
    if free.len().saturating_mul(open.len()) <= 4096 {
        pair_alike(&mut places, &mut free, &mut open, reconverted, hub);
    }
    if free.len() == open.len() {
        for (index, place) in open.into_iter().zip(free) {
            places[index] = Some(place);
        }
    }
    (places, equal)
}

/// Pairs equal elements, in order.
fn pair_compared(
    places: &mut [Option<usize>],
    free: &mut Vec<usize>,
    reconverted: &dyn List,
    hub: &dyn List,
) {
    for (index, place) in places.iter_mut().enumerate() {
        let is_equal = |place: &usize| slots_equal(&reconverted.get(*place), &hub.get(index));
        *place = free.iter().position(is_equal).map(|found| free.remove(found));
    }
}

/// Pairs elements with equal fingerprints, in order.
fn pair_equal(
    places: &mut [Option<usize>],
    free: &mut Vec<usize>,
    reconverted: impl Fn(usize) -> u64,
    hub: impl Fn(usize) -> u64,
) {
    let mut known: HashMap<u64, VecDeque<usize>> = HashMap::new();
    for place in free.iter() {
        known.entry(reconverted(*place)).or_default().push_back(*place);
    }
    let mut taken = Vec::new();
    for (index, place) in places.iter_mut().enumerate().filter(|(_, place)| place.is_none()) {
        if let Some(found) = known.get_mut(&hub(index)).and_then(VecDeque::pop_front) {
            *place = Some(found);
            taken.push(found);
        }
    }
    taken.sort_unstable();
    free.retain(|place| taken.binary_search(place).is_err());
}

/// Pairs elements by what they have in common.
///
/// A version shows less than the hub but nothing else. A value that the version shows and the hub's
/// element lacks therefore weighs most against a pair; common values weigh for it. Most rules keep
/// the order, so elements are paired in order unless pairing the most similar ones first leaves
/// fewer values unexplained.
fn pair_alike(
    places: &mut [Option<usize>],
    free: &mut Vec<usize>,
    open: &mut Vec<usize>,
    reconverted: &dyn List,
    hub: &dyn List,
) {
    let likeness = |place: usize, index: usize| {
        let mut likeness = Likeness::default();
        likeness.add(&reconverted.get(place), &hub.get(index));
        likeness
    };
    let mut pairs = Vec::new();
    for place in free.iter() {
        for index in open.iter() {
            let Likeness { same, other } = likeness(*place, *index);
            if same > 0 {
                pairs.push((other, Reverse(same), place.abs_diff(*index), *place, *index));
            }
        }
    }
    pairs.sort_unstable();
    let (mut best, mut unexplained) = (Vec::new(), 0);
    let (mut places_left, mut indices_left) = (free.clone(), open.clone());
    for (other, .., place, index) in pairs {
        if places_left.contains(&place) && indices_left.contains(&index) {
            places_left.retain(|left| *left != place);
            indices_left.retain(|left| *left != index);
            best.push((place, index));
            unexplained += other;
        }
    }
    if free.len() == open.len() {
        let other = |(place, index): (usize, usize)| likeness(place, index).other;
        // Those that have nothing in common are paired, too.
        unexplained += places_left.into_iter().zip(indices_left).map(other).sum::<usize>();
        let in_order: Vec<(usize, usize)> = free.iter().copied().zip(open.iter().copied()).collect();
        if in_order.iter().copied().map(other).sum::<usize>() <= unexplained {
            best = in_order;
        }
    }
    for (place, index) in &best {
        places[*index] = Some(*place);
    }
    free.retain(|place| !best.iter().any(|(paired, _)| paired == place));
    open.retain(|index| !best.iter().any(|(_, paired)| paired == index));
}

/// How much of one value is in another.
#[derive(Default)]
struct Likeness {
    /// The number of leaves that are equal.
    same: usize,
    /// The number of leaves that are missing or different in the other value.
    other: usize,
}

impl Likeness {
    fn add(&mut self, a: &Slot<'_>, b: &Slot<'_>) {
        match (a, b) {
            (Slot::Struct(a), Slot::Struct(b)) => {
                for ((field, a), b) in a.fields().iter().zip(b.fields().slots()) {
                    if !is_unset(field.optional, &a) {
                        self.add(&a, &b);
                    }
                }
            }
            // Missing on the other side: count every leaf below.
            (Slot::Struct(a), _) => {
                for (field, a) in a.fields().iter() {
                    if !is_unset(field.optional, &a) {
                        self.add(&a, &Slot::Absent);
                    }
                }
            }
            (Slot::List(a), b) => {
                for index in 0..a.len() {
                    match b {
                        Slot::List(b) if index < b.len() => self.add(&a.get(index), &b.get(index)),
                        _ => self.add(&a.get(index), &Slot::Absent),
                    }
                }
            }
            (Slot::Map(a), b) => a.visit(&mut |key, a| match b {
                Slot::Map(b) => self.add(&a, &b.get(key).unwrap_or(Slot::Absent)),
                _ => self.add(&a, &Slot::Absent),
            }),
            (a, b) if slots_equal(a, b) => self.same += 1,
            _ => self.other += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::Value;
    use crate::{Str, StrMap};

    /// Rules write `k`, so no element is what the hub has.
    #[test]
    fn elements_are_in_order_unless_another_order_explains_more() {
        let list = |elements: [&[(&str, &str)]; 4]| -> Vec<StrMap<Str>> {
            let map = |element: &[(&str, &str)]| {
                element.iter().map(|(key, value)| (Str::from(*key), Str::from(*value))).collect()
            };
            elements.into_iter().map(map).collect()
        };
        let cases = [
            (
                list([
                    &[("v", "x"), ("t", "1"), ("k", "A")],
                    &[("t", "1"), ("k", "B")],
                    &[("k", "B")],
                    &[("t", "1"), ("k", "B")],
                ]),
                list([
                    &[("v", "x"), ("t", "1"), ("k", "B")],
                    &[("t", "1"), ("k", "B")],
                    &[("k", "y")],
                    &[("t", "1"), ("k", "z")],
                ]),
            ),
            (
                list([
                    &[("k", "B")],
                    &[("b", "x"), ("k", "A")],
                    &[("a", "x"), ("c", "y"), ("k", "A")],
                    &[("k", "B")],
                ]),
                list([&[("k", "z")], &[("b", "x")], &[("a", "x"), ("c", "y"), ("k", "B")], &[]]),
            ),
        ];
        for (shown, hub) in &cases {
            let (Slot::List(shown), Slot::List(hub)) = (shown.slot(), hub.slot()) else { unreachable!() };
            assert_eq!(pair(shown, hub, Keys::None).0, [Some(0), Some(1), Some(2), Some(3)]);
        }
    }

    #[test]
    fn comparing_finds_the_pairs_that_fingerprints_find() {
        let lists = ["", "a", "ab", "ba", "aab", "aba", "abcb", "bcad", "dddd", "ccbbaa"];
        let lists = lists.map(|text| text.chars().map(String::from).collect::<Vec<String>>());
        for (shown, hub) in lists.iter().flat_map(|shown| lists.iter().map(move |hub| (shown, hub))) {
            let (Slot::List(shown), Slot::List(hub)) = (shown.slot(), hub.slot()) else { unreachable!() };
            let start = || (vec![None; hub.len()], (0..shown.len()).collect::<Vec<usize>>());
            let (mut compared, mut hashed) = (start(), start());
            pair_compared(&mut compared.0, &mut compared.1, shown, hub);
            let of = |list: &dyn List, index| fingerprint::of(&list.get(index));
            pair_equal(&mut hashed.0, &mut hashed.1, |index| of(shown, index), |index| of(hub, index));
            assert_eq!(compared, hashed);
        }
    }
}
