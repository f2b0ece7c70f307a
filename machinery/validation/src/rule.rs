//! A rule in CEL as a schema has it, and the path of the field that its errors are about.

use serde_json::{Map, Value};

use crate::error::FieldError;

/// The keyword of rules.
pub(crate) const RULES: &str = "x-kubernetes-validations";

/// One rule, as the schema has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) rule: String,
    pub(crate) message: String,
    pub(crate) message_expression: String,
    pub(crate) reason: Option<String>,
    pub(crate) field_path: String,
    /// The field below the value that errors are about, as paths of errors write it.
    pub(crate) field: Option<String>,
    pub(crate) optional_old_self: Option<bool>,
}

impl Rule {
    pub(crate) fn has_optional_old(&self) -> bool {
        self.optional_old_self == Some(true)
    }
}

/// The reasons that a rule can give, in the order of upstream's errors.
pub(crate) const REASONS: [&str; 4] =
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// The members of a rule as definitions have them; texts that are missing are empty.
pub(crate) struct Members<'a> {
    pub(crate) rule: &'a str,
    pub(crate) message: &'a str,
    pub(crate) message_expression: &'a str,
    pub(crate) reason: Option<&'a str>,
    pub(crate) field_path: &'a str,
}

impl Members<'_> {
    /// What is wrong with the members of a rule at `path`, apart from its expressions, and how to correct it. `has_field` is
    /// whether the schema describes the field of the rule.
    pub(crate) fn mistakes(
        &self,
        path: &str,
        has_field: impl Fn() -> bool,
    ) -> Vec<(FieldError, &'static str)> {
        const EMPTY: &str = "must be non-empty if specified";
        const BREAKS: &str = "must not contain line breaks";
        const ON_ONE_LINE: &str = "write it on one line";
        let Self { rule, message, message_expression, reason, field_path } = *self;
        let has_breaks = |text: &str| text.contains(['\n', '\r']);
        let is_blank = |text: &str| !text.is_empty() && text.trim().is_empty();
        let at = |member: &str| format!("{path}.{member}");
        let mut found = Vec::new();
        if rule.trim().is_empty() {
            let error = FieldError::required(at("rule"), "rule is not specified");
            found.push((error, "write an expression of CEL"));
        } else if is_blank(message) {
            let error = FieldError::invalid_text(at("message"), message, EMPTY);
            found.push((error, "write a message, or remove it"));
        } else if has_breaks(message.trim()) {
            found.push((FieldError::invalid_text(at("message"), message, BREAKS), ON_ONE_LINE));
        } else if has_breaks(rule.trim()) && message.is_empty() {
            let why = "message must be specified if rule contains line breaks";
            found.push((FieldError::required(at("message"), why), "write a message"));
        }
        if is_blank(message_expression) {
            let error = FieldError::required(
                at("messageExpression"),
                "messageExpression must be non-empty if specified",
            );
            found.push((error, "write an expression of CEL, or remove it"));
        }
        if let Some(reason) = reason.filter(|reason| !REASONS.contains(reason)) {
            let error = FieldError::not_supported(at("reason"), &reason.into(), REASONS);
            found.push((error, "write one of these"));
        }
        let mut wrong = |why, help| {
            found.push((FieldError::invalid_text(at("fieldPath"), field_path, why), help));
        };
        if is_blank(field_path) {
            wrong(EMPTY, "write a path, or remove it");
        }
        if has_breaks(field_path) {
            wrong(BREAKS, ON_ONE_LINE);
        }
        if !field_path.is_empty() && !has_field() {
            wrong(
                "must be a valid path",
                "write the path of a field that the schema describes: `.spec.size`",
            );
        }
        found
    }
}

/// The path as errors write it, or `None` if it is no path of fields that the schema has.
pub(crate) fn normalized(path: &str, schema: &Map<String, Value>) -> Option<String> {
    let (mut out, mut schema, mut rest) = (String::new(), schema, path);
    while !rest.is_empty() {
        let name;
        (name, rest) = match rest.strip_prefix('.') {
            Some(after) => {
                let end = after.find(['.', '[', ']']).unwrap_or(after.len());
                if end == 0 {
                    return None;
                }
                (after[..end].to_owned(), &after[end..])
            }
            None => quoted(rest.strip_prefix('[')?)?,
        };
        let member = |keyword: &str| schema.get(keyword).filter(|value| value.is_object());
        if let Some(properties) = member("properties") {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(&name);
            schema = properties.get(&name)?.as_object()?;
        } else {
            out.push_str(&format!("[{name}]"));
            schema = member("additionalProperties")?.as_object()?;
        }
    }
    Some(out)
}

/// `'name']`, with escapes, and what follows.
fn quoted(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('\'')?;
    let mut name = String::new();
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\'' => return Some((name, inner[at + 1..].strip_prefix(']')?)),
            '\\' => name.push(match chars.next()?.1 {
                'a' => '\u{7}',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'v' => '\u{b}',
                c @ ('\'' | '\\') => c,
                _ => return None,
            }),
            c => name.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_of_fields_are_found() {
        let text = json!({"type": "string"});
        let map = json!({"additionalProperties": {"properties": {"b": text}}});
        let schema = json!({"properties": {"a": map, "c.d": text, "e'f": text}});
        for (path, expected) in [
            (".a", Some("a")),
            (".a.x", Some("a[x]")),
            (".a['x y'].b", Some("a[x y].b")),
            ("['c.d']", Some("c.d")),
            (r"['e\'f']", Some("e'f")),
            ("a", None),
            (".b", None),
            (".a[x]", None),
            (".a['x']b", None),
            (".", None),
        ] {
            assert_eq!(normalized(path, schema.as_object().unwrap()).as_deref(), expected, "{path}");
        }
    }
}
