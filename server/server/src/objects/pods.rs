//! What a new pod begins with, beyond defaults: as upstream's strategy, its status has the phase `Pending`, the QoS class (quality of
//! service) of its resources, and whether gates keep it from being scheduled.

use std::cmp::Ordering;

use crate::fields::{set_value, value_of};
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scalar::{Quantity, Time};
use hubgen_machinery::scheme::KindEntry;
use serde_json::{Map, Value, json};

/// Group and resource of pods.
const PODS: (&str, &str) = ("", "pods");
/// The resources that a QoS class is about.
const COMPUTED: [&str; 2] = ["cpu", "memory"];

const BEST_EFFORT: &str = "BestEffort";
const BURSTABLE: &str = "Burstable";
const GUARANTEED: &str = "Guaranteed";

/// Whether a kind is that of pods.
pub(super) fn are(entry: &KindEntry) -> bool {
    let (group, plural) = PODS;
    entry.group == group && entry.resource.as_ref().is_some_and(|resource| resource.plural == plural)
}

/// Sets the status of a new pod, unless it keeps that of its client. Other objects stay as they are.
pub(super) fn begin(entry: &KindEntry, object: &mut dyn Reflect, now: impl FnOnce() -> Time) {
    if !are(entry) || entry.behaviour.keeps_status_on_creation {
        return;
    }
    let spec = value_of(object, "spec");
    let mut status = json!({"phase": "Pending", "qosClass": class_of(&spec)});
    if !items(&spec, "schedulingGates").is_empty() {
        status["conditions"] = json!([{
            "type": "PodScheduled", "status": "False", "lastTransitionTime": now().to_string(), "reason": "SchedulingGated",
            "message": "Scheduling is blocked due to non-empty scheduling gates",
        }]);
    }
    let like = object.boxed_copy();
    set_value(&*like, object, "status", &status);
}

/// The QoS class of a pod: that of its own resources, or else what those of its containers have in common.
fn class_of(spec: &Value) -> &'static str {
    let own = &spec["resources"];
    let is_computed = |amounts: &Value| COMPUTED.iter().any(|name| !amounts[name].is_null());
    if is_computed(&own["requests"]) || is_computed(&own["limits"]) {
        return class(own);
    }
    let containers = ["initContainers", "containers"].into_iter().flat_map(|list| items(spec, list));
    common(containers.map(|container| class(&container["resources"]))).unwrap_or(BEST_EFFORT)
}

/// The class of what requests and limits say.
fn class(resources: &Value) -> &'static str {
    let amount = |of: &str, name: &str| -> Quantity {
        // What is no amount has been refused.
        resources[of][name].as_str().and_then(|text| text.parse().ok()).unwrap_or_default()
    };
    let is_empty = |of: &str| resources[of].as_object().is_none_or(Map::is_empty);
    if is_empty("requests") && is_empty("limits") {
        return BEST_EFFORT;
    }
    let classes = COMPUTED.map(|name| {
        let (request, limit) = (amount("requests", name), amount("limits", name));
        match request.compare(&limit) {
            Ordering::Equal if request.is_zero() => BEST_EFFORT,
            Ordering::Equal => GUARANTEED,
            _ => BURSTABLE,
        }
    });
    common(classes).unwrap_or(BEST_EFFORT)
}

/// The class that all have; [`BURSTABLE`] if they have not the same.
fn common(classes: impl IntoIterator<Item = &'static str>) -> Option<&'static str> {
    classes.into_iter().reduce(|all, class| if all == class { all } else { BURSTABLE })
}

fn items<'a>(spec: &'a Value, list: &str) -> &'a [Value] {
    spec[list].as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The class of a pod with a container of each of these resources.
    fn classed(containers: &[Value]) -> &'static str {
        let containers: Vec<Value> =
            containers.iter().map(|resources| json!({"resources": resources})).collect();
        class_of(&json!({"containers": containers}))
    }

    #[test]
    fn equal_requests_and_limits_are_guaranteed() {
        let both = json!({"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "1000m", "memory": "1024Mi"}});
        assert_eq!(classed(std::slice::from_ref(&both)), GUARANTEED);
        assert_eq!(classed(&[both.clone(), both.clone()]), GUARANTEED);
        for other in [
            json!({}),
            json!({"requests": {"cpu": "1"}}),
            json!({"requests": {"cpu": "1"}, "limits": {"cpu": "1"}}),
            json!({"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2", "memory": "1Gi"}}),
        ] {
            assert_eq!(classed(&[both.clone(), other.clone()]), BURSTABLE, "{other}");
            assert_eq!(classed(&[other.clone(), both.clone()]), BURSTABLE, "{other}");
        }
    }

    #[test]
    fn nothing_asked_for_is_best_effort() {
        for nothing in
            [json!({}), json!({"limits": {"cpu": "0"}}), json!({"requests": {"example.com/gpu": "1"}})]
        {
            assert_eq!(classed(&[nothing.clone(), json!({})]), BEST_EFFORT, "{nothing}");
        }
        assert_eq!(classed(&[]), BEST_EFFORT);
    }

    #[test]
    fn containers_of_the_start_count_and_a_pods_own_resources_come_first() {
        let one = json!({"requests": {"cpu": "1"}, "limits": {"cpu": "1"}});
        let init = json!({"initContainers": [{"resources": one}], "containers": [{}]});
        assert_eq!(class_of(&init), BURSTABLE);
        let own = json!({"cpu": "1", "memory": "1Gi"});
        let mut pod =
            json!({"resources": {"requests": own, "limits": own}, "containers": [{"resources": one}]});
        assert_eq!(class_of(&pod), GUARANTEED);
        // Other resources of a pod say nothing of it.
        pod["resources"] = json!({"requests": {"hugepages-2Mi": "2Mi"}});
        assert_eq!(class_of(&pod), BURSTABLE);
    }
}
