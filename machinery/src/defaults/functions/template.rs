//! Labels and selectors of what makes pods, from the template of the pods.

use super::access::{get, strings, strings_mut};
use crate::defaults::Context;
use crate::meta::StringMap;
use crate::reflect::{Reflect, Slot};

const TEMPLATE: &str = "spec.template.metadata.labels";

/// `metadata.labels` become the template's labels, where there are none.
pub fn labels(object: &mut dyn Reflect, _: &Context) {
    fill(object, "metadata.labels");
}

/// `spec.selector` selects the template's labels, where there is none. It is
/// a map, or a label selector that is filled only where it is absent.
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
