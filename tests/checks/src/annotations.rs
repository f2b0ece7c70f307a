//! Annotations of hubgen, which no other implementation writes or reads.

use hubgen_kubernetes::machinery::convert::with_annotations;
use hubgen_kubernetes::machinery::reflect::Reflect;

/// The prefix of their keys.
const OURS: &str = "conversion.hubgen.dev/";

/// Whether an annotation is one of hubgen's.
pub fn is_ours(key: &str) -> bool {
    key.starts_with(OURS)
}

/// Removes hubgen's annotations.
pub fn without_ours(object: &mut dyn Reflect) {
    with_annotations(object, &mut |annotations| annotations.retain(|key, _| !is_ours(key)));
}
