//! Parses YAML. Machinery reads the values, as the reference server reads them. A second pass over the
//! text finds their positions.

use std::ops::Range;

use hubgen_yaml as yaml;
use indexmap::IndexMap;
use saphyr_parser::{Event, Parser, Span, StrInput};

use super::{Node, Value};
use crate::{Diagnostic, Source};

/// All documents of a YAML or JSON text that are not empty, and all errors.
pub fn documents(source: &Source) -> (Vec<Node>, Vec<Diagnostic>) {
    let text = source.text();
    let is_json = source.file().extension().is_some_and(|extension| extension == "json");
    if is_json || text.trim_start().starts_with('{') {
        match Node::parse(source) {
            Ok(node) => return (vec![node], Vec::new()),
            Err(error) if is_json => return (Vec::new(), vec![error]),
            // A map in YAML may begin with a brace, too.
            Err(_) => {}
        }
    }
    let (mut nodes, mut errors) = (Vec::new(), Vec::new());
    let mut positions = Positions::new(text);
    for document in yaml::documents(text) {
        match document {
            Ok(document) => {
                errors.extend(document.duplicates.iter().map(|duplicate| {
                    let start = start_of_line(text, duplicate.line);
                    source.error(
                        start..start,
                        "",
                        format!("`{}` occurs twice in one map", duplicate.key),
                        "remove one of the two",
                    )
                }));
                // The text is what machinery has just written.
                let value = serde_json::from_slice(&document.json).unwrap_or_default();
                let mut node = Node::from_json(value, document.bytes);
                positions.document(&mut node);
                if !matches!(node.value, Value::Null) {
                    nodes.push(node);
                }
            }
            Err(error) => {
                let start = start_of_line(text, error.line());
                let before =
                    text[start..].chars().take(error.column() - 1).map(char::len_utf8).sum::<usize>();
                let at = start + before;
                errors.push(source.error(at..at, "", error.message(), "the document must be valid YAML"));
            }
        }
    }
    (nodes, errors)
}

/// The byte at which a line begins; lines are counted from 1.
fn start_of_line(text: &str, line: usize) -> usize {
    let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(breaks).nth(line.saturating_sub(1)).unwrap_or(text.len())
}

impl Node {
    /// A value whose parts all have the same position.
    fn from_json(value: serde_json::Value, span: Range<usize>) -> Self {
        let value = match value {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(value) => Value::Bool(value),
            serde_json::Value::Number(number) => Value::Number(number),
            serde_json::Value::String(text) => Value::String(text),
            serde_json::Value::Array(elements) => {
                Value::Array(elements.into_iter().map(|value| Self::from_json(value, span.clone())).collect())
            }
            serde_json::Value::Object(members) => Value::Object(
                members
                    .into_iter()
                    .map(|(key, value)| (key, Self::from_json(value, span.clone())))
                    .collect::<IndexMap<_, _>>(),
            ),
        };
        Self { span, value }
    }
}

/// The positions of values, in the order of the text.
struct Positions<'a> {
    parser: Parser<'a, StrInput<'a>>,
    /// The byte of each character; `None` if all characters are bytes.
    bytes: Option<Vec<usize>>,
    /// The length of the byte order mark, which the parser does not see.
    skipped: usize,
}

impl<'a> Positions<'a> {
    fn new(text: &'a str) -> Self {
        let plain = text.strip_prefix('\u{feff}').unwrap_or(text);
        let bytes = (!plain.is_ascii())
            .then(|| plain.char_indices().map(|(at, _)| at).chain([plain.len()]).collect());
        Self { parser: Parser::new_from_str(plain), bytes, skipped: text.len() - plain.len() }
    }

    fn next(&mut self) -> Option<(Event<'a>, Range<usize>)> {
        let (event, Span { start, end }) = self.parser.next_event()?.ok()?;
        let byte = |character: usize| match &self.bytes {
            Some(bytes) => bytes.get(character).or(bytes.last()).copied().unwrap_or(0),
            None => character,
        };
        Some((event, byte(start.index()) + self.skipped..byte(end.index()) + self.skipped))
    }

    /// Sets the positions of the next document's values.
    fn document(&mut self, root: &mut Node) {
        while let Some((event, span)) = self.next() {
            if let Event::DocumentStart(_) = event {
                if let Some((event, span)) = self.next() {
                    self.value(Some(root), &event, span);
                }
            } else if let Event::DocumentEnd | Event::StreamEnd = event {
                let _ = span;
                return;
            }
        }
    }

