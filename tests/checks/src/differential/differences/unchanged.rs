//! The hub's version keeps what it can hold.

use serde_json::Value;

use super::{Case, Mismatch, at};

const EMPTY_SELECTOR: &str = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";

pub fn applies(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    case.converts
        && case.from == case.to
        && case.from.version == "v1"
        && match case.kind {
            "CustomResourceDefinition" => empty_webhook(case, place),
            "PodDisruptionBudget" => expressions(case, place),
            _ => false,
        }
}

/// The request contains an empty webhook. They have none; we have it.
fn empty_webhook(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    let webhook = at(case.read, "/spec/conversion/webhook");
    let is_empty = |webhook: &Value| {
        webhook.as_object().is_some_and(|members| {
            members.iter().all(|(name, value)| {
                name == "conversionReviewVersions" && (value.is_null() || value == &Value::Array(Vec::new()))
            })
        })
    };
    place.path == "spec.conversion.webhook"
        && is_empty(webhook)
        && place.theirs.is_none()
        && place.ours.is_some_and(is_empty)
}

/// They have the expressions of the request except those with upstream's own key; we have all of
/// them.
fn expressions(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    let Some(asked) = at(case.read, "/spec/selector/matchExpressions").as_array() else { return false };
    let stripped: Vec<&Value> = asked.iter().filter(|one| one["key"] != EMPTY_SELECTOR).collect();
    let theirs =
        place.theirs.map_or(Some(Vec::new()), |theirs| theirs.as_array().map(|all| all.iter().collect()));
    place.path == "spec.selector.matchExpressions"
        && stripped.len() < asked.len()
        && theirs == Some(stripped)
        && place.ours.and_then(Value::as_array) == Some(asked)
}
