//! Which parts of a stashed difference fit the shape of an object.

use super::apply::is_untouched;
use super::delta::{Delta, Item};
use super::plain::from_json;
use crate::reflect::{Keys, Reflect, SlotMut};

/// For each part of the delta, whether the object has the fields that it names, with types that hold its values. A list
/// is one decision, because its elements belong together.
///
/// `as_shown` asks more of lists: their elements must be those that were shown when the stash was written. That is for
/// objects of another version than the one in whose terms the stash is, whose elements may be something else.
pub(super) fn readable(object: &dyn Reflect, delta: &Delta, as_shown: bool) -> Vec<bool> {
    let mut probe = Probe { as_shown, out: Vec::new() };
    probe.object(&mut *object.boxed_copy(), delta);
    probe.out
}

struct Probe {
    as_shown: bool,
    out: Vec<bool>,
}

impl Probe {
    fn decide(&mut self, delta: &Delta, is_readable: bool) {
        self.out.resize(self.out.len() + delta.parts(), is_readable);
    }

    /// Writes into the object, which is a copy.
    fn object(&mut self, object: &mut dyn Reflect, delta: &Delta) {
        let Delta::Fields(fields) = delta else { return self.decide(delta, false) };
        for (name, delta) in fields {
            let Some(index) = object.position(name) else {
                self.decide(delta, false);
                continue;
            };
            let described = object.descriptor().share();
            if described.is_rest(index)
                && let Delta::Fields(entries) = delta
            {
                for (name, delta) in entries {
                    // Nobody knows how a field that was unknown then becomes the one that has its name now.
                    let is_unknown = !described.has(name);
                    self.decide(delta, is_unknown && matches!(delta, Delta::Value { .. }));
                }
                continue;
            }
            self.slot(object.write(index), delta, described.fields[index].facts.keys());
        }
    }

    fn slot(&mut self, slot: SlotMut<'_>, delta: &Delta, keys: Keys<'_>) {
        match (slot, delta) {
            (slot, Delta::Value { is, .. }) => {
                let fits = is.as_ref().is_none_or(|is| from_json(slot, is).is_ok());
                self.decide(delta, fits);
            }
            (SlotMut::Optional(value), delta) => self.slot(value.insert(), delta, keys),
            (SlotMut::Member(value, index), delta) => self.slot(value.activate(index), delta, keys),
            (SlotMut::Struct(object), delta) => self.object(object, delta),
            (SlotMut::Map(map), Delta::Fields(entries)) => {
                for (key, delta) in entries {
                    self.slot(map.entry(key), delta, Keys::None);
                }
            }
            (SlotMut::List(list), Delta::List { shown, items }) => {
                let is_same =
                    !self.as_shown || (list.len() == shown.len() && is_untouched(list, shown, items, keys));
                let mut inside = Self { as_shown: self.as_shown, out: Vec::new() };
                for item in items {
                    match item {
                        Item::Shown(_, None) => {}
                        // An element of the list, or else an empty one, of the same shape.
                        Item::Shown(place, Some(delta)) if *place < list.len() => {
                            inside.slot(list.get_mut(*place), delta, Keys::None);
                        }
                        Item::Shown(_, Some(delta)) => inside.slot(list.push(), delta, Keys::None),
                        Item::Hidden(value) => inside.out.push(from_json(list.push(), value).is_ok()),
                    }
                }
                self.decide(delta, is_same && !inside.out.contains(&false));
            }
            (_, delta) => self.decide(delta, false),
        }
    }
}
