//! An element of a list that is a field in the version.

use hubgen_machinery::reflect::{List, Reflect, Slot, SlotMut, copy_slot};
use hubgen_plan::{Link, Place};

use crate::place::{IsAbsent, read, set_text, write};

/// What an element says, and where it holds the value.
pub(crate) struct Element<'a> {
    when: &'a [(Place, String)],
    value: &'a Place,
    last: bool,
}

impl<'a> Element<'a> {
    pub(crate) fn of(link: &'a Link) -> Option<Self> {
        match link {
            Link::Element { when, value, last, .. } => Some(Self { when, value, last: *last }),
            _ => None,
        }
    }

    /// The value, if this is the element that the field stands for.
    pub(crate) fn value<'o>(&self, element: &'o dyn Reflect) -> Option<Slot<'o>> {
        let fits = self.when.iter().all(|(place, word)| match read(element, place) {
            Slot::String(text) => text == word,
            _ => false,
        });
        Some(read(element, self.value)).filter(|value| fits && !value.is_absent())
    }

    /// The place of that element in a list.
    pub(crate) fn position(&self, list: &dyn List) -> Option<usize> {
        let mut fitting = (0..list.len()).filter(|index| match list.get(*index) {
            Slot::Struct(element) => self.value(element).is_some(),
            _ => false,
        });
        if self.last { fitting.next_back() } else { fitting.next() }
    }

    /// Makes an empty element the one that the field stands for.
    pub(crate) fn make(&self, element: &mut dyn Reflect, value: &Slot<'_>) {
        for (place, word) in self.when {
            set_text(write(element, place), word);
        }
        copy_slot(value, write(element, self.value).present());
    }

    /// Makes an element that is there say what the field says.
    pub(crate) fn set(&self, element: &mut dyn Reflect, value: Option<&Slot<'_>>) {
        match (write(element, self.value), value) {
            (slot, Some(value)) => copy_slot(value, slot.present()),
            (SlotMut::Optional(slot), None) => slot.clear(),
            (slot, None) => slot.clear(),
        }
    }
}
