//! Labels and their selectors, as text.

use std::collections::BTreeMap;

use hubgen_machinery::columns::{Cell, Value};
use hubgen_machinery::scalar::Time;

/// All labels: `app=web,tier=front`.
pub fn all(labels: Value<'_>, _: Time) -> Cell {
    let mut labels: Vec<String> =
        labels.entries().into_iter().map(|(key, value)| format!("{key}={}", value.text())).collect();
    labels.sort_unstable();
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

/// Whether a text is the key of a label: a name, perhaps after a domain and a slash.
fn is_key(key: &str) -> bool {
    let (domain, name) = match key.split_once('/') {
        Some((domain, name)) => (Some(domain), name),
        None => (None, key),
    };
    let is_of_domain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_label = |label: &str| {
        label.starts_with(is_of_domain)
            && label.ends_with(is_of_domain)
            && label.chars().all(|c| is_of_domain(c) || c == '-')
    };
    let is_domain = |domain: &str| domain.len() <= 253 && domain.split('.').all(is_label);
    !name.is_empty() && is_value(name) && domain.is_none_or(is_domain)
}

/// Whether a text is the value of a label.
fn is_value(text: &str) -> bool {
    let is_end = |c: char| c.is_ascii_alphanumeric();
    let is_inside = |c: char| is_end(c) || matches!(c, '-' | '_' | '.');
    let is_name = text.starts_with(is_end) && text.ends_with(is_end) && text.chars().all(is_inside);
    text.is_empty() || (text.len() <= 63 && is_name)
}

/// The text of a label selector; `None` if it contains what is no requirement.
fn text(selector: Value<'_>) -> Option<String> {
    // By their keys; there can be several of one key.
    let mut requirements: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (key, value) in selector.get("matchLabels").entries() {
        if !is_key(key) || !is_value(value.text()) {
            return None;
        }
        requirements.entry(key).or_default().push(format!("{key}={}", value.text()));
    }
    for expression in selector.get("matchExpressions").items() {
        let key = expression.get("key").text();
        let mut values: Vec<&str> = expression.get("values").items().map(Value::text).collect();
        values.sort_unstable();
        if !is_key(key) || !values.iter().all(|value| is_value(value)) {
            return None;
        }
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
