//! serde's traits, implemented by slots. A type's own implementations only call
//! these functions, and any format works.
//!
//! Human-readable formats get the structure of JSON: names as keys, absent
//! fields omitted, `kind` and `apiVersion` first. Formats that are not (such as
//! postcard) cannot omit a field, so they get every field in order.

mod deserialize;
mod serialize;

use super::{Field, Omit, Slot, is_unset};

pub use self::deserialize::deserialize;
pub use self::serialize::serialize;

/// Whether JSON contains the field if it has this value.
#[inline(always)]
pub(crate) fn is_shown(field: &Field, slot: &Slot<'_>) -> bool {
    match field.omit {
        // Nearly all fields, of which most have no value.
        Omit::Empty if field.pointer => !matches!(slot, Slot::Absent),
        Omit::Empty => match slot {
            Slot::Bool(value) => *value,
            Slot::String(text) => !text.is_empty(),
            Slot::List(list) => !list.is_empty(),
            Slot::Map(map) => !map.is_empty(),
            slot => is_otherwise_shown(field, slot),
        },
        _ => is_otherwise_shown(field, slot),
    }
}

/// As [`is_shown`], for any field and value.
#[inline(never)]
fn is_otherwise_shown(field: &Field, slot: &Slot<'_>) -> bool {
    match (field.omit, slot) {
        (Omit::Never | Omit::Exact, _) => true,
        (Omit::Zero, slot) => !is_unset(field.optional, slot),
        (Omit::Empty, Slot::Absent) => !field.pointer && !field.ty.has_empty(),
        (Omit::Empty, slot) => field.pointer || !field.ty.has_empty() || !slot.is_zero(),
    }
}

/// Whether JSON writes `null` for the field if it has this value. Upstream does
/// this for empty lists, maps and bytes that are never omitted, because storage
/// does not distinguish empty from absent.
#[inline]
pub(crate) fn is_null(field: &Field, slot: &Slot<'_>) -> bool {
    match slot {
        Slot::Absent => is_shown(field, slot),
        Slot::List(list) => field.omit == Omit::Never && list.is_empty(),
        Slot::Map(map) => field.omit == Omit::Never && map.is_empty(),
        Slot::Bytes(bytes) => field.omit == Omit::Never && bytes.is_empty(),
        _ => false,
    }
}
