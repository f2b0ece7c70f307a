//! Parses and applies `fieldSelector`.

use hubgen_machinery::meta;
use hubgen_machinery::reflect::Reflect;

/// The supported fields, for objects of every kind.
const FIELDS: [&str; 2] = ["metadata.name", "metadata.namespace"];

/// A requirement on one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    /// The name of the field below `metadata`.
    field: String,
    /// Whether the field must equal the value; otherwise it must differ.
    equal: bool,
    value: String,
}

impl Term {
    pub(super) fn matches(&self, object: &dyn Reflect) -> bool {
        (meta::text(object, &self.field) == self.value) == self.equal
    }
}

/// Parses terms such as `metadata.name=a`, separated by commas.
///
/// # Errors
/// If the text cannot be parsed, or names an unsupported field.
pub(super) fn parse(text: &str) -> Result<Vec<Term>, String> {
    let mut parts = split_terms(text);
    // If there are several errors, upstream reports the one in the term that sorts first.
    parts.sort_unstable();
    parts.into_iter().filter(|part| !part.is_empty()).map(|part| term(text, part)).collect()
}

/// Splits at commas without a backslash before them.
fn split_terms(text: &str) -> Vec<&str> {
    let mut escaped = false;
    text.split(|c| {
        let separates = c == ',' && !escaped;
        escaped = c == '\\' && !escaped;
        separates
    })
    .collect()
}

fn term(text: &str, part: &str) -> Result<Term, String> {
    let (field, equal, value) = split_operator(part)
        .ok_or_else(|| format!("invalid selector: '{text}'; can't understand '{part}'"))?;
    let value = unescape(value)?;
    if !FIELDS.contains(&field) {
        let [name, namespace] = FIELDS;
        return Err(format!("{field:?} is not a known field selector: only {name:?}, {namespace:?}"));
    }
    let field = field.trim_start_matches("metadata.").to_owned();
    Ok(Term { field, equal, value })
}

/// Splits at the first operator. The flag is set if the operator requires equality.
fn split_operator(part: &str) -> Option<(&str, bool, &str)> {
    part.char_indices().find_map(|(at, _)| {
        let (field, rest) = part.split_at(at);
        let operators = [("!=", false), ("==", true), ("=", true)];
        operators.into_iter().find_map(|(operator, equal)| Some((field, equal, rest.strip_prefix(operator)?)))
    })
}

/// Removes the backslashes before `\`, `,` and `=`.
fn unescape(text: &str) -> Result<String, String> {
    let mut value = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some(escaped @ ('\\' | ',' | '=')) => value.push(escaped),
                other => {
                    let other = other.map(String::from).unwrap_or_default();
                    return Err(format!("invalid field selector: invalid escape sequence: \\{other}"));
                }
            },
            ',' | '=' => {
                // Upstream prints the number of the character.
                let number = u32::from(c);
                return Err(format!("invalid field selector: unescaped character in value: {number}"));
            }
            other => value.push(other),
        }
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::{Term, parse};

    #[test]
    fn terms_are_parsed() {
        let term = |field: &str, equal, value: &str| Term {
            field: field.to_owned(),
            equal,
            value: value.to_owned(),
        };
        let read = parse(r"metadata.namespace!=b,,metadata.name=a\,b\\\=,metadata.name==c").unwrap();
        assert_eq!(
            read,
            [term("name", true, "c"), term("name", true, r"a,b\="), term("namespace", false, "b")]
        );
        assert_eq!(parse("metadata.name=").unwrap(), [term("name", true, "")]);
        assert_eq!(parse("").unwrap(), []);
    }

    #[test]
    fn invalid_selectors_are_refused() {
        for (text, why) in [
            ("metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
            ("x=1,a", "invalid selector: 'x=1,a'; can't understand 'a'"),
            (
                "spec.nodeName=a",
                r#""spec.nodeName" is not a known field selector: only "metadata.name", "metadata.namespace""#,
            ),
            ("metadata.name=a=b", "invalid field selector: unescaped character in value: 61"),
            (r"metadata.name=\x", r"invalid field selector: invalid escape sequence: \x"),
            (r"metadata.name=a\", r"invalid field selector: invalid escape sequence: \"),
        ] {
            assert_eq!(parse(text).unwrap_err(), why, "{text}");
        }
    }
}
