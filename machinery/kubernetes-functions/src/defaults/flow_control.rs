//! Defaults of priority levels.

use super::access::{get, get_mut, strings};
use hubgen_machinery::defaults::Context;
use hubgen_machinery::meta::StringMap;
use hubgen_machinery::reflect::{Reflect, Slot, SlotMut};

/// The annotation that marks an explicit zero in versions that cannot distinguish zero from absent.
const PRESERVE_ZERO: &str = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

/// For a limited priority level: 30 shares, unless the annotation marks the zero as explicit.
pub fn nominal_shares(object: &mut dyn Reflect, _: &Context) {
    const SHARES: &str = "spec.limited.nominalConcurrencyShares";
    let is_meant = |annotations: &StringMap| annotations.contains_key(PRESERVE_ZERO);
    if matches!(get(object, SHARES), Slot::Int32(0))
        && !strings(object, "metadata.annotations").is_some_and(is_meant)
        && let Some(SlotMut::Int32(shares)) = get_mut(object, SHARES)
    {
        *shares = 30;
    }
}
