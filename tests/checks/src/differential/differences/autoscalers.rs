//! Differences of autoscalers.

use hubgen_kubernetes::machinery::scheme::KindEntry;
use serde_json::{Map, Value, json};

use super::{Case, Mismatch};

pub const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";
const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const STATUSES: &str = "autoscaling.alpha.kubernetes.io/current-metrics";

/// The direction of scaling.
#[derive(Clone, Copy)]
pub struct Direction {
    /// The field of the behavior.
    pub field: &'static str,
    /// The part of an annotation's key.
    key: &'static str,
}

pub const DIRECTIONS: [Direction; 2] =
    [Direction { field: "scaleUp", key: "scale-up" }, Direction { field: "scaleDown", key: "scale-down" }];

/// The annotation of v2beta2 that contains a tolerance.
pub fn tolerance_key(direction: Direction) -> String {
    format!("autoscaling.alpha.kubernetes.io/{}-tolerance", direction.key)
}

/// The behavior of an answer of any version, in the form of v2, without absent values. `None` if it
/// cannot be parsed.
pub fn behavior(at: &KindEntry, answer: &Value) -> Option<Value> {
    let text = |key: &str| answer["metadata"]["annotations"][key].as_str();
    let found = match &*at.version {
        "v1" | "v2beta1" => published(&serde_json::from_str(text(BEHAVIOR).unwrap_or("null")).ok()?),
        _ => answer["spec"]["behavior"].clone(),
    };
    let mut out = match found {
        Value::Object(members) => members,
        Value::Null => Map::new(),
        _ => return None,
    };
    for direction in DIRECTIONS {
        if let Some(tolerance) = text(&tolerance_key(direction)).filter(|_| at.version == "v2beta2") {
            out.get_mut(direction.field)?.as_object_mut()?.insert("tolerance".to_owned(), tolerance.into());
        }
    }
    Some(Value::Object(out))
}

/// Renames the fields of upstream's internal struct to the published names.
fn published(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                let mut letters = name.chars();
                let first = letters.next().map(|first| first.to_ascii_lowercase());
                let name: String = first.into_iter().chain(letters).collect();
                (!value.is_null()).then(|| (name, published(value)))
            };
            Value::Object(members.iter().filter_map(member).collect())
        }
        Value::Array(elements) => elements.iter().map(published).collect(),
        value => value.clone(),
    }
}

fn is_autoscaler(case: &Case<'_>) -> bool {
    case.kind == "HorizontalPodAutoscaler"
}

/// The elements of an annotation, if it is a list.
fn listed(text: Option<&str>) -> Option<Vec<Value>> {
    match serde_json::from_str(text?) {
        Ok(Value::Array(elements)) => Some(elements),
        Ok(Value::Null) => Some(Vec::new()),
        _ => None,
    }
}

/// The metrics of the request: at v1 and earlier, those of the annotation and the target.
fn asked_metrics(case: &Case<'_>) -> Vec<Value> {
    let target = match &*case.from.version {
        "v1" => case.asked("/spec/targetCPUUtilizationPercentage"),
        "v1beta1" => case.asked("/spec/cpuUtilization/targetPercentage"),
        _ => return case.asked("/spec/metrics").as_array().cloned().unwrap_or_default(),
    };
    let mut metrics = listed(case.annotation(METRICS)[0]).unwrap_or_default();
    if target.is_number() {
        metrics.push(
            json!({"type": "Resource", "resource": {"name": "cpu", "targetAverageUtilization": target}}),
        );
    }
    metrics
}

/// The target utilization of the processor in a metric of any version.
fn utilization(metric: &Value) -> Option<&Value> {
    let resource = &metric["resource"];
    let targets = [&resource["target"]["averageUtilization"], &resource["targetAverageUtilization"]];
    let target = targets.into_iter().find(|target| target.is_number());
    target.filter(|_| metric["type"] == "Resource" && resource["name"] == "cpu")
}

