//! Checks texts that must have a form, or be one of some.

use serde_json::Value;

use crate::error::FieldError;
use crate::names::dns_1035_label_mistakes;

/// Adds the error of a text that is no label.
pub(super) fn label(text: &str, path: String, found: &mut Vec<FieldError>) {
    let mistakes = dns_1035_label_mistakes(text);
    if !mistakes.is_empty() {
        found.push(FieldError::invalid_text(path, text, &mistakes.join(",")));
    }
}

/// Adds the error of a text that is missing, or none of those that are accepted.
pub(super) fn one_of(text: &str, path: &str, accepted: &[&str], found: &mut Vec<FieldError>) {
    if text.is_empty() {
        found.push(FieldError::required(path, ""));
    } else if !accepted.contains(&text) {
        found.push(FieldError::not_supported(path, &Value::from(text), accepted.iter().copied()));
    }
}
