//! Label selectors as text, in the order of upstream: by key.

use serde_json::Value;

/// A selector in an object as the text that a list takes: a `LabelSelector`, or a map from labels to their values. `None`
/// if it is absent, or has an operator that no text has.
pub(super) fn text(selector: &Value) -> Option<String> {
    let selector = selector.as_object()?;
    let mut terms: Vec<(&str, String)> = Vec::new();
    let is_map = selector.values().all(Value::is_string);
    let labels = if is_map { Some(selector) } else { selector.get("matchLabels").and_then(Value::as_object) };
    for (key, value) in labels.into_iter().flatten() {
        terms.push((key, format!("{key}={}", value.as_str()?)));
    }
    for expression in selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten() {
        let key = expression["key"].as_str()?;
        let values = expression["values"].as_array().map_or(&[][..], Vec::as_slice);
        let mut values: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
        values.sort_unstable();
        let values = values.join(",");
        let term = match expression["operator"].as_str()? {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "Exists" => key.to_owned(),
            "DoesNotExist" => format!("!{key}"),
            _ => return None,
        };
        terms.push((key, term));
    }
    terms.sort_by_key(|(key, _)| *key);
    Some(terms.into_iter().map(|(_, term)| term).collect::<Vec<_>>().join(","))
}

/// The labels of a selector that has nothing but labels with their values.
pub(super) fn labels(selector: &Value) -> Option<Value> {
    let selector = selector.as_object()?;
    if selector.values().all(Value::is_string) && !selector.is_empty() {
        return Some(Value::Object(selector.clone()));
    }
    let is_simple =
        selector.get("matchExpressions").is_none_or(|all| all.as_array().is_none_or(Vec::is_empty));
    selector.get("matchLabels").filter(|_| is_simple).cloned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn selectors_are_texts() {
        let expression = |operator: &str| json!({"matchExpressions": [{"key": "k", "operator": operator, "values": ["b", "a"]}]});
        for (selector, expected, simple) in [
            (json!({}), Some(""), None),
            (json!({"b": "2", "a": "1"}), Some("a=1,b=2"), Some(json!({"b": "2", "a": "1"}))),
            (
                json!({"matchLabels": {"b": "2", "a": "1"}}),
                Some("a=1,b=2"),
                Some(json!({"b": "2", "a": "1"})),
            ),
            (expression("In"), Some("k in (a,b)"), None),
            (expression("NotIn"), Some("k notin (a,b)"), None),
            (expression("Exists"), Some("k"), None),
            (expression("DoesNotExist"), Some("!k"), None),
            (expression("Near"), None, None),
            (json!(null), None, None),
        ] {
            assert_eq!((text(&selector).as_deref(), labels(&selector)), (expected, simple), "{selector}");
        }
    }
}
