//! A list element that is a field in the version.

use hubgen_machinery::reflect::{List, Reflect, Slot, SlotMut, copy_slot};
use hubgen_plan::program::Element;

use crate::access::{IsAbsent, read, set_text, write};

/// The value of the element, if the field represents this element.
pub(crate) fn value<'o>(element: &Element, object: &'o dyn Reflect) -> Option<Slot<'o>> {
    let fits = element.when.iter().all(|(path, word)| match read(object, path) {
        Slot::String(text) => text.as_str() == word,
        _ => false,
    });
    Some(read(object, &element.value)).filter(|value| fits && !value.is_absent())
}

/// The index of that element in a list.
pub(crate) fn position(element: &Element, list: &dyn List) -> Option<usize> {
    let mut fitting = (0..list.len()).filter(|index| match list.get(*index) {
        Slot::Struct(object) => value(element, object).is_some(),
        _ => false,
    });
    if element.last { fitting.next_back() } else { fitting.next() }
}

/// Turns an empty object into the element that the field represents.
pub(crate) fn make(element: &Element, object: &mut dyn Reflect, value: &Slot<'_>) {
    for (path, word) in &element.when {
        set_text(write(object, path), word);
    }
    copy_slot(value, write(object, &element.value).present());
}

/// Copies the field into an existing element.
pub(crate) fn set(element: &Element, object: &mut dyn Reflect, value: Option<&Slot<'_>>) {
    match (write(object, &element.value), value) {
        (slot, Some(value)) => copy_slot(value, slot.present()),
        (SlotMut::Optional(slot), None) => slot.clear(),
        (slot, None) => slot.clear(),
    }
}