/// Whether the target of the metric is a utilization; v1 and v2beta1 do not specify the type.
fn is_utilization(metric: &Value) -> bool {
    let target = &metric["resource"]["target"];
    target.is_null() || target["type"] == "Utilization"
}

/// An object at v1 without metrics. If it is defaulted, we have the target and they do not; if it
/// is converted without defaults, they have it and we do not.
pub fn implied_target(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    const TARGET: u32 = 80;
    let is_theirs = |value: &Value| place.theirs == Some(value) && place.ours.is_none();
    let resource = match &*case.to.version {
        "v2alpha1" | "v2beta1" => json!({"name": "cpu", "targetAverageUtilization": TARGET}),
        _ => json!({"name": "cpu", "target": {"type": "Utilization", "averageUtilization": TARGET}}),
    };
    is_autoscaler(case)
        && case.from.api_version() == "autoscaling/v1"
        && asked_metrics(case).is_empty()
        && match &*place.path {
            "spec.targetCPUUtilizationPercentage" if case.converts => {
                !case.default && is_theirs(&json!(TARGET))
            }
            "spec.targetCPUUtilizationPercentage" => {
                case.default && place.theirs.is_none() && place.ours == Some(&json!(TARGET))
            }
            "spec.metrics" => {
                case.converts
                    && !case.default
                    && is_theirs(&json!([{"type": "Resource", "resource": resource}]))
            }
            _ => false,
        }
}

/// A conversion to v1. Their target is the first metric of the processor, and they drop the others.
/// Our target is the first metric whose target is a utilization; the others are among the metrics
/// in the annotation.
pub fn processor_metrics(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    if !is_autoscaler(case)
        || !case.converts
        || case.to.api_version() != "autoscaling/v1"
        || !(place.path == "spec.targetCPUUtilizationPercentage" || place.annotation() == Some(METRICS))
    {
        return false;
    }
    let asked = asked_metrics(case);
    let first = asked.iter().find_map(utilization).cloned().unwrap_or_default();
    let shown = asked.iter().position(|metric| utilization(metric).is_some() && is_utilization(metric));
    let target = shown.and_then(|at| utilization(&asked[at])).cloned().unwrap_or_default();
    let [_, theirs, ours] = case.annotation(METRICS);
    let [theirs, ours] = [theirs, ours].map(|text| match text {
        Some(text) => listed(Some(text)),
        None => Some(Vec::new()),
    });
    let (Some(theirs), Some(ours)) = (theirs, ours) else { return false };
    let ours = if case.from.version == "v2beta1" { nameless(ours.clone()) } else { ours };
    let others: Vec<&Value> = ours.iter().filter(|metric| utilization(metric).is_none()).collect();
    let mut expected: Vec<&Value> = asked.iter().filter_map(utilization).collect();
    if let Some(shown) = shown {
        let before = asked[..shown].iter().filter(|metric| utilization(metric).is_some()).count();
        expected.remove(before);
    }
    case.theirs("/spec/targetCPUUtilizationPercentage") == &first
        && case.ours("/spec/targetCPUUtilizationPercentage") == &target
        && ours.len() + usize::from(shown.is_some()) == asked.len()
        && ours.iter().filter_map(utilization).eq(expected)
        && theirs.iter().eq(others)
}

/// The metrics without the names of containers.
fn nameless(mut metrics: Vec<Value>) -> Vec<Value> {
    for container in
        metrics.iter_mut().filter_map(|metric| metric.pointer_mut("/containerResource/container"))
    {
        *container = "".into();
    }
    metrics
}

