//! Edits in the text of a YAML document, so that all else in it stays as it was written.
//!
//! The edits are a proposal: the caller reads the new text and compares, and writes the document anew if
//! the finer points of YAML (aliases, merges, tabs) got in the way.

use std::ops::Range;

use hubgen_yaml as yaml;
use serde_json::{Map, Value};

use crate::tree::{Content, Member, Node, Tree};

/// The text with edits that change its value from `old` to `new`; `None` where edits cannot do it.
pub fn edited(text: &str, tree: &Tree, old: &Value, new: &Value) -> Option<String> {
    // Every line then has an end to insert after.
    let ended = if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") };
    let mut editor = Editor { text: &ended, edits: Vec::new() };
    editor.node(&tree.root, old, new)?;
    let mut edits = editor.edits;
    // Insertions come before deletions that begin at the same byte; of several insertions at one byte,
    // the innermost was noted first.
    edits.sort_by_key(|(bytes, _)| (bytes.start, bytes.end));
    let mut out = String::with_capacity(ended.len());
    let mut end = 0;
    for (bytes, replacement) in edits {
        out.push_str(ended.get(end..bytes.start)?);
        out.push_str(&replacement);
        end = bytes.end;
    }
    out.push_str(&ended[end..]);
    if !text.ends_with('\n') {
        out.truncate(out.trim_end_matches('\n').len());
    }
    Some(out)
}

struct Editor<'a> {
    text: &'a str,
    edits: Vec<(Range<usize>, String)>,
}

impl Editor<'_> {
    fn node(&mut self, node: &Node, old: &Value, new: &Value) -> Option<()> {
        if old == new {
            return Some(());
        }
        match (&node.content, old, new) {
            (Content::Map(members), Value::Object(old), Value::Object(new)) if agree(members, old) => {
                let before = self.edits.len();
                if self.map(node, members, old, new).is_none() {
                    self.edits.truncate(before);
                    return self.replace(node, &Value::Object(new.clone()));
                }
                Some(())
            }
            (Content::List(nodes), Value::Array(old), Value::Array(new))
                if nodes.len() == old.len() && old.len() == new.len() =>
            {
                nodes.iter().zip(old).zip(new).try_for_each(|((node, old), new)| self.node(node, old, new))
            }
            _ => self.replace(node, new),
        }
    }

    fn map(
        &mut self,
        node: &Node,
        members: &[Member],
        old: &Map<String, Value>,
        new: &Map<String, Value>,
    ) -> Option<()> {
        let added: Vec<(&String, &Value)> = new.iter().filter(|(key, _)| !old.contains_key(*key)).collect();
        let keeps = |member: &Member| new.contains_key(&member.key);
        if self.is_flow(node) && !(added.is_empty() && members.iter().all(keeps)) {
            return None;
        }
        let last = members.iter().rfind(|member| keeps(member))?;
        for (index, member) in members.iter().enumerate() {
            let Some(value) = new.get(&member.key) else {
                self.remove(member, members.get(index + 1))?;
                continue;
            };
            let before = &old[&member.key];
            if before != value && is_empty(value) && !self.is_flow(&member.value) {
                // `{}` and `[]` belong to the line of the key.
                self.member(node, member, value)?;
                continue;
            }
            if is_collection(before) == is_collection(value) && before.is_object() == value.is_object() {
                let edits = self.edits.len();
                if self.node(&member.value, before, value).is_some() {
                    continue;
                }
                self.edits.truncate(edits);
            }
            if before != value {
                self.member(node, member, value)?;
            }
        }
        if !added.is_empty() {
            let column = self.column(last.start)?;
            let mut text = String::new();
            for (key, value) in added {
                text.push_str(&" ".repeat(column));
                text.push_str(&entry(key, value, column));
                text.push('\n');
            }
            let at = self.line_end(last.value.bytes.end);
            self.edits.push((at..at, text));
        }
        Some(())
    }

    /// Writes a member anew.
    fn member(&mut self, map: &Node, member: &Member, value: &Value) -> Option<()> {
        if self.is_flow(map) {
            return self.replace(&member.value, value);
        }
        let column = self.column(member.start)?;
        self.edits.push((member.start..member.value.bytes.end, entry(&member.key, value, column)));
        Some(())
    }

    /// Removes a member, with its lines and the comments right above it: they are about this member, not about the
    /// one that is now in its place.
    fn remove(&mut self, member: &Member, next: Option<&Member>) -> Option<()> {
        let line = self.line_start(member.start);
        let bytes = if self.text[line..member.start].trim().is_empty() {
            self.comments_above(line, member.start - line)..self.line_end(member.value.bytes.end)
        } else {
            // The first member of a list's element: the next one takes its place.
            member.start..next?.start
        };
        self.edits.push((bytes, String::new()));
        Some(())
    }

    /// Writes a value anew, at its place.
    fn replace(&mut self, node: &Node, value: &Value) -> Option<()> {
        if node.bytes.is_empty() {
            return None;
        }
        let text = if self.is_flow(node) || value == &Value::Array(vec![]) {
            flow(value)
        } else if is_collection(value) {
            // It replaces a block, which begins at its own column.
            if matches!(node.content, Content::Leaf) {
                return None;
            }
            indented(yaml::from_value(value).trim_end_matches('\n'), self.column(node.bytes.start)?)
        } else {
            let text = yaml::from_value(value);
            let text = text.trim_end_matches('\n');
            if text.contains('\n') {
                return None;
            }
            text.to_owned()
        };
        self.edits.push((node.bytes.clone(), text));
        Some(())
    }

    fn is_flow(&self, node: &Node) -> bool {
        self.text[node.bytes.start..].starts_with(['{', '['])
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |at| at + 1)
    }

    /// Where the comments begin that are right above a line, at the same column; the line itself if there are none.
    fn comments_above(&self, line: usize, column: usize) -> usize {
        let mut start = line;
        for above in self.text[..line].split_inclusive('\n').rev() {
            if above.len() - above.trim_start_matches(' ').len() != column
                || !above[column..].starts_with('#')
            {
                break;
            }
            start -= above.len();
        }
        start
    }

    /// After the line break of the line of a byte.
    fn line_end(&self, at: usize) -> usize {
        self.text[at..].find('\n').map_or(self.text.len(), |end| at + end + 1)
    }

    /// The column of a byte; `None` behind a tab, or text wider than its bytes.
    fn column(&self, at: usize) -> Option<usize> {
        let before = &self.text[self.line_start(at)..at];
        (before.is_ascii() && !before.contains('\t')).then_some(before.len())
    }
}

