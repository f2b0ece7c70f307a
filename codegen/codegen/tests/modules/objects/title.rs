//! The label of `v1alpha1` is a title at `v1`, which also has the name of the object.

use hubgen_machinery::{Str, StrMap};

/// Converts to the hub. Refuses a tour that has no title any more.
pub(crate) fn to_hub(label: Str, name: Str, labels: StrMap<Str>) -> Result<Str, String> {
    if label.is_empty() {
        return Ok(label);
    }
    if labels.contains_key("closed") {
        return Err(format!("the tour {name} is closed"));
    }
    Ok(format!("{label} ({name})").into())
}

/// Converts from the hub.
pub(crate) fn from_hub(title: Str, name: Str, _: StrMap<Str>) -> Str {
    title.strip_suffix(&*format!(" ({name})")).map_or(title.clone(), Str::from)
}
