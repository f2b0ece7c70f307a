//! Documents as text again.

use hubgen_kubernetes::machinery::{json, yaml};
use serde_json::Value;

use super::edit;
use super::manifest::{self, Piece};
use super::tree::Tree;

/// How a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// As `kubectl get -o yaml` lays it out.
    Yaml,
    /// Indented by four, as `kubectl get -o json` lays it out.
    Json,
}

/// A document laid out anew, with a line break at its end.
pub fn fresh(value: &Value, format: Format) -> String {
    match format {
        Format::Yaml => yaml::from_value(value),
        Format::Json => pretty(value, "    ") + "\n",
    }
}

/// The text of a document whose value has become another, in its own format: with as few edits as
/// it takes, or laid out anew where edits cannot do it.
pub fn again(text: &str, tree: Option<&Tree>, piece: &Piece, new: &Value) -> String {
    match piece.format {
        Format::Json => match indent(text) {
            Some(indent) => pretty(new, indent),
            None => compact(new),
        },
        Format::Yaml => {
            // With other line breaks, edits would have to know which.
            let unix = text.replace("\r\n", "\n");
            let out = yaml_again(&unix, tree.filter(|_| unix.len() == text.len()), &piece.value, new);
            if unix.len() == text.len() { out } else { out.replace('\n', "\r\n") }
        }
    }
}

fn yaml_again(text: &str, tree: Option<&Tree>, old: &Value, new: &Value) -> String {
    let own;
    let tree = match tree {
        Some(tree) => Some(tree),
        None => {
            own = Tree::of(text, Format::Yaml);
            own.as_ref()
        }
    };
    let edited = tree.and_then(|tree| edit::edited(text, tree, old, new));
    if let Some(edited) = edited
        && reads_as(&edited, new)
    {
        return edited;
    }
    let body = yaml::from_value(new);
    // What stands around the value, such as a comment before it, stays.
    if let Some(tree) = tree {
        let before = &text[..tree.root.bytes.start];
        let after = &text[tree.root.bytes.end..];
        let own_line = before.is_empty() || before.ends_with('\n');
        let before = if own_line { before.to_owned() } else { format!("{}\n", before.trim_end()) };
        let all = format!("{before}{}{after}", body.trim_end_matches('\n'));
        if reads_as(&all, new) {
            return all;
        }
    }
    if text.starts_with("---") { format!("---\n{body}") } else { body }
}

fn reads_as(text: &str, value: &Value) -> bool {
    let json = yaml::to_json(text).ok();
    json.and_then(|json| manifest::value(&json).ok()).is_some_and(|found| found == *value)
}

/// The lines, from 0, of comments that the new text does not have any more.
pub fn lost_comments(old: &str, new: &str) -> Vec<usize> {
    let mut left: Vec<&str> = new.lines().filter_map(comment).collect();
    let mut lost = Vec::new();
    for (index, line) in old.lines().enumerate() {
        let Some(comment) = comment(line) else { continue };
        match left.iter().position(|left| *left == comment) {
            Some(found) => {
                left.swap_remove(found);
            }
            None => lost.push(index),
        }
    }
    lost
}

/// What looks like a comment: it may also be text of a block, which is found again as well.
fn comment(line: &str) -> Option<&str> {
    let start = if line.trim_start().starts_with('#') { line.find('#') } else { line.find(" #") };
    start.map(|start| line[start..].trim())
}

fn compact(value: &Value) -> String {
    json::Raw::from(value).as_str().to_owned()
}

/// What each level of a JSON text is indented by; `None` where all is on one line.
fn indent(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('\n')?;
    let width = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    Some(if width == 0 { "    " } else { &rest[..width] })
}

fn pretty(value: &Value, indent: &str) -> String {
    let text = json::writer::pretty(compact(value).as_bytes());
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
