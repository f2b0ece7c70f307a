//! Older releases answer otherwise.

use serde_json::{Value, json};

use super::{Case, Mismatch, at, pointer};
use crate::differential::record::Release;

/// The reference release, whose answers ours equal.
const REFERENCE: Release = Release::new(1, 37);

pub fn applies(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    let Some(release) = case.release else { return false };
    nulls(release, place)
        || (release < REFERENCE
            && (later_field(release, case, place)
                || later_default(case, place)
                || earlier_default(case, place)
                || later_member(case, place)
                || without_row(case, place)
                || empty_reference(case, place)
                || empty_word(case, place)
                || agreement(case, place)
                || grace_period(case, place)
                || forgotten(case, place)
                || stripped(case, place)
                || zero_beside_average(case, place)))
}

/// Fields by struct, with the first release that omits them.
const NULLS: [(&str, &str, Release); 3] = [
    ("NodeAllocatableResourceClaimStatus", "resources", Release::new(1, 37)),
    ("ObjectMeta", "creationTimestamp", Release::new(1, 34)),
    ("ResourceSliceSpec", "devices", Release::new(1, 33)),
];

/// They write `null`; we write nothing.
fn nulls(release: Release, place: &Mismatch<'_>) -> bool {
    place.theirs == Some(&Value::Null)
        && place.ours.is_none()
        && NULLS.iter().any(|(of, name, left_out)| place.is_field(of, name) && release < *left_out)
}

/// A field that their release did not have, and that is always written or has a default. They have nothing; we have it:
/// from the request, which we wrote, or though the request has not.
fn later_field(release: Release, case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    let since: Option<Release> =
        place.field.and_then(|(_, field)| field.facts.since()).and_then(|since| since.parse().ok());
    since.is_some_and(|since| since > release)
        && place.theirs.is_none()
        && place.ours.is_some_and(|ours| [&Value::Null, ours].contains(&case.asked(&pointer(&place.path))))
}

/// A default that 1.36 was the last to set. They have it; we have nothing, as the request.
fn earlier_default(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    let is_multiplier = place.is_field("NodeAllocatableResourceMapping", "allocationMultiplier")
        && place.theirs == Some(&json!("1"));
    // Of a whole pod: what its containers request together, and their limits of huge pages.
    let is_huge_page = |name: &str| name.starts_with("hugepages-");
    let is_of_pod = case.kind == "Pod"
        && match place.path.strip_prefix("spec.resources.") {
            Some("limits") => {
                let limits = place.theirs.and_then(Value::as_object);
                limits.is_some_and(|limits| limits.keys().all(|name| is_huge_page(name)))
            }
            Some(path) => {
                path.starts_with("requests") || path.strip_prefix("limits.").is_some_and(is_huge_page)
            }
            None => false,
        };
    case.default
        && (is_multiplier || is_of_pod)
        && place.theirs.is_some()
        && place.ours.is_none()
        && case.asked(&pointer(&place.path)).is_null()
}

/// The conditions of an autoscaler, in an annotation. Before 1.37 conditions had no `observedGeneration`; ours are the
/// same but for that.
fn later_member(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    let parsed =
        |value: Option<&Value>| -> Option<Vec<Value>> { serde_json::from_str(value?.as_str()?).ok() };
    let (Some(theirs), Some(mut ours)) = (parsed(place.theirs), parsed(place.ours)) else { return false };
    for condition in ours.iter_mut().filter_map(Value::as_object_mut) {
        condition.shift_remove("observedGeneration");
    }
    case.kind == "HorizontalPodAutoscaler"
        && place.annotation() == Some("autoscaling.alpha.kubernetes.io/conditions")
        && theirs == ours
}

/// A word that 1.37 has no object for. They copy it; we refuse the object, as no server accepted it.
fn without_row(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    let (Ok(theirs), Err(error)) = (case.theirs, case.ours) else { return false };
    let is_row = |word: &Value| word == "Pod" || word == "PodGroup";
    let words: Vec<&Value> = match case.kind {
        "PodGroup" => vec![at(theirs, "/spec/disruptionMode")],
        "Workload" => {
            let templates = at(theirs, "/spec/podGroupTemplates").as_array().into_iter().flatten();
            templates.map(|template| &template["disruptionMode"]).collect()
        }
        _ => return false,
    };
    place.path.is_empty()
        && case.is_between(&["scheduling.k8s.io/v1alpha2"], &["scheduling.k8s.io/v1alpha2"])
        && error.contains("disruptionMode: table: no row of the table has ")
        && words.iter().any(|word| word.is_string() && !is_row(word))
}

/// A reference of a PodGroup at v1alpha2 that names nothing. They keep the empty object; the hub has no place for it.
fn empty_reference(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    case.converts
        && case.is_between(&["scheduling.k8s.io/v1alpha2"], &["scheduling.k8s.io/v1alpha2"])
        && place.is_field("PodGroupSpec", "podGroupTemplateRef")
        && place.theirs == Some(&json!({"workload": null}))
        && place.ours.is_none_or(Value::is_null)
}

/// A default that 1.37 was the first to set. They have nothing; we have the default.
fn later_default(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    let defaults = [
        ("RollingUpdateStatefulSetStrategy", "maxUnavailable", json!(1)),
        ("CSIDriverSpec", "preventPodSchedulingIfMissing", json!(false)),
    ];
    let is_it =
        |(of, name, value): &(&str, &str, Value)| place.is_field(of, name) && place.ours == Some(value);
    case.default
        && defaults.iter().any(is_it)
        && place.theirs.is_none()
        && case.asked(&pointer(&place.path)).is_null()
}

