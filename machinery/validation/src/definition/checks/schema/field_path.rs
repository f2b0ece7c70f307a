//! Finds the field that a path such as `.spec.names['a.b']` refers to.

use crate::definition::checks::props::{Additional, Props};

/// What a path may contain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notation {
    /// Names after dots only.
    Dots,
    /// Also names in brackets and quotes.
    Any,
}

/// A field that a path refers to.
pub(crate) struct Found<'a> {
    /// The path as the API server writes it.
    pub(crate) path: String,
    /// The first step of it.
    pub(crate) root: String,
    /// The schema of the field; `None` if it may be anything.
    pub(crate) schema: Option<Props<'a>>,
}

/// The field of a path, in objects that a schema describes.
///
/// # Errors
/// Why there is none.
pub(crate) fn find<'a>(schema: Props<'a>, path: &str, notation: Notation) -> Result<Found<'a>, String> {
    let mut found = Found { path: String::new(), root: String::new(), schema: Some(schema) };
    let mut tokens = Tokens(path);
    let end = || "unexpected end of JSON path".to_owned();
    while let Some(token) = tokens.next() {
        match token {
            "[" if notation == Notation::Dots => return Err("array notation is not allowed".to_owned()),
            "[" => {
                let quoted = tokens.next().ok_or_else(end)?;
                let name = quoted.strip_prefix('\'').and_then(|name| name.strip_suffix('\''));
                let name = name.ok_or_else(|| format!("expected single quoted string but got {quoted}"))?;
                found.step(&name.replace("\\'", "'").replace("\\\\", "\\"))?;
                let close = tokens.next().ok_or_else(end)?;
                if close != "]" {
                    return Err(format!("expected ] but got {close}"));
                }
            }
            "." => found.step(tokens.next().ok_or_else(end)?)?,
            other => return Err(format!("expected [ or . but got: {other}")),
        }
    }
    Ok(found)
}

impl Found<'_> {
    fn step(&mut self, name: &str) -> Result<(), String> {
        let nothing = || "does not refer to a valid field".to_owned();
        let schema = self.schema.ok_or_else(nothing)?;
        if schema.has_members("properties") {
            self.schema = Some(schema.property(name).ok_or_else(nothing)?);
            if !self.path.is_empty() {
                self.path.push('.');
            }
            self.path.push_str(name);
        } else {
            self.schema = match schema.additional() {
                Additional::Absent => return Err(nothing()),
                Additional::Flag(_) => None,
                Additional::Schema(values) => Some(values),
            };
            self.path.push_str(&format!("[{name}]"));
        }
        if self.root.is_empty() {
            self.root.clone_from(&self.path);
        }
        Ok(())
    }
}

/// The parts of a path: dots, brackets, and what is between them. Quoted text is one part, with its quotes.
struct Tokens<'p>(&'p str);

impl<'p> Iterator for Tokens<'p> {
    type Item = &'p str;

    fn next(&mut self) -> Option<&'p str> {
        let text = self.0;
        let first = text.chars().next()?;
        let end = match first {
            '.' | '[' | ']' => 1,
            '\'' => {
                let close = (1..text.len())
                    .find(|at| text.as_bytes()[*at] == b'\'' && text.as_bytes()[at - 1] != b'\\');
                close.map_or(text.len(), |close| close + 1)
            }
            _ => text.find(['.', '[', ']']).unwrap_or(text.len()),
        };
        let (token, rest) = text.split_at(end);
        self.0 = rest;
        Some(token)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_find_fields() {
        let schema = json!({"properties": {
            "spec": {"properties": {"size": {"type": "string"}, "a.b": {"type": "integer"}}},
            "labels": {"additionalProperties": {"type": "string"}},
            "any": {"additionalProperties": true},
        }});
        for (path, notation, expected) in [
            (".spec.size", Notation::Dots, Ok(("spec.size", "string"))),
            (".spec['a.b']", Notation::Any, Ok(("spec.a.b", "integer"))),
            (".spec['a.b']", Notation::Dots, Err("array notation is not allowed")),
            (".labels.a", Notation::Dots, Ok(("labels[a]", "string"))),
            (".labels.a.b", Notation::Dots, Err("does not refer to a valid field")),
            (".any.a.b", Notation::Dots, Err("does not refer to a valid field")),
            (".spec.", Notation::Dots, Err("unexpected end of JSON path")),
            ("spec", Notation::Dots, Err("expected [ or . but got: spec")),
            ("..spec", Notation::Dots, Err("does not refer to a valid field")),
            (".spec[size]", Notation::Any, Err("expected single quoted string but got size")),
            (".spec['size'x", Notation::Any, Err("expected ] but got x")),
            (".spec['size", Notation::Any, Err("expected single quoted string but got 'size")),
        ] {
            let found = find(Props(&schema), path, notation);
            let found = found.as_ref().map(|found| (found.path.as_str(), found.schema.map_or("", Props::ty)));
            assert_eq!(found.map_err(|error| error.as_str()), expected, "{path}");
        }
    }
}
