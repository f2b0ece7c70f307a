//! Documents as text again.

use hubgen_json::writer;
use hubgen_yaml as yaml;
use serde_json::Value;

use crate::comments::{self, Convert};
use crate::edit;
use crate::format::{Format, reads_as};
use crate::text::Text;
use crate::tree::Tree;

/// A document written anew, with a line break at its end.
pub fn fresh(value: &Value, format: Format) -> String {
    match format {
        Format::Yaml => yaml::from_value(value),
        Format::Json => pretty(value, "    ") + "\n",
    }
}

/// A value as it is written in a text.
#[derive(Clone, Copy)]
pub struct Written<'a> {
    /// Its text.
    pub text: &'a str,
    /// The places of its parts in this text, if they are known already.
    pub tree: Option<&'a Tree>,
    /// Its format.
    pub format: Format,
    /// What lines of JSON begin with beyond their indentation: the blanks before a list's item, else nothing.
    pub margin: &'a str,
    /// The value.
    pub value: &'a Value,
}

impl Written<'_> {
    /// The text of a changed value, in its own format: with as few edits as possible, or written anew
    /// where edits cannot do it. `convert` tells where comments go: it does the same change with another value.
    pub fn again(&self, new: &Value, convert: &Convert<'_>) -> String {
        let Self { text, format, margin, .. } = *self;
        match format {
            Format::Json => match indent(text, margin) {
                Some(indent) => pretty(new, indent).replace('\n', &format!("\n{margin}")),
                None => compact(new),
            },
            Format::Yaml => {
                // Edits only know one kind of line break.
                let unix = text.replace("\r\n", "\n");
                if unix.len() == text.len() {
                    return self.yaml(new, convert);
                }
                Written { text: &unix, tree: None, ..*self }.yaml(new, convert).replace('\n', "\r\n")
            }
        }
    }

    fn yaml(&self, new: &Value, convert: &Convert<'_>) -> String {
        let Self { text, value: old, .. } = *self;
        let own;
        let tree = match self.tree {
            Some(tree) => Some(tree),
            None => {
                own = Tree::parse(text, Format::Yaml);
                own.as_ref()
            }
        };
        let out = yaml_laid_out(text, tree, old, new);
        match tree {
            Some(tree) => comments::carried((text, tree, old), (out, new), convert),
            None => out,
        }
    }
}

fn yaml_laid_out(text: &str, tree: Option<&Tree>, old: &Value, new: &Value) -> String {
    let edited = tree.and_then(|tree| edit::edited(text, tree, old, new));
    if let Some(edited) = edited
        && reads_as(&edited, new)
    {
        return edited;
    }
    let body = yaml::from_value(new);
    // The text around the value, such as a comment before it, stays.
    if let Some(tree) = tree {
        let before = &text[..tree.root.bytes.start];
        let after = &text[tree.root.bytes.end..];
        let column = before.len() - before.trim_end_matches(' ').len();
        let own_line = column == before.len() || before[..before.len() - column].ends_with('\n');
        let (before, column) = match own_line {
            true => (before.to_owned(), column),
            false => (format!("{}\n", before.trim_end()), 0),
        };
        let body = edit::indented(body.trim_end_matches('\n'), column);
        let all = format!("{before}{body}{after}");
        if reads_as(&all, new) {
            return all;
        }
    }
    if text.starts_with("---") { format!("---\n{body}") } else { body }
}

fn compact(value: &Value) -> String {
    String::from_utf8(compact_bytes(value)).expect("JSON is written from strings only")
}

fn compact_bytes(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    writer::value(&mut out, value);
    out
}

/// The indentation of each level of a JSON text, beyond the margin; `None` where all is on one line.
fn indent<'a>(text: &'a str, margin: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once('\n')?;
    let blanks = &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()];
    let own = blanks.strip_prefix(margin).unwrap_or(blanks);
    Some(if own.is_empty() { "    " } else { own })
}

/// A list laid out anew, item by item: what [`fresh`] makes of all of it at once.
pub struct Fresh {
    format: Format,
    out: Text,
    /// What comes after the items.
    rest: String,
    is_empty: bool,
}

impl Fresh {
    /// A list without items yet, from its other members.
    pub fn new(envelope: &Value, format: Format) -> Self {
        let text = fresh(envelope, format);
        let place = match format {
            Format::Yaml => "items: []\n",
            Format::Json => "\n    \"items\": []",
        };
        let start = match format {
            Format::Yaml if text.starts_with(place) => Some(0),
            Format::Yaml => text.find(&format!("\n{place}")).map(|at| at + 1),
            Format::Json => text.find(place),
        };
        // A list is one because it has items.
        let start = start.unwrap_or(text.len());
        let end = (start + place.len()).min(text.len());
        Self { format, out: text[..start].to_owned().into(), rest: text[end..].to_owned(), is_empty: true }
    }

    /// Adds an item.
    pub fn item(&mut self, value: &Value) {
        match self.format {
            Format::Yaml => {
                // Where lines are folded depends on how deep they are.
                let list = yaml::from_value(&serde_json::json!({ "items": [value] }));
                let (name, item) = list.split_once('\n').unwrap_or_default();
                if self.is_empty {
                    self.out.push_str(name);
                    self.out.push_str("\n");
                }
                self.out.push_str(item);
            }
            Format::Json => {
                self.out.push_str(if self.is_empty { "\n    \"items\": [\n        " } else { ",\n        " });
                self.out.push_str(&pretty(value, "    ").replace('\n', "\n        "));
            }
        }
        self.is_empty = false;
    }

    /// The whole text.
    pub fn finish(mut self) -> Text {
        self.out.push_str(match (self.format, self.is_empty) {
            (Format::Yaml, true) => "items: []\n",
            (Format::Yaml, false) => "",
            (Format::Json, true) => "\n    \"items\": []",
            (Format::Json, false) => "\n    ]",
        });
        self.out.push_str(&self.rest);
        self.out
    }
}

/// A word in the text of a list, in its own format, in place of another one.
pub fn word(old: &str, new: &str, format: Format) -> String {
    let value = Value::from(new);
    if format == Format::Json || old.starts_with('"') {
        compact(&value)
    } else {
        yaml::from_value(&value).trim_end_matches('\n').to_owned()
    }
}

fn pretty(value: &Value, indent: &str) -> String {
    let text = writer::pretty(&compact_bytes(value));
    let text = String::from_utf8_lossy(&text).into_owned();
    let mut out = String::with_capacity(text.len() * 2);
    for (index, line) in text.trim_end().lines().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        // Strings hold no line breaks in JSON: blanks at the beginning of a line are indentation.
        let rest = line.trim_start_matches(' ');
        out.push_str(&indent.repeat((line.len() - rest.len()) / 2));
        out.push_str(rest);
    }
    out
}
