//! The hub's version keeps what it can hold.

use serde_json::Value;

use super::{Case, Mismatch, at};

pub fn applies(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    case.converts
        && case.from == case.to
        && case.from.version == "v1"
        && case.kind == "CustomResourceDefinition"
        && empty_webhook(case, place)
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
