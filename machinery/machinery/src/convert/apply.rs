//! Applies a stashed difference to what a client wrote, to get the hub again.
//!
//! A value is replaced if what the client wrote has the fingerprint that the version showed, or if the client changed
//! nothing at all. What is gone from the object takes its difference with it.
//!
//! A list is hard, because its elements have no names: the client may have added, removed, edited and moved elements,
//! and the hub has others, which the client never saw. First the elements that the version showed are found again
//! (`anchor`). While they are in their old order, the client has not arranged the list, so the hub's order counts, and
//! a new element follows the one that it was put behind (`in_hub_order`). As soon as two of them have changed places,
//! the order is what the client means, so the live order counts, and each hidden element follows the one that it
//! followed in the hub (`in_live_order`). An element whose anchor is gone for good takes its hidden data with it, and a
//! hidden element then follows the nearest one before it that is still there.
//!
//! One order for both cases would be wrong: the hub's would undo what the client arranged, and the live one would move
//! hidden elements that nobody has touched.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use super::delta::{Anchor, Delta, Item};
use super::diff::identity;
use super::fingerprint;
use super::plain::{Malformed, from_json, is_unset};
use crate::reflect::{Keys, List, Map, Reflect, Slot, SlotMut};

/// Applies a delta to an object. `unchanged` returns whether the client changed nothing that it
/// could see. It is called only where the parts that the delta names do not suffice to decide.
///
/// # Errors
/// When the delta does not fit the object's shape, or names a field that it does not have. The object may then be
/// partly changed.
pub(super) fn apply(
    object: &mut dyn Reflect,
    delta: &Delta,
    unchanged: &dyn Fn() -> bool,
) -> Result<(), Malformed> {
    let Delta::Fields(fields) = delta else { return Err(Malformed) };
    for (name, delta) in fields {
        // The type may have lost the field since, or have another name for it.
        let index = object.position(name).ok_or(Malformed)?;
        let described = object.descriptor().share();
        let field = &described.fields[index];
        if let (true, Delta::Fields(entries)) = (described.is_rest(index), delta) {
            // The type may have got fields since.
            if entries.iter().any(|(name, _)| described.has(name)) {
                return Err(Malformed);
            }
            if let Some(SlotMut::Map(rest)) = existing(object.write(index)) {
                apply_map(rest, entries, unchanged)?;
            }
        } else if let Delta::Value { was, is } = delta {
            let slot = object.fields().slot(index);
            let live = (!is_unset(field.optional, &slot)).then(|| fingerprint::of(&slot));
            if live == *was || unchanged() {
                set(object.write(index), is.as_ref())?;
            }
        } else if let Some(slot) = existing(object.write(index)) {
            apply_slot(slot, delta, field.facts.keys(), unchanged)?;
        }
    }
    Ok(())
}

fn set(slot: SlotMut<'_>, is: Option<&serde_json::Value>) -> Result<(), Malformed> {
    match is {
        Some(value) => from_json(slot, value),
        None => {
            slot.clear();
            Ok(())
        }
    }
}

