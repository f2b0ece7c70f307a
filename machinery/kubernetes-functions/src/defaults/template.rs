//! Labels and selectors of workloads, derived from their pod template.

use super::access::{get, strings, strings_mut};
use hubgen_machinery::defaults::Context;
use hubgen_machinery::meta::StringMap;
use hubgen_machinery::reflect::{Reflect, Slot};

const TEMPLATE: &str = "spec.template.metadata.labels";

/// `metadata.labels` default to the template's labels.
pub fn labels(object: &mut dyn Reflect, _: &Context) {
    fill(object, "metadata.labels");
}

/// `spec.selector` defaults to the template's labels. It is either a map, or a label selector that
/// is filled only if absent.
pub fn selector(object: &mut dyn Reflect, _: &Context) {
    match get(object, "spec.selector") {
        Slot::Absent => fill(object, "spec.selector.matchLabels"),
        Slot::Map(_) => fill(object, "spec.selector"),
        _ => {}
    }
}

fn fill(object: &mut dyn Reflect, path: &str) {
    let is_empty = strings(object, path).is_none_or(StringMap::is_empty);
    let Some(labels) = strings(object, TEMPLATE).filter(|labels| is_empty && !labels.is_empty()) else {
        return;
    };
    let labels = labels.clone();
    if let Some(target) = strings_mut(object, path) {
        *target = labels;
    }
}
