//! The differences that are meant, as docs/differences.md lists them: by name,
//! and by what they look like.

use hubgen_kubernetes::machinery::reflect::Field;
use hubgen_kubernetes::machinery::scheme::KindEntry;
use serde_json::Value;

use super::record::Record;

/// What was asked.
pub struct Case<'a> {
    /// What the object is.
    pub from: &'static KindEntry,
    /// What it becomes; the same where it is only defaulted.
    pub to: &'static KindEntry,
    /// The request and all its answers.
    pub record: &'a Record,
}

/// A field and the struct that it is in.
pub type Owned = (&'static str, &'static Field);

/// Where two answers differ.
pub struct Place<'a> {
    /// `spec.containers[0].image`; empty for the whole.
    pub path: String,
    /// The value there; `null` for none.
    pub theirs: &'a Value,
    /// Our value; `null` for none.
    pub ours: &'a Value,
    /// The field that holds it, itself or as an element.
    pub field: Option<Owned>,
    /// Why one of the two refused.
    pub refused: Option<&'a str>,
}

/// A difference that is meant.
struct Difference {
    /// The heading in docs/differences.md.
    name: &'static str,
    applies: fn(&Case<'_>, &Place<'_>) -> bool,
}

const DIFFERENCES: &[Difference] = &[
    Difference { name: "Fields that later releases dropped stay", applies: dropped_field },
    Difference { name: "What nobody set stays absent", applies: absent },
    Difference { name: "Nothing is refused for a text that does not read", applies: refused_text },
    Difference { name: "Annotations without a meaning do not travel", applies: stale_annotation },
    Difference { name: "The target that autoscaling/v1 implies is a default", applies: implied_target },
    Difference { name: "Metrics of the processor are all kept", applies: processor_metrics },
    Difference { name: "Metrics of a container keep its name", applies: container_metric },
    Difference { name: "What a version can say it says unchanged", applies: unchanged },
    Difference { name: "What is stored once is said in one way", applies: said_twice },
    Difference { name: "Volumes of attachments are defaulted at v1alpha1", applies: attached_volume },
];

fn dropped_field(_: &Case<'_>, place: &Place<'_>) -> bool {
    place.theirs.is_null() && place.field.is_some_and(|(_, field)| field.facts.until.is_some())
}

/// Upstream's internal type has a value where the versions have pointers.
fn absent(case: &Case<'_>, place: &Place<'_>) -> bool {
    let is_strategy = place.field.is_some_and(|(of, _)| of.starts_with("RollingUpdate"));
    let is_unset = !case.record.default || is_strategy;
    is_unset && place.ours.is_null() && is_zero(place.theirs) && place.refused.is_none()
}

fn refused_text(case: &Case<'_>, place: &Place<'_>) -> bool {
    let texts: &[&str] = match case.from.kind {
        "Deployment" | "HorizontalPodAutoscaler" => &["failed to parse annotation"],
        "DaemonSet" => &["strconv.ParseInt: parsing"],
        "Scale" => &["failed to parse selector"],
        _ => &[],
    };
    case.record.answer.is_ok()
        && place.refused.is_some_and(|error| texts.iter().any(|text| error.contains(text)))
}

/// Annotations of upstream's: the kind that has them, and the versions that
/// say something in them.
const ANNOTATIONS: &[(&str, &str, &[&str])] = &[
    ("deprecated.deployment.rollback.to", "Deployment", &["apps/v1", "apps/v1beta2"]),
    ("deprecated.daemonset.template.generation", "DaemonSet", &["apps/v1", "apps/v1beta2"]),
    (
        "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares",
        "PriorityLevelConfiguration",
        &["flowcontrol.apiserver.k8s.io/v1beta3"],
    ),
];