/// The value, unless it is absent: then what belonged to it is dropped as well.
fn existing(slot: SlotMut<'_>) -> Option<SlotMut<'_>> {
    match slot {
        SlotMut::Optional(value) if value.is_present() => existing(value.insert()),
        SlotMut::Member(value, index) if value.active() == index => existing(value.activate(index)),
        SlotMut::Optional(_) | SlotMut::Member(..) => None,
        slot => Some(slot),
    }
}

fn apply_slot(
    slot: SlotMut<'_>,
    delta: &Delta,
    keys: Keys<'_>,
    unchanged: &dyn Fn() -> bool,
) -> Result<(), Malformed> {
    match (slot, delta) {
        (SlotMut::Struct(object), delta) => apply(object, delta, unchanged),
        (SlotMut::Map(map), Delta::Fields(entries)) => apply_map(map, entries, unchanged),
        (SlotMut::List(list), Delta::List { shown, items }) => {
            apply_list(list, shown, items, keys, unchanged)
        }
        _ => Err(Malformed),
    }
}

fn apply_map(
    map: &mut dyn Map,
    entries: &[(String, Delta)],
    unchanged: &dyn Fn() -> bool,
) -> Result<(), Malformed> {
    let mut gone = BTreeSet::new();
    for (key, delta) in entries {
        match delta {
            Delta::Value { was, is } => {
                let live = map.get(key).map(|slot| fingerprint::of(&slot));
                if live != *was && !unchanged() {
                    continue;
                }
                match is {
                    Some(value) => from_json(map.entry(key), value)?,
                    None => {
                        gone.insert(key.as_str());
                    }
                }
            }
            delta if map.get(key).is_some() => {
                if let Some(slot) = existing(map.entry(key)) {
                    apply_slot(slot, delta, Keys::None, unchanged)?;
                }
            }
            _ => {}
        }
    }
    if !gone.is_empty() {
        map.retain(&mut |key| !gone.contains(key));
    }
    Ok(())
}

/// An element of the resulting list.
enum Element<'a> {
    /// The client's element at this index, and the difference to apply to it.
    Live(usize, Option<&'a Delta>),
    /// An element that the version does not show.
    Hidden(&'a serde_json::Value),
}

fn apply_list(
    list: &mut dyn List,
    shown: &[Anchor],
    items: &[Item],
    keys: Keys<'_>,
    unchanged: &dyn Fn() -> bool,
) -> Result<(), Malformed> {
    let is_whole = list.len() == shown.len() && (is_untouched(list, shown, items, keys) || unchanged());
    let elements = if is_whole {
        let wholesale = items.iter().map(|item| match item {
            Item::Shown(place, delta) => Element::Live(*place, delta.as_ref()),
            Item::Hidden(value) => Element::Hidden(value),
        });
        wholesale.collect()
    } else {
        merge(list, shown, items, keys)
    };
    arrange(list, &elements)?;
    for (index, element) in elements.iter().enumerate() {
        if let Element::Live(_, Some(delta)) = element {
            apply_element(list, index, delta, unchanged)?;
        }
    }
    Ok(())
}

/// Whether the list, of the same length as `shown`, has the elements that the version showed, in
/// that order, and the hub had all of them.
pub(super) fn is_untouched(list: &dyn List, shown: &[Anchor], items: &[Item], keys: Keys<'_>) -> bool {
    let listed = items.iter().filter(|item| item.index().is_some()).count();
    let is_same = |(index, anchor): (usize, &Anchor)| identity(&list.get(index), keys) == anchor.identity;
    listed == shown.len() && shown.iter().enumerate().all(is_same)
}

fn apply_element(
    list: &mut dyn List,
    index: usize,
    delta: &Delta,
    unchanged: &dyn Fn() -> bool,
) -> Result<(), Malformed> {
    if let Delta::Value { was, is } = delta {
        if Some(fingerprint::of(&list.get(index))) == *was || unchanged() {
            set(list.get_mut(index), is.as_ref())?;
        }
        return Ok(());
    }
    apply_slot(list.get_mut(index), delta, Keys::None, unchanged)
}

/// Merges the client's list with what the hub had, into the resulting list.
///
/// While the elements that are still there keep their relative order, the hub's order is used, and
/// a new element stays behind the element that it follows. When the client has reordered them, the
/// client's order is used, and an element that the version does not show stays behind the element
/// that it followed.
fn merge<'a>(list: &dyn List, shown: &[Anchor], items: &'a [Item], keys: Keys<'_>) -> Vec<Element<'a>> {
    let (anchors, mut gone) = anchor(list, shown, keys);
    // For each index in the client's list: the difference that the hub had there.
    let mut known: HashMap<usize, Option<&Delta>> = HashMap::new();
    for item in items {
        if let Item::Shown(place, delta) = item
            && let Some(at) = anchors[*place]
        {
            known.insert(at, delta.as_ref());
            gone.remove(&at);
        }
    }
    // An element that the version shows but the hub did not have is removed if the client did not
    // change it. An element recognised by its keys may have been edited, so it stays.
    if !keys.is_empty() {
        gone.clear();
    }
    let places: Vec<usize> = anchors.iter().copied().flatten().collect();
    if places.is_sorted() {
        in_hub_order(list.len(), items, &anchors, &known, &gone)
    } else {
        in_live_order(list.len(), items, &anchors, &known, &gone)
    }
}

fn in_hub_order<'a>(
    live: usize,
    items: &'a [Item],
    anchors: &[Option<usize>],
    known: &HashMap<usize, Option<&'a Delta>>,
    gone: &HashSet<usize>,
) -> Vec<Element<'a>> {
    // The client's new elements, by the recognised element that they follow.
    let mut new: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    let mut before = None;
    for at in (0..live).filter(|at| !gone.contains(at)) {
        if known.contains_key(&at) {
            before = Some(at);
        } else {
            new.entry(before).or_default().push(at);
        }
    }
    let mut follow = |out: &mut Vec<Element<'a>>, before| {
        out.extend(new.remove(&before).into_iter().flatten().map(|at| Element::Live(at, None)));
    };
    let mut out = Vec::new();
    follow(&mut out, None);
    for item in items {
        match item {
            Item::Shown(place, delta) => {
                if let Some(at) = anchors[*place] {
                    out.push(Element::Live(at, delta.as_ref()));
                    follow(&mut out, Some(at));
                }
            }
            Item::Hidden(value) => out.push(Element::Hidden(value)),
        }
    }
    out
}

