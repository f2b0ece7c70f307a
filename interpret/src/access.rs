//! Places in objects, read and written.

use hubgen_machinery::convert::is_unset;
use hubgen_machinery::reflect::{Reflect, Slot, SlotMut};
use hubgen_plan::ResolvedPath;

/// The value at a place; absent where an object on the way is.
pub(crate) fn read<'a>(object: &'a dyn Reflect, place: &ResolvedPath) -> Slot<'a> {
    let mut slot = Slot::Struct(object);
    for field in &place.0 {
        slot = match slot {
            Slot::Struct(object) => field_of(object, &field.name),
            _ => return Slot::Absent,
        };
    }
    slot
}

pub(crate) fn field_of<'a>(object: &'a dyn Reflect, name: &str) -> Slot<'a> {
    object.field(name).unwrap_or_else(|| panic!("{} has no field {name}", object.descriptor().name))
}

/// The value at a place, for writing. Objects on the way are made; the field
/// itself may be absent.
pub(crate) fn write<'a>(object: &'a mut dyn Reflect, place: &ResolvedPath) -> SlotMut<'a> {
    let mut slot = SlotMut::Struct(object);
    for field in &place.0 {
        slot = match slot.present() {
            SlotMut::Struct(object) => field_mut(object, &field.name),
            _ => panic!("{place} leads through what is no object"),
        };
    }
    slot
}

pub(crate) fn field_mut<'a>(object: &'a mut dyn Reflect, name: &str) -> SlotMut<'a> {
    let Some(index) = object.position(name) else {
        panic!("{} has no field {name}", object.descriptor().name)
    };
    object.write(index)
}

/// Makes a field that may be absent so where there is nothing in it.
pub(crate) fn clear_if_unset(object: &mut dyn Reflect, place: &ResolvedPath) {
    if is_unset(false, &read(object, place)) {
        write(object, place).clear();
    }
}

/// Whether a field holds something.
pub(crate) fn is_set(object: &dyn Reflect, place: &ResolvedPath) -> bool {
    !is_unset(place.may_be_absent(), &read(object, place))
}

/// The text at a place; empty where it is absent.
pub(crate) fn text<'a>(object: &'a dyn Reflect, place: &ResolvedPath) -> &'a str {
    match read(object, place) {
        Slot::String(text) => text,
        _ => "",
    }
}

pub(crate) fn set_text(slot: SlotMut<'_>, to: &str) {
    match slot.present() {
        SlotMut::String(text) => to.clone_into(text),
        _ => panic!("a word for what is no text: {to}"),
    }
}

/// Whether a slot is absent.
pub(crate) trait IsAbsent {
    fn is_absent(&self) -> bool;
}

impl IsAbsent for Slot<'_> {
    fn is_absent(&self) -> bool {
        matches!(self, Slot::Absent)
    }
}
