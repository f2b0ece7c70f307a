//! Checks what is written beside the expressions of rules in CEL.

use super::field_path::{self, Notation};
use super::structural;
use crate::definition::checks::props::Props;
use crate::error::FieldError;
use crate::rule::{Members, RULES};

pub(super) fn check(schema: Props<'_>, path: &str, found: &mut Vec<FieldError>) {
    for (at, rule) in schema.schemas(RULES) {
        let members = Members {
            rule: rule.text("rule"),
            message: rule.text("message"),
            message_expression: rule.text("messageExpression"),
            reason: rule.word("reason"),
            field_path: rule.text("fieldPath"),
        };
        let has_field = || {
            structural::unsupported(schema).is_some()
                || field_path::find(schema, members.field_path, Notation::Any).is_ok()
        };
        let mistakes = members.mistakes(&format!("{path}.{RULES}[{at}]"), has_field);
        found.extend(mistakes.into_iter().map(|(error, _)| error));
    }
}
