//! Comments of fields that a conversion moves: they go where the field goes.
//!
//! Rules say where a field goes, but functions and defaults have a say too. So the conversion itself is asked: the
//! document is converted once more with another value in that place, and what is then different is where it went.

use std::ops::Range;

use serde_json::Value;

use crate::format::{Format, reads_as};
use crate::tree::{Content, Node, Tree};

/// Changes a value as its document is changed; `None` where the change is refused, or there is none.
pub type Convert<'a> = dyn Fn(&Value) -> Option<Value> + 'a;

/// The new text of a YAML document, with the comments that it lost and that have a place in it. A comment without one
/// stays lost, for the caller to report.
pub fn carried(old: (&str, &Tree, &Value), new: (String, &Value), convert: &Convert<'_>) -> String {
    let (old_text, tree, old_value) = old;
    let (mut text, new_value) = new;
    for bytes in lost(old_text, &text) {
        let comment = &old_text[bytes.clone()];
        let with = owner(old_text, tree, &bytes).and_then(|(side, path)| {
            let path = arrival(&path, old_value, new_value, convert)?;
            inserted(&text, &path, side, comment)
        });
        if let Some(with) = with.filter(|with| reads_as(with, new_value)) {
            text = with;
        }
    }
    text
}

/// The bytes of comments that the new text does not have any more.
pub fn lost(old: &str, new: &str) -> Vec<Range<usize>> {
    let mut left: Vec<&str> = new.lines().filter_map(comment).collect();
    let mut lost = Vec::new();
    let mut start = 0;
    for line in old.split_inclusive('\n') {
        let line_start = start;
        start += line.len();
        let Some(comment) = comment(line) else { continue };
        match left.iter().position(|left| *left == comment) {
            Some(found) => {
                left.swap_remove(found);
            }
            None => {
                let at = line_start + line.find(comment).unwrap_or(0);
                lost.push(at..at + comment.len());
            }
        }
    }
    lost
}

/// The part of a line that looks like a comment. It may be text of a block, which the new text then has too.
fn comment(line: &str) -> Option<&str> {
    let start = if line.trim_start().starts_with('#') { line.find('#') } else { line.find(" #") };
    start.map(|start| line[start..].trim())
}

/// Keys of objects and indices of lists.
type Path = Vec<String>;

/// Where a comment is beside what it explains.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    /// On lines of its own, before it.
    Above,
    /// At the end of its line.
    Behind,
}

/// A member or an element in the text.
struct Spot {
    path: Path,
    /// From the key of a member, or the beginning of an element, to the end of the value.
    bytes: Range<usize>,
    /// Where the value begins.
    value: usize,
    is_leaf: bool,
}

/// All members and elements, each one before those within it.
fn spots(node: &Node, path: &Path, out: &mut Vec<Spot>) {
    let mut add = |name: String, start: usize, value: &Node| {
        let path: Path = path.iter().cloned().chain([name]).collect();
        let is_leaf = matches!(value.content, Content::Leaf);
        out.push(Spot {
            path: path.clone(),
            bytes: start..value.bytes.end,
            value: value.bytes.start,
            is_leaf,
        });
        spots(value, &path, out);
    };
    match &node.content {
        Content::Map(members) => {
            members.iter().for_each(|member| add(member.key.clone(), member.start, &member.value));
        }
        Content::List(elements) => {
            elements.iter().enumerate().for_each(|(at, node)| add(at.to_string(), node.bytes.start, node));
        }
        Content::Leaf => {}
    }
}

/// What a comment explains; `None` for what only looks like a comment, and for one at the end of the document.
fn owner(text: &str, tree: &Tree, comment: &Range<usize>) -> Option<(Side, Path)> {
    let mut all = Vec::new();
    spots(&tree.root, &Vec::new(), &mut all);
    if all.iter().any(|spot| spot.is_leaf && (spot.value..spot.bytes.end).contains(&comment.start)) {
        return None;
    }
    let line = line_start(text, comment.start);
    if text[line..comment.start].trim().is_empty() {
        let next = all.iter().map(|spot| spot.bytes.start).filter(|start| *start > comment.start).min()?;
        let spot = all.into_iter().find(|spot| spot.bytes.start == next)?;
        return Some((Side::Above, spot.path));
    }
    let on_line = |at: usize| (line..comment.start).contains(&at);
    let begins = all.iter().rposition(|spot| on_line(spot.bytes.start));
    let found = begins.or_else(|| all.iter().rposition(|spot| on_line(spot.bytes.end)))?;
    Some((Side::Behind, all.swap_remove(found).path))
}

