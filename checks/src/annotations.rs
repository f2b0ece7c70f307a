//! Annotations of ours, which no other implementation writes or reads.

use hubgen_kubernetes::machinery::convert::laws::with_annotations;
use hubgen_kubernetes::machinery::reflect::Reflect;

/// What their keys begin with.
const OURS: &str = "conversion.hubgen.dev/";

/// Whether an annotation is ours.
pub fn is_ours(key: &str) -> bool {
    key.starts_with(OURS)
}

/// Removes our annotations.
pub fn without_ours(object: &mut dyn Reflect) {
    with_annotations(object, &mut |annotations| annotations.retain(|key, _| !is_ours(key)));
}
