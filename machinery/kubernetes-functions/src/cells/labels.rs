//! Labels and their selectors, as text.

use std::collections::BTreeMap;

use hubgen_machinery::columns::{Cell, Value};
use hubgen_machinery::scalar::Time;

/// All labels: `app=web,tier=front`.
pub fn all(labels: Value<'_>, _: Time) -> Cell {
    let labels: Vec<String> =
        labels.entries().into_iter().map(|(key, value)| format!("{key}={}", value.text())).collect();
    or_none(labels.join(","))
}

/// A label selector, as clients write it in a query.
pub fn selector(selector: Value<'_>, _: Time) -> Cell {
    text(selector).map_or_else(|| Cell::text("<error>"), or_none)
}

/// The same for Deployments, whose empty selector shows nothing.
pub fn selector_or_empty(selector: Value<'_>, _: Time) -> Cell {
    Cell::Text(text(selector).unwrap_or_else(|| "<invalid>".to_owned()))
}

fn or_none(text: String) -> Cell {
    Cell::Text(if text.is_empty() { "<none>".to_owned() } else { text })
}

/// The text of a label selector; `None` if it contains what is no requirement.
fn text(selector: Value<'_>) -> Option<String> {
    // By their keys; there can be several of one key.
    let mut requirements: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (key, value) in selector.get("matchLabels").entries() {
        requirements.entry(key).or_default().push(format!("{key}={}", value.text()));
    }
    for expression in selector.get("matchExpressions").items() {
        let key = expression.get("key").text();
        let mut values: Vec<&str> = expression.get("values").items().map(Value::text).collect();
        values.sort_unstable();
        let requirement = match (expression.get("operator").text(), &*values) {
            ("In", [_, ..]) => format!("{key} in ({})", values.join(",")),
            ("NotIn", [_, ..]) => format!("{key} notin ({})", values.join(",")),
            ("Exists", []) => key.to_owned(),
            ("DoesNotExist", []) => format!("!{key}"),
            _ => return None,
        };
        requirements.entry(key).or_default().push(requirement);
    }
    let all: Vec<String> = requirements.into_values().flatten().collect();
    Some(all.join(","))
}
