//! What nobody owns.

use std::sync::LazyLock;

use hubgen_machinery::convert::STASH;

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

/// The fields that nobody owns: those that name the object, and those that the server manages.
pub static UNOWNED: LazyLock<Set> = LazyLock::new(|| {
    let of_object = ["apiVersion", "kind", "metadata"].map(|name| vec![Element::field(name)]);
    let of_metadata = METADATA.map(|name| vec![Element::field("metadata"), Element::field(name)]);
    of_object.iter().chain(&of_metadata).map(Vec::as_slice).collect()
});

/// Whether nobody owns the annotation of that name: conversions write it for what a version cannot represent.
pub fn is_unowned_annotation(name: &str) -> bool {
    name == STASH
}
