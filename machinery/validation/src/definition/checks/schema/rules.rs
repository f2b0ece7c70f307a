//! Checks what is written beside the expressions of rules in CEL.

use super::field_path::{self, Notation};
use super::structural;
use crate::definition::checks::props::Props;
use crate::error::FieldError;
use crate::rule::{REASONS, RULES};

pub(super) fn check(schema: Props<'_>, path: &str, found: &mut Vec<FieldError>) {
    for (at, rule) in schema.schemas(RULES) {
        let at = |member: &str| format!("{path}.{RULES}[{at}].{member}");
        let (text, message) = (rule.text("rule").trim(), rule.text("message"));
        let has_breaks = |text: &str| text.contains(['\n', '\r']);
        if text.is_empty() {
            found.push(FieldError::required(at("rule"), "rule is not specified"));
        } else if !message.is_empty() && message.trim().is_empty() {
            found.push(FieldError::invalid_text(at("message"), message, "must be non-empty if specified"));
        } else if has_breaks(message.trim()) {
            found.push(FieldError::invalid_text(at("message"), message, "must not contain line breaks"));
        } else if has_breaks(text) && message.trim().is_empty() {
            let why = "message must be specified if rule contains line breaks";
            found.push(FieldError::required(at("message"), why));
        }
        let expression = rule.text("messageExpression");
        if !expression.is_empty() && expression.trim().is_empty() {
            let why = "messageExpression must be non-empty if specified";
            found.push(FieldError::required(at("messageExpression"), why));
        }
        if let Some(reason) = rule.word("reason").filter(|reason| !REASONS.contains(reason)) {
            found.push(FieldError::not_supported(at("reason"), &reason.into(), REASONS));
        }
        let field = rule.text("fieldPath");
        let mut wrong = |why| found.push(FieldError::invalid_text(at("fieldPath"), field, why));
        if !field.is_empty() && field.trim().is_empty() {
            wrong("must be non-empty if specified");
        }
        if has_breaks(field) {
            wrong("must not contain line breaks");
        }
        let is_valid = || {
            structural::unsupported(schema).is_some()
                || field_path::find(schema, field, Notation::Any).is_ok()
        };
        if !field.is_empty() && !is_valid() {
            wrong("must be a valid path");
        }
    }
}
