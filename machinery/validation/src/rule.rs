//! A rule in CEL as a schema has it, and the path of the field that its errors are about.

use serde_json::{Map, Value};

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
