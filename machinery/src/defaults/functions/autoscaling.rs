//! Autoscalers.

use super::access::{get, get_mut, strings};
use crate::defaults::Context;
use crate::json::Raw;
use crate::meta::StringMap;
use crate::reflect::{Reflect, Slot, SlotMut};

/// Where conversions keep the metrics that autoscaling/v1 cannot say.
const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";

/// Of an autoscaler that knows nothing but processors: 80 % of what is
/// requested, where neither a target nor kept metrics say what to scale by.
pub fn cpu_utilization(object: &mut dyn Reflect, _: &Context) {
    const TARGET: &str = "spec.targetCPUUtilizationPercentage";
    let is_kept = |annotations: &StringMap| annotations.get(METRICS).is_some_and(|text| has_metrics(text));
    if matches!(get(object, TARGET), Slot::Absent)
        && !strings(object, "metadata.annotations").is_some_and(is_kept)
        && let Some(SlotMut::Int32(target)) = get_mut(object, TARGET)
    {
        *target = 80;
    }
}

/// Whether the annotation holds metrics: conversions take a text that does not
/// parse, or an empty list, for none.
fn has_metrics(text: &str) -> bool {
    let list = Raw::new(text.as_bytes()).map(|raw| raw.to_value());
    list.is_ok_and(|list| {
        list.as_array().is_some_and(|metrics| {
            !metrics.is_empty() && metrics.iter().all(|metric| metric.is_object() || metric.is_null())
        })
    })
}
