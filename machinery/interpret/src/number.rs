//! Numbers of a version that are texts in the hub.

use hubgen_machinery::Str;
use hubgen_machinery::convert::{NumberText, to_number, to_text};
use hubgen_machinery::reflect::{Literal, Slot, SlotMut};

/// Writes the number of the version as a text.
pub(crate) fn write(number: &Slot<'_>, to: SlotMut<'_>, form: NumberText) {
    let text: Str = match number {
        Slot::Int32(number) => to_text(*number, form),
        Slot::Int64(number) => to_text(*number, form),
        _ => panic!("the plan does not fit the types of the objects"),
    };
    match to.present() {
        SlotMut::String(slot) => slot.set_shared(&text),
        // Types that cannot contain every text of this form are refused by the plan.
        SlotMut::Scalar(slot) => slot.set(Literal::Text(&text)).unwrap_or_else(|_| slot.clear()),
        _ => panic!("the plan does not fit the types of the objects"),
    }
}

/// Reads the number that a text of the hub contains.
pub(crate) fn read(text: &Slot<'_>, to: SlotMut<'_>, form: NumberText) {
    let mut found = Str::new();
    match text {
        Slot::String(text) => found = text.to_shared(),
        Slot::Scalar(scalar) => scalar.show(&mut |literal| match literal {
            Literal::Text(text) => found = text.into(),
            Literal::Integer(number) => found = number.to_string().into(),
            _ => {}
        }),
        _ => panic!("the plan does not fit the types of the objects"),
    }
    match to.present() {
        SlotMut::Int32(slot) => *slot = to_number(found, form),
        SlotMut::Int64(slot) => *slot = to_number(found, form),
        _ => panic!("the plan does not fit the types of the objects"),
    }
}
