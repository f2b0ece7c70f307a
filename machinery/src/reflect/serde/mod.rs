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
#[inline]
pub(crate) fn is_shown(field: &Field, slot: &Slot<'_>) -> bool {
    match (field.omit, slot) {
        (Omit::Never, _) => true,
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
    match (field.omit, slot) {
        (Omit::Never, Slot::List(list)) => list.is_empty(),
        (Omit::Never, Slot::Map(map)) => map.is_empty(),
        (Omit::Never, Slot::Bytes(bytes)) => bytes.is_empty(),
        (Omit::Never, Slot::Absent) => true,
        (Omit::Empty, Slot::Absent) => is_shown(field, slot),
        _ => false,
    }
}
