//! Older releases write null where nothing is set.

use serde_json::Value;

use super::{Case, Mismatch};
use crate::differential::record::Release;

/// Fields by struct, with the first release that omits them.
const NULLS: [(&str, &str, Release); 2] = [
    ("ObjectMeta", "creationTimestamp", Release::new(1, 34)),
    ("ResourceSliceSpec", "devices", Release::new(1, 33)),
];

/// They write `null`; we write nothing.
pub fn applies(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    place.theirs == Some(&Value::Null)
        && place.ours.is_none()
        && NULLS.iter().any(|(of, name, left_out)| {
            place.is_field(of, name) && case.release.is_some_and(|release| release < *left_out)
        })
}