/// An empty word for the disruption of a PodGroup. They keep it; for us it is none.
fn empty_word(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    case.is_between(&["scheduling.k8s.io/v1alpha2"], &["scheduling.k8s.io/v1alpha2"])
        && ["PodGroupSpec", "PodGroupTemplate"].iter().any(|of| place.is_field(of, "disruptionMode"))
        && place.theirs == Some(&json!(""))
        && place.ours.is_none()
}

/// Pairs of fields by struct: the one that wins, and the other.
const PAIRS: [(&str, &str, &str); 2] =
    [("PodSpec", "serviceAccountName", "serviceAccount"), ("PodStatus", "podIP", "podIPs")];

/// They make two fields that mean the same agree in conversions, we in defaulting, as 1.37 does. So after a conversion
/// alone, their fields agree and ours are those of the request; after defaulting alone, the other way round.
fn agreement(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    // The first address may differ itself.
    let list = place.path.strip_suffix("[0].ip").filter(|_| place.is_field("PodIP", "ip"));
    let path = list.unwrap_or(&place.path);
    let Some((parent, name)) = path.rsplit_once('.') else { return false };
    let Some((wins, other)) = PAIRS.iter().find_map(|(of, wins, other)| {
        let is_it = list.is_some() && name == *other || place.is_field(of, wins) || place.is_field(of, other);
        is_it.then_some((*wins, *other))
    }) else {
        return false;
    };
    let pair = |object: &Value| {
        let parent = at(object, &pointer(parent));
        [wins, other].map(|name| match &parent[name] {
            Value::Null => json!(if name == "podIPs" { json!([]) } else { json!("") }),
            value => value.clone(),
        })
    };
    let ([Ok(theirs), Ok(ours)], asked) = ([case.theirs, case.ours], pair(case.asked)) else { return false };
    let agreed = agreed(&asked);
    match (case.converts || case.served, case.default) {
        (true, false) => pair(theirs) == agreed && pair(ours) == asked,
        (false, true) => pair(ours) == agreed && pair(theirs) == asked,
        _ => false,
    }
}

/// Both fields, brought into agreement.
fn agreed([wins, other]: &[Value; 2]) -> [Value; 2] {
    match other {
        Value::Array(list) => {
            let first = list.first().map_or("", |item| item["ip"].as_str().unwrap_or_default());
            match wins.as_str() {
                Some("") => [json!(first), other.clone()],
                text if text == Some(first) => [wins.clone(), other.clone()],
                _ => [wins.clone(), json!([{"ip": wins}])],
            }
        }
        _ if wins == "" => [other.clone(), other.clone()],
        _ => [wins.clone(), wins.clone()],
    }
}

/// A negative grace period of a pod. They change it to 1 in conversions, we in defaulting.
fn grace_period(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    let is_negative =
        |value: Option<&Value>| value.and_then(Value::as_i64).is_some_and(|seconds| seconds < 0);
    let (changed, same) = if case.default { (place.ours, place.theirs) } else { (place.theirs, place.ours) };
    case.kind == "Pod"
        && place.path == "spec.terminationGracePeriodSeconds"
        && (case.converts || case.served) != case.default
        && changed == Some(&json!(1))
        && is_negative(same)
}

/// Annotations that fields had replaced, of pods and their templates. They remove them; we have those of the request.
fn forgotten(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    const KEYS: [&str; 4] = [
        "pod.alpha.kubernetes.io/init-containers",
        "pod.beta.kubernetes.io/init-containers",
        "pod.alpha.kubernetes.io/init-container-statuses",
        "pod.beta.kubernetes.io/init-container-statuses",
    ];
    let Some((annotations, key)) = place.path.split_once("annotations.") else { return false };
    let is_of_pod = matches!(annotations, "metadata.") && case.kind == "Pod"
        || annotations.ends_with("template.metadata.");
    is_of_pod
        && KEYS.contains(&key)
        && place.theirs.is_none()
        && place.ours == Some(&at(case.asked, &pointer(&format!("{annotations}annotations")))[key])
}

/// Expressions over upstream's own key in the selector of a PodDisruptionBudget at v1. They remove them when they read
/// the version, and write what selects everything if nothing is left; we have the selector of the request.
fn stripped(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    const EMPTY_SELECTOR: &str = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";
    const SELECTOR: &str = "/spec/selector";
    let asked = at(case.read, SELECTOR);
    let Some(expressions) = asked["matchExpressions"].as_array() else { return false };
    let kept: Vec<&Value> = expressions.iter().filter(|one| one["key"] != EMPTY_SELECTOR).collect();
    let mut theirs = asked.clone();
    if !kept.is_empty() {
        theirs["matchExpressions"] = json!(kept);
    } else if case.to.version == "v1beta1" && asked["matchLabels"].is_null() {
        theirs["matchExpressions"] = json!([{"key": EMPTY_SELECTOR, "operator": "DoesNotExist"}]);
    } else if let Value::Object(members) = &mut theirs {
        members.shift_remove("matchExpressions");
    }
    case.converts
        && case.kind == "PodDisruptionBudget"
        && case.from.version == "v1"
        && place.path.starts_with("spec.selector")
        && kept.len() < expressions.len()
        && *case.theirs(SELECTOR) == theirs
        && case.ours(SELECTOR) == asked
}

/// The value of an autoscaler's object metric whose target is an average: versions before v2beta2 cannot omit it. They
/// read the zero as a value; we do not.
fn zero_beside_average(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    let Some((target, "value")) = place.path.rsplit_once('.') else { return false };
    case.converts
        && place.is_field("MetricTarget", "value")
        && place.theirs == Some(&json!("0"))
        && place.ours.is_none()
        && !case.ours(&pointer(&format!("{target}.averageValue"))).is_null()
}