/// Whether the tree's keys are those of the value: no merges, no duplicates, no numbers.
fn agree(members: &[Member], value: &Map<String, Value>) -> bool {
    members.len() == value.len() && members.iter().all(|member| value.contains_key(&member.key))
}

fn is_collection(value: &Value) -> bool {
    value.is_object() || value.is_array()
}

/// Whether it is an object or a list with nothing in it.
fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

/// `key: value`, its further lines indented to a column.
fn entry(key: &str, value: &Value, column: usize) -> String {
    let mut map = Map::new();
    map.insert(key.to_owned(), value.clone());
    indented(yaml::from_value(&Value::Object(map)).trim_end_matches('\n'), column)
}

/// A value on one line, as `{name: a, ports: [80]}`.
fn flow(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| format!("{}: {}", flow_text(key), flow(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(elements) => format!("[{}]", elements.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::String(text) => flow_text(text),
        scalar => scalar.to_string(),
    }
}

/// Text inside braces, where more characters than elsewhere have a meaning.
fn flow_text(text: &str) -> String {
    let value = Value::from(text);
    let block = yaml::from_value(&value);
    let block = block.trim_end_matches('\n');
    if text.contains([',', '[', ']', '{', '}', ':', '#', '\n']) || block.contains('\n') {
        value.to_string()
    } else {
        block.to_owned()
    }
}

/// Lines, the first one apart, indented to a column.
pub fn indented(text: &str, column: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
            if !line.is_empty() {
                out.push_str(&" ".repeat(column));
            }
        }
        out.push_str(line);
    }
    out
}
