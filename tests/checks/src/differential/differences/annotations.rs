//! Annotations without a meaning are dropped.

use hubgen_kubernetes::machinery::scalar::Quantity;
use serde_json::{Value, json};

use super::autoscalers::{BEHAVIOR, DIRECTIONS, Direction, behavior, tolerance_key};
use super::{Case, Mismatch};

pub const ROLLBACK: &str = "deprecated.deployment.rollback.to";
pub const GENERATION: &str = "deprecated.daemonset.template.generation";
pub const ZERO_SHARES: &str = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

pub fn applies(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    match (case.kind, place.annotation()) {
        ("HorizontalPodAutoscaler", _) => case.converts && stale_tolerance(case, place),
        ("Deployment", Some(ROLLBACK)) => case.converts && stale_rollback(case),
        ("DaemonSet", Some(GENERATION)) => case.converts && stale_generation(case),
        ("PriorityLevelConfiguration", Some(ZERO_SHARES)) => case.converts && stale_zero(case),
        _ => false,
    }
}

/// They keep the annotation of the request at a version that has a field for its value; we drop it.
/// Either the request is of such a version too, or the annotation contains nothing.
fn stale_rollback(case: &Case<'_>) -> bool {
    const FIELD: &[&str] = &["extensions/v1beta1", "apps/v1beta1"];
    const NONE: &[&str] = &["apps/v1", "apps/v1beta2"];
    let [Some(asked), theirs, None] = case.annotation(ROLLBACK) else { return false };
    theirs == Some(asked)
        && (case.is_between(FIELD, FIELD) || (asked.is_empty() && case.is_between(NONE, FIELD)))
}

/// The same for another annotation; extensions/v1beta1 has the field.
fn stale_generation(case: &Case<'_>) -> bool {
    const FIELD: &[&str] = &["extensions/v1beta1"];
    let [Some(asked), theirs, None] = case.annotation(GENERATION) else { return false };
    theirs == Some(asked) && case.is_between(FIELD, FIELD)
}

/// The annotation has a meaning at v1beta3 only, where reading removes it. They keep it at other
/// versions; we write it at v1beta3 if shares are zero, with an empty value.
fn stale_zero(case: &Case<'_>) -> bool {
    let limited = &case.read["spec"]["limited"];
    if let [None, Some(""), None] = case.annotation(ZERO_SHARES) {
        // Older releases bring the object to v1alpha1 through v1beta3.
        let is_zero = |name: &str| matches!(limited[name].as_i64(), None | Some(0));
        return case.to.version == "v1alpha1"
            && limited.is_object()
            && is_zero("nominalConcurrencyShares")
            && is_zero("assuredConcurrencyShares");
    }
    let [Some(asked), theirs, ours] = case.annotation(ZERO_SHARES) else { return false };
    let is_due = case.to.version == "v1beta3"
        && case.ours("/spec/limited").is_object()
        && matches!(case.ours("/spec/limited/nominalConcurrencyShares").as_i64(), None | Some(0));
    case.from.version != "v1beta3"
        && theirs == Some(asked)
        && (ours.is_none() || (is_due && ours == Some("")))
}

/// An annotation of v2beta2 with a tolerance for a direction in which the object has no behavior.
/// They create a behavior for it; we drop the annotation.
fn stale_tolerance(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    if case.from.version != "v2beta2" {
        return false;
    }
    let is_stale = |direction: &Direction| {
        let text = case.annotation(&tolerance_key(*direction))[0]?;
        let quantity: Quantity = text.parse().ok()?;
        // Defaulting completes both directions if an object has one.
        let has_behavior = match &case.asked("/spec/behavior") {
            Value::Object(behavior) => {
                case.default || behavior.get(direction.field).is_some_and(|rules| !rules.is_null())
            }
            _ => false,
        };
        (!has_behavior).then(|| (*direction, quantity.to_string()))
    };
    let stale: Vec<(Direction, String)> = DIRECTIONS.iter().filter_map(is_stale).collect();
    let [Ok(theirs), Ok(ours)] = [case.theirs, case.ours] else { return false };
    let concerns = place.path == "spec.behavior"
        || place.annotation() == Some(BEHAVIOR)
        || stale.iter().any(|(direction, _)| {
            place.path == format!("spec.behavior.{}", direction.field)
                || place.annotation() == Some(&tolerance_key(*direction))
        });
    if !concerns || stale.is_empty() {
        return false;
    }
    // The difference is in the whole behavior: ours with what the annotations add equals theirs.
    let (Some(theirs), Some(mut added)) = (behavior(case.to, theirs), behavior(case.to, ours)) else {
        return false;
    };
    for (direction, tolerance) in stale {
        if !added[direction.field].is_null() {
            return false;
        }
        added[direction.field] = json!({"tolerance": tolerance});
    }
    added == theirs
}
