//! A note of `v1alpha1` is a remark at `v1`, which names the tour.

use hubgen_machinery::Str;
use hubgen_meta::v1::ObjectMeta;

/// Converts to the hub.
pub(crate) fn to_hub(note: Str, metadata: ObjectMeta) -> Str {
    if note.is_empty() { note } else { format!("{}: {note}", metadata.name).into() }
}

/// Converts from the hub.
pub(crate) fn from_hub(remark: Str, metadata: ObjectMeta) -> Str {
    remark.strip_prefix(&*format!("{}: ", metadata.name)).map_or(remark.clone(), Str::from)
}