/// One that the object came with, at a version that says nothing in it, or
/// holding what does not read.
fn stale_annotation(case: &Case<'_>, place: &Place<'_>) -> bool {
    if is_autoscaler(case) {
        return stale_tolerance(case, place);
    }
    let is_stale = |key: &str, value: &Value| {
        let came_with = case.record.object.pointer("/metadata/annotations").and_then(|all| all.get(key));
        came_with == Some(value)
            && ANNOTATIONS.iter().any(|(annotation, kind, versions)| {
                let reads = value.as_str().is_some_and(|text| text.parse::<i64>().is_ok());
                *annotation == key
                    && *kind == case.from.kind
                    && !(reads && versions.contains(&&*case.from.api_version()))
            })
    };
    // A mark that is due has no text.
    if !place.ours.is_null() && place.ours != "" {
        return false;
    }
    match place.path.strip_prefix("metadata.annotations") {
        Some("") => {
            place.theirs.as_object().is_some_and(|all| all.iter().all(|(key, value)| is_stale(key, value)))
        }
        Some(key) => is_stale(key.trim_start_matches('.'), place.theirs),
        None => false,
    }
}

/// A tolerance of a behavior that the object does not have.
fn stale_tolerance(case: &Case<'_>, place: &Place<'_>) -> bool {
    let annotations = case.record.object.pointer("/metadata/annotations");
    let is_stale = |(annotation, behavior): (&str, &str)| {
        let key = format!("autoscaling.alpha.kubernetes.io/{annotation}-tolerance");
        annotations.is_some_and(|all| all.get(&key).is_some())
            && case.record.object.pointer(behavior).is_none()
    };
    case.from.version == "v2beta2"
        && place.ours.is_null()
        && (place.path.starts_with("spec.behavior")
            || place.path == "metadata.annotations"
            || place.path.starts_with("metadata.annotations.autoscaling.alpha.kubernetes.io/"))
        && [("scale-up", "/spec/behavior/scaleUp"), ("scale-down", "/spec/behavior/scaleDown")]
            .into_iter()
            .any(is_stale)
}

fn is_autoscaler(case: &Case<'_>) -> bool {
    // Or a list of them.
    case.from.kind.starts_with("HorizontalPodAutoscaler")
}

fn implied_target(case: &Case<'_>, place: &Place<'_>) -> bool {
    const TARGET: u64 = 80;
    if !is_autoscaler(case) || case.from.version != "v1" {
        return false;
    }
    let is_target = |value: &Value| value.as_u64() == Some(TARGET);
    let is_metric = |metrics: &Value| {
        let metric = metrics.get(0).filter(|metric| metric["resource"]["name"] == "cpu");
        metrics.as_array().is_some_and(|metrics| metrics.len() == 1)
            && metric.is_some_and(|metric| {
                is_target(&metric["resource"]["target"]["averageUtilization"])
                    || is_target(&metric["resource"]["targetAverageUtilization"])
            })
    };
    match &*place.path {
        // In the defaults it is ours, in the conversion theirs.
        "spec.targetCPUUtilizationPercentage" => {
            (place.theirs.is_null() && is_target(place.ours))
                || (place.ours.is_null() && is_target(place.theirs))
        }
        "spec.metrics" => place.ours.is_null() && is_metric(place.theirs),
        path => {
            // In a list it is an item.
            place.theirs.is_null()
                && is_target(place.ours)
                && path.ends_with("].spec.targetCPUUtilizationPercentage")
        }
    }
}

/// Of an object with several metrics of the processor, or one that holds a
/// utilization and says that it is of another type.
fn processor_metrics(case: &Case<'_>, place: &Place<'_>) -> bool {
    let is_processor = |metric: &&Value| {
        let resource = &metric["resource"];
        metric["type"] == "Resource"
            && resource["name"] == "cpu"
            && (resource["target"]["averageUtilization"].is_number()
                || resource["targetAverageUtilization"].is_number())
    };
    let is_other = |metric: &&Value| metric["resource"]["target"]["type"] != "Utilization";
    let metrics = case.record.object.pointer("/spec/metrics").and_then(Value::as_array);
    let found: Vec<&Value> = metrics.into_iter().flatten().filter(is_processor).collect();
    let is_odd = found.len() > 1 || (case.from.version != "v2beta1" && found.iter().any(is_other));
    is_autoscaler(case)
        && case.to.version == "v1"
        && is_odd
        && [
            "spec.targetCPUUtilizationPercentage",
            "metadata.annotations",
            "metadata.annotations.autoscaling.alpha.kubernetes.io/metrics",
        ]
        .contains(&&*place.path)
}