    /// Sets the positions of a value that begins with an event. `node` is `None` where the text contains
    /// something that is not a value of its own, such as what `<<` merges. Returns where the value ends.
    fn value(&mut self, mut node: Option<&mut Node>, event: &Event<'a>, span: Range<usize>) -> usize {
        if let Some(node) = node.as_deref_mut() {
            // What an alias repeats is not in the text.
            node.move_to(&span, matches!(event, Event::Alias(_)));
        }
        let mut end = span.end;
        match event {
            Event::SequenceStart(..) => {
                let mut at = 0;
                while let Some((event, span)) = self.next() {
                    if let Event::SequenceEnd = event {
                        break;
                    }
                    let element = match node.as_deref_mut().map(|node| &mut node.value) {
                        Some(Value::Array(elements)) => elements.get_mut(at),
                        _ => None,
                    };
                    end = self.value(element, &event, span);
                    at += 1;
                }
            }
            Event::MappingStart(..) => {
                while let Some((event, span)) = self.next() {
                    let key = match event {
                        Event::MappingEnd => break,
                        Event::Scalar(text, ..) => Some(text),
                        other => {
                            self.value(None, &other, span);
                            None
                        }
                    };
                    let Some((event, span)) = self.next() else { break };
                    let member = match node.as_deref_mut().map(|node| &mut node.value) {
                        Some(Value::Object(members)) => key.and_then(|key| members.get_mut(&*key)),
                        _ => None,
                    };
                    end = self.value(member, &event, span);
                }
            }
            _ => {}
        }
        if let Some(node) = node {
            node.span.end = end.max(node.span.start);
        }
        end
    }
}

impl Node {
    /// Sets the position of a value and of its members or elements; if `deep`, also of what is below.
    fn move_to(&mut self, span: &Range<usize>, deep: bool) {
        self.span = span.clone();
        for part in self.parts() {
            if deep {
                part.move_to(span, true);
            } else {
                part.span = span.clone();
            }
        }
    }

    /// The members or elements.
    fn parts(&mut self) -> impl Iterator<Item = &mut Node> {
        let (elements, members) = match &mut self.value {
            Value::Array(elements) => (Some(elements), None),
            Value::Object(members) => (None, Some(members)),
            _ => (None, None),
        };
        elements.into_iter().flatten().chain(members.into_iter().flat_map(IndexMap::values_mut))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(text: &str, path: &[&str]) -> (u32, u32) {
        let source = Source::new("a.yaml", text);
        let (nodes, errors) = documents(&source);
        assert!(errors.is_empty(), "{errors:?}");
        let mut at = nodes.last().unwrap();
        for key in path {
            at = match key.parse::<usize>() {
                Ok(index) => &at.array().unwrap()[index],
                Err(_) => at.get(key).unwrap(),
            };
        }
        source.position(at.span.start)
    }

    #[test]
    fn values_have_positions() {
        let text = "# é\na: é\nb:\n- c: 1\n  d: [x, {é: 2, f: y}]\n---\nb: {c: 3}\n";
        let first = text.split("---").next().unwrap();
        assert_eq!(positions(first, &["a"]), (2, 4));
        assert_eq!(positions(first, &["b", "0", "c"]), (4, 6));
        assert_eq!(positions(first, &["b", "0", "d", "1", "f"]), (5, 20));
        assert_eq!(positions(text, &["b", "c"]), (7, 8));
    }

    #[test]
    fn aliases_and_merges_have_the_position_of_what_contains_them() {
        let text = "a: &a\n  b: 1\nc:\n  <<: *a\n  d: *a\n";
        assert_eq!(positions(text, &["c", "d", "b"]), (5, 6));
        assert_eq!(positions(text, &["c", "b"]), (4, 3));
    }

    #[test]
    fn errors_have_positions() {
        for (text, line, column) in
            [("a: 1\n  b: 2\n", 2, 4), ("a: 1\na: 2\n", 2, 1), ("a: {b\n", 2, 1), ("é: !!int x\n", 1, 4)]
        {
            let source = Source::new("a.yaml", text);
            let (_, errors) = documents(&source);
            assert_eq!((errors[0].line, errors[0].column), (line, column), "{text}: {errors:?}");
        }
        let (_, errors) = documents(&Source::new("a.json", "{\"a\": }"));
        assert_eq!((errors[0].line, errors[0].column), (1, 7));
    }
}
