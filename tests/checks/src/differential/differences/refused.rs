//! A text that does not parse is no reason to refuse.

use std::collections::BTreeMap;

use hubgen_kubernetes::machinery::scalar::Quantity;
use serde_json::Value;

use super::annotations::{GENERATION, ROLLBACK};
use super::autoscalers::{DIRECTIONS, behavior, tolerance_key};
use super::{Case, Mismatch};

/// They refuse to convert because of the text; we convert without it, or copy it unchanged.
pub fn applies(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    let (Err(error), Ok(_)) = (case.theirs, case.ours) else { return false };
    place.path.is_empty()
        && case.converts
        && match case.kind {
            "Deployment" => rollback(case, error),
            "DaemonSet" => generation(case, error),
            "HorizontalPodAutoscaler" => tolerance(case, error),
            "Scale" => selector(case, error),
            _ => false,
        }
}

/// The annotation is not an integer, and is dropped.
fn rollback(case: &Case<'_>, error: &str) -> bool {
    let [Some(text), _, None] = case.annotation(ROLLBACK) else { return false };
    text.parse::<i64>().is_err()
        && error.starts_with(&format!("failed to parse annotation[{ROLLBACK}]={text} as int64: "))
        && case.ours("/spec/rollbackTo").is_null()
}

/// The annotation is not an integer, and is treated as absent: generations are counted from 0.
fn generation(case: &Case<'_>, error: &str) -> bool {
    let [Some(text), _, ours] = case.annotation(GENERATION) else { return false };
    text.parse::<i64>().is_err()
        && error.starts_with("strconv.ParseInt: parsing \"")
        && matches!(ours, None | Some("0"))
        && matches!(case.ours("/spec/templateGeneration").as_i64(), None | Some(0))
}

/// The annotation is not a quantity, and is dropped.
fn tolerance(case: &Case<'_>, error: &str) -> bool {
    DIRECTIONS.into_iter().any(|direction| {
        let key = tolerance_key(direction);
        let [Some(text), _, None] = case.annotation(&key) else { return false };
        let Some(ours) = behavior(case.to, case.ours.unwrap_or(&Value::Null)) else { return false };
        text.parse::<Quantity>().is_err()
            && error.starts_with(&format!("failed to parse annotation \"{key}\": "))
            && ours[direction.field]["tolerance"].is_null()
    })
}

/// The selector cannot be parsed, and is copied unchanged.
fn selector(case: &Case<'_>, error: &str) -> bool {
    let text = match (case.asked("/status/targetSelector"), case.asked("/status/selector")) {
        (Value::String(text), _) if !text.is_empty() => text.clone(),
        (_, Value::String(text)) => text.clone(),
        (_, Value::Object(labels)) => {
            let labels: BTreeMap<_, _> = labels.iter().collect();
            let label =
                |(key, value): (&String, &Value)| format!("{key}={}", value.as_str().unwrap_or_default());
            labels.into_iter().map(label).collect::<Vec<_>>().join(",")
        }
        _ => return false,
    };
    error.starts_with("failed to parse selector: couldn't parse the selector string \"")
        && case.ours("/status/targetSelector") == &Value::String(text)
        && case.ours("/status/selector").is_null()
}
