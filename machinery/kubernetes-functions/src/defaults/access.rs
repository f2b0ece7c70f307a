//! Access to fields by path, and to the scalar values in them.

use hubgen_machinery::StrMap;
use hubgen_machinery::meta::StringMap;
use hubgen_machinery::reflect::{List, Reflect, Slot, SlotMut};
use hubgen_machinery::scalar::Quantity;

/// Quantities by resource.
pub type ResourceList = StrMap<Quantity>;

/// The field at a path such as `spec.template`; absent if there is none.
pub fn get<'a>(object: &'a dyn Reflect, path: &str) -> Slot<'a> {
    match path.split_once('.') {
        None => object.field(path).unwrap_or(Slot::Absent),
        Some((first, rest)) => match object.field(first) {
            Some(Slot::Struct(inner)) => get(inner, rest),
            _ => Slot::Absent,
        },
    }
}

/// The value at a path, for writing. Absent objects on the path are created. `None` if there is no
/// such field.
pub fn get_mut<'a>(object: &'a mut dyn Reflect, path: &str) -> Option<SlotMut<'a>> {
    let (first, rest) = match path.split_once('.') {
        None => (path, None),
        Some((first, rest)) => (first, Some(rest)),
    };
    let slot = object.field_mut(first)?.present();
    match (rest, slot) {
        (None, slot) => Some(slot),
        (Some(rest), SlotMut::Struct(inner)) => get_mut(inner, rest),
        _ => None,
    }
}

pub fn is_absent(object: &dyn Reflect, path: &str) -> bool {
    matches!(get(object, path), Slot::Absent)
}

/// A string; empty if absent.
pub fn text<'a>(object: &'a dyn Reflect, path: &str) -> &'a str {
    match get(object, path) {
        Slot::String(text) => text.as_str(),
        _ => "",
    }
}

pub fn set_text(object: &mut dyn Reflect, path: &str, text: &str) {
    if let Some(SlotMut::String(slot)) = get_mut(object, path) {
        slot.set(text);
    }
}

pub fn is_true(object: &dyn Reflect, path: &str) -> bool {
    matches!(get(object, path), Slot::Bool(true))
}

/// A list; `None` if absent.
pub fn list<'a>(object: &'a dyn Reflect, path: &str) -> Option<&'a dyn List> {
    match get(object, path) {
        Slot::List(list) => Some(list),
        _ => None,
    }
}

/// The objects of a list.
pub fn objects<'a>(object: &'a dyn Reflect, path: &str) -> impl Iterator<Item = &'a dyn Reflect> {
    let list = list(object, path);
    (0..list.map_or(0, |list| list.len())).filter_map(move |index| match list?.get(index) {
        Slot::Struct(element) => Some(element),
        _ => None,
    })
}

/// The strings of a list.
pub fn texts<'a>(object: &'a dyn Reflect, path: &str) -> impl Iterator<Item = &'a str> {
    let list = list(object, path);
    (0..list.map_or(0, |list| list.len())).filter_map(move |index| match list?.get(index) {
        Slot::String(text) => Some(text.as_str()),
        _ => None,
    })
}

/// Calls `visit` with each object of a list. An absent list stays absent.
pub fn each(object: &mut dyn Reflect, path: &str, visit: &mut dyn FnMut(&mut dyn Reflect)) {
    if list(object, path).is_none_or(<dyn List>::is_empty) {
        return;
    }
    if let Some(SlotMut::List(list)) = get_mut(object, path) {
        for index in 0..list.len() {
            if let SlotMut::Struct(element) = list.get_mut(index) {
                visit(element);
            }
        }
    }
}

/// A map of strings, such as labels; `None` if absent.
pub fn strings<'a>(object: &'a dyn Reflect, path: &str) -> Option<&'a StringMap> {
    match get(object, path) {
        Slot::Map(map) => map.downcast_ref(),
        _ => None,
    }
}

pub fn strings_mut<'a>(object: &'a mut dyn Reflect, path: &str) -> Option<&'a mut StringMap> {
    match get_mut(object, path)? {
        SlotMut::Map(map) => map.downcast_mut(),
        _ => None,
    }
}

/// Quantities by resource; `None` if absent.
pub fn amounts<'a>(object: &'a dyn Reflect, path: &str) -> Option<&'a ResourceList> {
    match get(object, path) {
        Slot::Map(map) => map.downcast_ref(),
        _ => None,
    }
}

pub fn amounts_mut<'a>(object: &'a mut dyn Reflect, path: &str) -> Option<&'a mut ResourceList> {
    match get_mut(object, path)? {
        SlotMut::Map(map) => map.downcast_mut(),
        _ => None,
    }
}

/// Adds the quantities of `from` for resources that `to` lacks.
pub fn add_missing(object: &mut dyn Reflect, to: &str, from: ResourceList) {
    if from.is_empty() {
        return;
    }
    if let Some(to) = amounts_mut(object, to) {
        for (resource, amount) in from {
            to.entry(resource).or_insert(amount);
        }
    }
}