fn container_metric(case: &Case<'_>, place: &Place<'_>) -> bool {
    const METRICS: &str = "metadata.annotations.autoscaling.alpha.kubernetes.io/metrics";
    if !is_autoscaler(case) || ![case.from.version, case.to.version].contains(&"v2beta1") {
        return false;
    }
    if place.path != METRICS {
        return place.path.ends_with("].containerResource.container") && place.theirs == "";
    }
    let metrics = |value: &Value| serde_json::from_str::<Value>(value.as_str()?).ok();
    let nameless = |mut metrics: Value| {
        for metric in metrics.as_array_mut()? {
            if let Some(container) = metric.pointer_mut("/containerResource/container") {
                *container = "".into();
            }
        }
        Some(metrics)
    };
    metrics(place.ours).and_then(nameless) == metrics(place.theirs)
}

/// Upstream's way to its internal type loses it.
fn unchanged(case: &Case<'_>, place: &Place<'_>) -> bool {
    const EMPTY_SELECTOR: &str = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";
    match case.from.kind {
        "CustomResourceDefinition" => {
            let webhook = case.record.object.pointer("/spec/conversion/webhook");
            case.from == case.to && place.path == "spec.conversion.webhook" && webhook == Some(place.ours)
        }
        "PodDisruptionBudget" => {
            let expressions = case.record.object.pointer("/spec/selector/matchExpressions");
            let keys = expressions.and_then(Value::as_array).into_iter().flatten().map(|one| &one["key"]);
            case.from.version == "v1"
                && place.path == "spec.selector.matchExpressions"
                && keys.into_iter().any(|key| key == EMPTY_SELECTOR)
        }
        _ => false,
    }
}

/// Where the version stays and what is stored has less room than it.
fn said_twice(case: &Case<'_>, place: &Place<'_>) -> bool {
    if case.from.kind == "Ingress" {
        // A backend whose port is the empty text, and nothing else.
        let nothing = serde_json::json!({"name": "", "port": {}});
        return place.ours.is_null() && *place.theirs == nothing && case.from.version == "v1beta1";
    }
    const TWICE: [&str; 7] = [
        "additionalPrinterColumns",
        "preserveUnknownFields",
        "schema",
        "selectableFields",
        "subresources",
        "validation",
        "version",
    ];
    let Some((of, field)) = place.field else { return false };
    let is_said = match case.from.kind {
        "CustomResourceDefinition" => {
            of.starts_with("CustomResourceDefinition")
                && (TWICE.contains(&field.name) || place.path == "spec.versions")
        }
        "StatefulSet" => place.path == "status.observedGeneration" && place.ours == 0,
        _ => false,
    };
    is_said && case.from == case.to && case.from.version == "v1beta1"
}

fn attached_volume(case: &Case<'_>, place: &Place<'_>) -> bool {
    case.from.kind.starts_with("VolumeAttachment")
        && case.from.version == "v1alpha1"
        && case.record.default
        && place.theirs.is_null()
        && place.path.contains("spec.source.inlineVolumeSpec.")
}

/// What Go shows of a value that nobody has set.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        Value::Object(members) => members.values().all(is_zero),
    }
}

/// The name of the difference that explains it.
pub fn listed(case: &Case<'_>, place: &Place<'_>) -> Option<&'static str> {
    let difference = DIFFERENCES.iter().find(|difference| (difference.applies)(case, place));
    difference.map(|difference| difference.name)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// What is not written down nobody has agreed to.
    #[test]
    fn every_difference_is_written_down() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/differences.md");
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        let names: Vec<&str> = DIFFERENCES.iter().map(|difference| difference.name).collect();
        assert_eq!(names, headings);
        assert!(names.len() <= 12, "a dozen at most");
    }
}