/// Where the value of a path is after the conversion.
fn arrival(path: &Path, old: &Value, new: &Value, convert: &Convert<'_>) -> Option<Path> {
    let value = at(old, path)?;
    if at(new, path) == Some(value) {
        return Some(path.clone());
    }
    [other(value), None].into_iter().find_map(|other| {
        let mut asked = old.clone();
        set(&mut asked, path, other)?;
        let mut differences = Vec::new();
        compare(new, &convert(&asked)?, &mut Vec::new(), &mut differences);
        // What a version has no field for is kept in an annotation, where nobody reads comments.
        let hidden = |path: &Path| path.len() > 1 && path[0] == "metadata" && path[1] == "annotations";
        differences.into_iter().find(|found| !hidden(found) || hidden(path))
    })
}

/// Another value of the same type; `None` where there is no simple one.
fn other(value: &Value) -> Option<Value> {
    match value {
        Value::Bool(value) => Some((!value).into()),
        Value::Number(number) => Some((number.as_i64()?.checked_add(1)?).into()),
        Value::String(text) => Some(format!("{text}x").into()),
        _ => None,
    }
}

fn at<'a>(value: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, step| match value {
        Value::Object(members) => members.get(step),
        Value::Array(elements) => elements.get(step.parse::<usize>().ok()?),
        _ => None,
    })
}

/// Puts another value in a place, or takes the value away.
fn set(value: &mut Value, path: &[String], other: Option<Value>) -> Option<()> {
    let (last, parents) = path.split_last()?;
    let parent = parents.iter().try_fold(value, |value, step| match value {
        Value::Object(members) => members.get_mut(step),
        Value::Array(elements) => elements.get_mut(step.parse::<usize>().ok()?),
        _ => None,
    })?;
    match (parent, other) {
        (Value::Object(members), Some(other)) => drop(members.insert(last.clone(), other)),
        (Value::Object(members), None) => drop(members.shift_remove(last)),
        (Value::Array(elements), other) => {
            let index = last.parse::<usize>().ok()?;
            match other {
                Some(other) => *elements.get_mut(index)? = other,
                None => drop(elements.remove(index)),
            }
        }
        _ => return None,
    }
    Some(())
}

/// The places of the first value that are not so in the second one, in their order.
fn compare(first: &Value, second: &Value, path: &mut Path, out: &mut Vec<Path>) {
    match (first, second) {
        (Value::Object(first), Value::Object(second)) => {
            for (key, value) in first {
                path.push(key.clone());
                match second.get(key) {
                    Some(second) => compare(value, second, path, out),
                    None => out.push(path.clone()),
                }
                path.pop();
            }
        }
        (Value::Array(first), Value::Array(second)) if first.len() == second.len() => {
            for (index, (first, second)) in first.iter().zip(second).enumerate() {
                path.push(index.to_string());
                compare(first, second, path, out);
                path.pop();
            }
        }
        _ if first != second => out.push(path.clone()),
        _ => {}
    }
}

/// The text with a comment beside a place.
fn inserted(text: &str, path: &Path, side: Side, comment: &str) -> Option<String> {
    let mut all = Vec::new();
    spots(&Tree::parse(text, Format::Yaml)?.root, &Vec::new(), &mut all);
    let spot = all.into_iter().find(|spot| spot.path == *path)?;
    let line = line_start(text, spot.bytes.start);
    let end = text[spot.bytes.start..].find('\n').map_or(text.len(), |end| spot.bytes.start + end);
    // Behind a value on one line, or behind the key of what begins on the next one.
    let is_free = match spot.is_leaf {
        true => spot.bytes.end <= end && text[spot.bytes.end..end].trim().is_empty(),
        false => spot.value > end && text[line..end].trim_end().ends_with(':'),
    };
    let (at, addition) = if side == Side::Behind && is_free {
        (line + text[line..end].trim_end().len(), format!(" {comment}"))
    } else {
        let rest = &text[line..];
        (line, format!("{}{comment}\n", &rest[..rest.len() - rest.trim_start_matches(' ').len()]))
    };
    Some(format!("{}{addition}{}", &text[..at], &text[at..]))
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |at| at + 1)
}