/// A conversion to or from v2beta1. They have an empty name, we have the one of the request.
pub fn container_metric(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    if !is_autoscaler(case)
        || !case.converts
        || ![&case.from.version, &case.to.version].iter().any(|version| *version == "v2beta1")
    {
        return false;
    }
    let asked = asked_metrics(case);
    let names = |metrics: &[Value]| -> Vec<Value> {
        metrics.iter().filter_map(|metric| metric.pointer("/containerResource/container").cloned()).collect()
    };
    if place.annotation() == Some(METRICS) {
        let [_, theirs, ours] = case.annotation(METRICS);
        let (Some(theirs), Some(ours)) = (listed(theirs), listed(ours)) else { return false };
        return names(&ours) == names(&asked) && nameless(ours) == theirs;
    }
    let index = || {
        let rest = place.path.strip_prefix("spec.metrics[")?;
        rest.strip_suffix("].containerResource.container")?.parse::<usize>().ok()
    };
    index().is_some_and(|index| {
        let name = asked.get(index).map(|metric| &metric["containerResource"]["container"]);
        place.theirs == Some(&json!("")) && place.ours == name
    })
}

/// A utilization at v1 that differs from the annotation with the statuses. They use the annotation
/// only; we use it with the value of the field.
pub fn field_wins(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    if !is_autoscaler(case)
        || !case.converts
        || case.from.api_version() != "autoscaling/v1"
        || !(place.path == "status.currentCPUUtilizationPercentage"
            || place.path.starts_with("status.currentMetrics")
            || place.annotation() == Some(STATUSES))
    {
        return false;
    }
    let (Some(kept), [Ok(theirs), Ok(ours)]) =
        (listed(case.annotation(STATUSES)[0]), [case.theirs, case.ours])
    else {
        return false;
    };
    let field = case.asked("/status/currentCPUUtilizationPercentage");
    let last = kept.iter().rev().find_map(|status| current(status)).cloned().unwrap_or_default();
    let mut edited = statuses(case.to, theirs);
    let utilizations = edited.iter_mut().filter(|status| current(status).is_some());
    if field.is_null() {
        utilizations.for_each(|status| set_current(status, field));
    } else if let Some(status) = utilizations.last() {
        set_current(status, field);
    } else {
        edited.push(status(case.to, field));
    }
    let shows = |answer: &Value, utilization: &Value| {
        case.to.version != "v1" || &answer["status"]["currentCPUUtilizationPercentage"] == utilization
    };
    *field != last
        && statuses(case.to, theirs).iter().map(current).eq(kept.iter().map(current))
        && edited == statuses(case.to, ours)
        && shows(theirs, &last)
        && shows(ours, field)
}

/// The statuses of metrics, at any version.
fn statuses(at: &KindEntry, answer: &Value) -> Vec<Value> {
    if at.version == "v1" {
        return listed(answer["metadata"]["annotations"][STATUSES].as_str()).unwrap_or_default();
    }
    answer["status"]["currentMetrics"].as_array().cloned().unwrap_or_default()
}

/// The current utilization of the processor in a status of any version.
fn current(status: &Value) -> Option<&Value> {
    let resource = &status["resource"];
    let values = [&resource["current"]["averageUtilization"], &resource["currentAverageUtilization"]];
    let value = values.into_iter().find(|value| value.is_number());
    value.filter(|_| status["type"] == "Resource" && resource["name"] == "cpu")
}

fn set_current(status: &mut Value, utilization: &Value) {
    let resource = &mut status["resource"];
    let (holder, name) = match resource.get("current") {
        Some(_) => (&mut resource["current"], "averageUtilization"),
        None => (resource, "currentAverageUtilization"),
    };
    let Some(holder) = holder.as_object_mut() else { return };
    if utilization.is_null() {
        holder.shift_remove(name);
    } else {
        holder.insert(name.to_owned(), utilization.clone());
    }
}

/// A status of the processor with a utilization only.
fn status(at: &KindEntry, utilization: &Value) -> Value {
    let resource = match &*at.version {
        "v1" | "v2beta1" => {
            json!({"name": "cpu", "currentAverageUtilization": utilization, "currentAverageValue": "0"})
        }
        _ => json!({"name": "cpu", "current": {"averageUtilization": utilization}}),
    };
    json!({"type": "Resource", "resource": resource})
}
