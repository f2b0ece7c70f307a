//! What nobody owns.

use std::sync::LazyLock;

use hubgen_machinery::convert::STASH;
use serde_json::Value;

use crate::fields::{Element, Set};

/// The members of `metadata` that the server manages.
const METADATA: [&str; 9] = [
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
];

/// The fields that nobody owns: those that name the object, those that the server manages, and what conversions stash.
pub static UNOWNED: LazyLock<Set> = LazyLock::new(|| {
    let of_object = ["apiVersion", "kind", "metadata"].map(|name| vec![Element::field(name)]);
    let of_metadata = METADATA.map(|name| vec![Element::field("metadata"), Element::field(name)]);
    let stash = ["metadata", "annotations", STASH].map(Element::field).to_vec();
    of_object.iter().chain(&of_metadata).chain([&stash]).map(Vec::as_slice).collect()
});

/// An object without what tells nobody anything of its owners: the owners themselves, and the annotation in which conversions
/// stash what a version cannot represent.
pub fn without_unowned(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.shift_remove("managedFields");
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut)
            && annotations.shift_remove(STASH).is_some()
            && annotations.is_empty()
        {
            metadata.shift_remove("annotations");
        }
    }
    object
}
