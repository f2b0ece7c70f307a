//! `metadata.generation`: which objects have it, and which changes it counts.

use hubgen_machinery::meta;
use hubgen_machinery::reflect::{Reflect, Slot, slots_equal};
use hubgen_machinery::scheme::{Generation, KindEntry};

use crate::objectmeta;
use crate::part::{Part, has_status};

/// Whether a new object gets a generation.
pub(super) fn is_set(entry: &KindEntry, object: &dyn Reflect) -> bool {
    match entry.behaviour.generation {
        Generation::OfSpec => has_spec(object),
        Generation::Counted | Generation::Fixed => true,
        Generation::None => false,
    }
}

/// Whether the generation goes up when an object is replaced.
pub(super) fn counts(entry: &KindEntry, part: Part, old: &dyn Reflect, new: &dyn Reflect) -> bool {
    let is_counted = match entry.behaviour.generation {
        Generation::OfSpec | Generation::Counted => true,
        Generation::Fixed | Generation::None => false,
    };
    let differs = |field: &str| match [old, new].map(|object| meta::metadata(object)?.field(field)) {
        [Some(old), Some(new)] => !slots_equal(&old, &new),
        _ => false,
    };
    // Who runs a pod is not what it is to run.
    part != Part::Binding
        && is_counted
        && (objectmeta::differs_in_spec(old, new)
            || has_no_own_status(entry) && objectmeta::differ_in(old, new, "status")
            || part == Part::Main && entry.behaviour.generation_metadata.iter().any(differs))
}

/// Whether a status is as good as any other field: where no type tells that it is one, only its subresource does.
fn has_no_own_status(entry: &KindEntry) -> bool {
    entry.untyped.is_some() && !has_status(entry)
}

fn has_spec(object: &dyn Reflect) -> bool {
    matches!(object.field("spec"), Some(Slot::Struct(_) | Slot::Absent))
}
