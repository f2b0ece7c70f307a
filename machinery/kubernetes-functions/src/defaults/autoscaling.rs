//! Defaults of autoscalers.

use super::access::{get, get_mut, strings};
use hubgen_machinery::defaults::Context;
use hubgen_machinery::json::Raw;
use hubgen_machinery::meta::StringMap;
use hubgen_machinery::reflect::{Reflect, Slot, SlotMut};

/// The annotation in which conversions store metrics that autoscaling/v1 cannot represent.
const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";

/// For an autoscaler that knows only CPU: a target of 80 % of the requests, if it has neither a
/// target nor metrics in the annotation.
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

/// Whether the annotation contains metrics. Conversions ignore text that does not parse, and an
/// empty list.
fn has_metrics(text: &str) -> bool {
    let list = Raw::new(text.as_bytes()).and_then(|raw| raw.to_value());
    list.is_ok_and(|list| {
        list.as_array().is_some_and(|metrics| {
            !metrics.is_empty() && metrics.iter().all(|metric| metric.is_object() || metric.is_null())
        })
    })
}
