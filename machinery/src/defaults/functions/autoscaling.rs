//! Autoscalers.

use super::access::{get, get_mut, strings};
use crate::defaults::Context;
use crate::meta::StringMap;
use crate::reflect::{Reflect, Slot, SlotMut};

/// Where conversions keep the metrics that autoscaling/v1 cannot say.
const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";

/// Of an autoscaler that knows nothing but processors: 80 % of what is
/// requested, where neither a target nor kept metrics say what to scale by.
pub fn cpu_utilization(object: &mut dyn Reflect, _: &Context) {
    const TARGET: &str = "spec.targetCPUUtilizationPercentage";
    let is_kept = |annotations: &StringMap| annotations.contains_key(METRICS);
    if matches!(get(object, TARGET), Slot::Absent)
        && !strings(object, "metadata.annotations").is_some_and(is_kept)
        && let Some(SlotMut::Int32(target)) = get_mut(object, TARGET)
    {
        *target = 80;
    }
}
