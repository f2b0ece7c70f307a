//! Reads and writes fields of objects by field path.

use hubgen_machinery::convert::{ConvertError, is_unset};
use hubgen_machinery::json;
use hubgen_machinery::reflect::{Reflect, Slot, SlotMut};
use hubgen_plan::ResolvedPath;

/// The value at a field path; absent if an object on the path is absent.
pub(crate) fn read<'a>(object: &'a dyn Reflect, path: &ResolvedPath) -> Slot<'a> {
    let mut slot = Slot::Struct(object);
    for field in &path.0 {
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

/// The slot at a field path, for writing. Absent objects on the path are created; the field itself
/// stays absent.
pub(crate) fn write<'a>(object: &'a mut dyn Reflect, path: &ResolvedPath) -> SlotMut<'a> {
    let mut slot = SlotMut::Struct(object);
    for field in &path.0 {
        slot = match slot.present() {
            SlotMut::Struct(object) => field_mut(object, &field.name),
            _ => panic!("{path} leads through a field that is not an object"),
        };
    }
    slot
}

/// Decodes JSON into the slot at a field path. `null` leaves it absent or empty.
///
/// # Errors
/// When it is no JSON of the field's type.
pub(crate) fn write_json(
    object: &mut dyn Reflect,
    path: &ResolvedPath,
    text: &str,
) -> Result<(), ConvertError> {
    let around = path.first(path.0.len() - 1);
    let parent = if around.0.is_empty() {
        object
    } else {
        match write(object, &around).present() {
            SlotMut::Struct(parent) => parent,
            _ => panic!("{path} leads through a field that is not an object"),
        }
    };
    let described = parent.descriptor().share();
    let (name, index) = (&path.field().name, parent.position(&path.field().name));
    let Some(index) = index else { panic!("{} has no field {name}", described.name) };
    parent.write(index).clear();
    json::decode_slot(text.as_bytes(), &described.fields[index].ty, parent.write(index)).map_err(|error| {
        let path = format!("{path}.{}", error.path());
        ConvertError::Unfit {
            path: path.trim_end_matches('.').to_owned(),
            message: error.message().to_owned(),
        }
    })
}

pub(crate) fn field_mut<'a>(object: &'a mut dyn Reflect, name: &str) -> SlotMut<'a> {
    let Some(index) = object.position(name) else {
        panic!("{} has no field {name}", object.descriptor().name)
    };
    object.write(index)
}

/// Makes an optional field absent if its value is empty.
pub(crate) fn clear_if_unset(object: &mut dyn Reflect, path: &ResolvedPath) {
    if is_unset(false, &read(object, path)) {
        write(object, path).clear();
    }
}

/// Whether a field has a value.
pub(crate) fn is_set(object: &dyn Reflect, path: &ResolvedPath) -> bool {
    let slot = read(object, path);
    !matches!(slot, Slot::Null) && !is_unset(path.may_be_absent(), &slot)
}

/// The string at a field path; empty if absent.
pub(crate) fn text<'a>(object: &'a dyn Reflect, path: &ResolvedPath) -> &'a str {
    match read(object, path) {
        Slot::String(text) => text.as_str(),
        _ => "",
    }
}

pub(crate) fn set_text(slot: SlotMut<'_>, to: &str) {
    match slot.present() {
        SlotMut::String(text) => text.set(to),
        _ => panic!("the target of the string {to:?} is not a string"),
    }
}

/// Whether a slot is absent, or `null`.
pub(crate) trait IsAbsent {
    fn is_absent(&self) -> bool;
}

impl IsAbsent for Slot<'_> {
    fn is_absent(&self) -> bool {
        matches!(self, Slot::Absent | Slot::Null)
    }
}