fn in_live_order<'a>(
    live: usize,
    items: &'a [Item],
    anchors: &[Option<usize>],
    known: &HashMap<usize, Option<&'a Delta>>,
    gone: &HashSet<usize>,
) -> Vec<Element<'a>> {
    let mut followers: HashMap<Option<usize>, Vec<&serde_json::Value>> = HashMap::new();
    let mut before = None;
    for item in items {
        match item {
            Item::Shown(place, _) => before = anchors[*place].or(before),
            Item::Hidden(value) => followers.entry(before).or_default().push(value),
        }
    }
    let mut follow = |out: &mut Vec<Element<'a>>, before| {
        out.extend(followers.remove(&before).into_iter().flatten().map(Element::Hidden));
    };
    let mut out = Vec::new();
    follow(&mut out, None);
    for at in (0..live).filter(|at| !gone.contains(at)) {
        out.push(Element::Live(at, known.get(&at).copied().flatten()));
        follow(&mut out, Some(at));
    }
    out
}

/// The index in the client's list of each element that the version showed, and the indices of the
/// client's elements that were recognised with certainty.
///
/// Elements are recognised by their fingerprint; equal ones in order. In a list without keys, the
/// elements left over on both sides are taken for edited ones if their numbers are equal and each
/// pair has some value in common. In a list with keys, an element with other keys is another
/// element.
fn anchor(list: &dyn List, shown: &[Anchor], keys: Keys<'_>) -> (Vec<Option<usize>>, HashSet<usize>) {
    let mut known: HashMap<u64, VecDeque<usize>> = HashMap::new();
    for index in 0..list.len() {
        known.entry(identity(&list.get(index), keys)).or_default().push_back(index);
    }
    let mut anchors: Vec<Option<usize>> =
        shown.iter().map(|anchor| known.get_mut(&anchor.identity).and_then(VecDeque::pop_front)).collect();
    let recognised = anchors.iter().copied().flatten().collect();
    let mut rest: Vec<usize> = known.into_values().flatten().collect();
    rest.sort_unstable();
    let open_count = anchors.iter().filter(|place| place.is_none()).count();
    let open = anchors.iter_mut().zip(shown).filter(|(place, _)| place.is_none());
    if keys.is_empty() && rest.len() == open_count {
        for ((place, anchor), live) in open.zip(rest) {
            *place = is_edited(anchor, &list.get(live)).then_some(live);
        }
    }
    (anchors, recognised)
}

/// Whether the client's element is an edited form of the anchor's. The answer is always yes for an
/// anchor without leaves, because nothing depends on it.
fn is_edited(anchor: &Anchor, live: &Slot<'_>) -> bool {
    let leaves: HashSet<u64> = anchor.leaves.iter().copied().collect();
    leaves.is_empty() || fingerprint::of_leaves(live).iter().any(|leaf| leaves.contains(leaf))
}

/// Moves the list's elements to their indices, adds the hidden ones and drops the rest. Takes at
/// most one swap per element.
fn arrange(list: &mut dyn List, elements: &[Element<'_>]) -> Result<(), Malformed> {
    let live = list.len();
    // The elements of the resulting list, each by its index before anything moves.
    let mut wanted = Vec::with_capacity(elements.len());
    for element in elements {
        wanted.push(match element {
            Element::Live(at, _) if *at < live => *at,
            Element::Live(..) => return Err(Malformed),
            Element::Hidden(value) => {
                from_json(list.push(), value)?;
                list.len() - 1
            }
        });
    }
    // Which element is at each index, and at which index each element is.
    let mut at_place: Vec<usize> = (0..list.len()).collect();
    let mut place_of = at_place.clone();
    for (place, element) in wanted.into_iter().enumerate() {
        let from = place_of[element];
        if from < place {
            // The delta wants one element at two indices.
            return Err(Malformed);
        }
        if from != place {
            list.swap(from, place);
            at_place.swap(from, place);
            place_of[at_place[from]] = from;
            place_of[element] = place;
        }
    }
    list.truncate(elements.len());
    Ok(())
}
