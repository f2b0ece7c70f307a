//! serde's two traits over slots, so that a type's own impls are thin calls
//! and any format works.
//!
//! Formats for people get the JSON form: names as keys, absent fields left
//! out, `apiVersion` and `kind` in front of a kind. Formats for machines
//! (`is_human_readable()` is false, such as postcard) cannot do without a
//! field, so they get every field in order.

mod deserialize;
mod serialize;

use super::{Field, Omit, Slot, is_unset};

pub use self::deserialize::deserialize;
pub use self::serialize::serialize;

/// Whether JSON shows the field when it holds that.
#[inline]
pub(crate) fn is_shown(field: &Field, slot: &Slot<'_>) -> bool {
    match (field.omit, slot) {
        (Omit::Never, _) => true,
        (Omit::Zero, slot) => !is_unset(field.optional, slot),
        (Omit::Empty, Slot::Absent) => !field.pointer && !field.ty.has_empty(),
        (Omit::Empty, slot) => field.pointer || !field.ty.has_empty() || !slot.is_zero(),
    }
}

/// Whether JSON writes `null` for the field: upstream does so for lists, maps
/// and bytes that are empty but never left out, because storage does not tell
/// an empty one from none.
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
