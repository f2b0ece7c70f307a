//! Builds values from YAML events, document by document.

use std::collections::{HashMap, HashSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use saphyr_parser::{Event, Marker, ScalarStyle, ScanError, Tag};
use serde_json::{Map, Value};

use super::events::Events;
use super::scalar::{Scalar, resolve, resolve_tagged};
use super::{Document, Duplicate, Error, MAX_DUPLICATES};
use hubgen_json::lexer::MAX_DEPTH;
use hubgen_json::writer::{self, Layout, Shortest};

/// The most that aliases may add to a document: bytes of text, plus 32 for each value. Without a
/// limit, ten anchors that each refer ten times to the previous one would fill any memory.
const MAX_EXPANSION: usize = 16 << 20;

/// The namespace of YAML's own tags, abbreviated `!!`.
const YAML_TAGS: &str = "tag:yaml.org,2002:";

/// An iterator over the documents of a YAML text; see [`documents`](super::documents).
pub struct Documents<'a> {
    events: Events<'a>,
    /// The text without a byte order mark.
    text: &'a str,
    /// The length of the byte order mark before `text`.
    skipped: usize,
    /// The last position in `text` that was looked up, in characters and in bytes.
    position: (usize, usize),
    done: bool,
}

impl<'a> Documents<'a> {
    pub(super) fn new(text: &'a str) -> Documents<'a> {
        let plain = text.strip_prefix('\u{feff}').unwrap_or(text);
        Documents {
            events: Events::new(plain),
            text: plain,
            skipped: text.len() - plain.len(),
            position: (0, 0),
            done: false,
        }
    }

    /// The byte offset of a character. Calls must be in the order of the text.
    fn byte_of(&mut self, character: usize) -> usize {
        let (characters, bytes) = self.position;
        let bytes = self.text[bytes..]
            .char_indices()
            .nth(character.saturating_sub(characters))
            .map_or(self.text.len(), |(at, _)| bytes + at);
        self.position = (character.max(characters), bytes);
        bytes
    }

    /// Refuses characters that YAML does not have, wherever they are: Go's library does so before it reads anything.
    fn check_characters(&self) -> Result<(), Error> {
        let Some(at) = self.text.find(is_control) else { return Ok(()) };
        let before = &self.text[..at];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Err(Error { line, column, message: "control characters are not allowed".to_owned() })
    }

    fn next_document(&mut self) -> Result<Option<Document>, Error> {
        if self.position == (0, 0) {
            self.check_characters()?;
        }
        let mut builder = Builder::default();
        let mut start = Marker::default();
        while let Some(event) = self.events.next() {
            let (event, span) = event.map_err(|error| broken(&error))?;
            match event {
                Event::Nothing | Event::StreamStart => {}
                Event::StreamEnd => break,
                Event::DocumentStart(_) => start = span.start,
                Event::DocumentEnd => {
                    let mut json = Vec::new();
                    writer::value(&mut json, &builder.root);
                    let bytes = self.byte_of(start.index())..self.byte_of(span.start.index());
                    let text = self.text[bytes.clone()].trim_end();
                    let last = start.line() + text.matches('\n').count();
                    return Ok(Some(Document {
                        json,
                        bytes: bytes.start + self.skipped..bytes.end + self.skipped,
                        lines: start.line()..=last,
                        duplicates: builder.duplicates,
                    }));
                }
                event => builder.take(event, span.start)?,
            }
        }
        Ok(None)
    }
}

impl Iterator for Documents<'_> {
    type Item = Result<Document, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let next = self.next_document().transpose();
        self.done = !matches!(next, Some(Ok(_)));
        next
    }
}

fn is_control(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' | '\u{85}' => false,
        '\u{fffe}' | '\u{ffff}' => true,
        character => character.is_control(),
    }
}

fn broken(error: &ScanError) -> Error {
    failure(*error.marker(), format!("expected YAML: {}", error.info()))
}

fn failure(at: Marker, message: impl Into<String>) -> Error {
    Error { line: at.line(), column: at.col() + 1, message: message.into() }
}

/// Builds one document.
#[derive(Debug, Default)]
struct Builder {
    root: Value,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    /// What aliases have added so far, in the unit of [`MAX_EXPANSION`].
    expansion: usize,
    duplicates: Vec<Duplicate>,
}

/// A value with its size.
#[derive(Clone, Debug)]
struct Node {
    value: Value,
    /// Bytes of text, plus 32 for each value.
    size: usize,
    /// The number of nested lists and maps.
    depth: u32,
}

/// A list or map that has not ended yet.
#[derive(Debug)]
struct Open {
    collection: Collection,
    anchor: usize,
    size: usize,
    depth: u32,
}

#[derive(Debug)]
enum Collection {
    List(Vec<Value>),
    /// The members, the key whose value is next, and the names of members that a merge added. An
    /// explicit key may override those without being a duplicate.
    Map(Map<String, Value>, Option<Key>, HashSet<String>),
}

/// A key whose value is next.
#[derive(Debug)]
enum Key {
    Named(String),
    Merge,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, at: Marker) -> Result<(), Error> {
        match event {
            Event::SequenceStart(anchor, _) => self.open(Collection::List(Vec::new()), anchor, at),
            Event::MappingStart(anchor, _) => {
                self.open(Collection::Map(Map::new(), None, HashSet::new()), anchor, at)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(at),
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain;
                let scalar = read_scalar(&text, plain, tag.as_deref(), at)?;
                if self.awaits_key() {
                    let merges = text == "<<"
                        && match tag.as_deref() {
                            None => plain,
                            Some(tag) => full_name(tag) == format!("{YAML_TAGS}merge"),
                        };
                    let key = if merges { Key::Merge } else { Key::Named(key_text(&scalar, at)?) };
                    self.remember(anchor, || scalar_node(scalar));
                    self.await_value(key, at);
                    return Ok(());
                }
                if let Resolved::Scalar(Scalar::Float(value)) = scalar
                    && !value.is_finite()
                {
                    return Err(failure(
                        at,
                        format!("expected a finite number, found {text}, which JSON cannot represent"),
                    ));
                }
                let node = scalar_node(scalar);
                self.remember(anchor, || node.clone());
                self.add(node, at)
            }
            Event::Alias(anchor) => self.alias(anchor, at),
            _ => Ok(()),
        }
    }

    fn remember(&mut self, anchor: usize, node: impl FnOnce() -> Node) {
        if anchor != 0 {
            self.anchors.insert(anchor, node());
        }
    }

    fn alias(&mut self, anchor: usize, at: Marker) -> Result<(), Error> {
        let Some(node) = self.anchors.get(&anchor) else {
            return Err(failure(
                at,
                "expected an alias of a complete value, found an alias inside the value that it refers to",
            ));
        };
        self.expansion += node.size;
        if self.expansion > MAX_EXPANSION {
            return Err(failure(
                at,
                format!("expected aliases to add at most {MAX_EXPANSION} bytes, found more"),
            ));
        }
        let node = node.clone();
        if self.awaits_key() {
            let key = match node.value {
                Value::String(text) => text,
                Value::Bool(value) => value.to_string(),
                Value::Number(number) => number.to_string(),
                _ => return Err(failure(at, "expected a scalar as a key")),
            };
            self.await_value(Key::Named(key), at);
            return Ok(());
        }
        self.add(node, at)
    }

    fn awaits_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { collection: Collection::Map(_, None, _), .. }))
    }

    fn await_value(&mut self, key: Key, at: Marker) {
        let Some(open) = self.open.last_mut() else { return };
        let Collection::Map(members, awaited, merged) = &mut open.collection else { return };
        if let Key::Named(name) = &key {
            open.size += name.len();
            let is_duplicate = members.contains_key(name) && !merged.remove(name);
            if is_duplicate && self.duplicates.len() < MAX_DUPLICATES {
                self.duplicates.push(Duplicate { line: at.line(), key: name.clone() });
            }
        }
        *awaited = Some(key);
    }

    fn open(&mut self, collection: Collection, anchor: usize, at: Marker) -> Result<(), Error> {
        if self.awaits_key() {
            return Err(failure(at, "expected a scalar as a key, found a list or a map"));
        }
        if self.open.len() as u32 >= MAX_DEPTH {
            return Err(too_deep(at));
        }
        self.open.push(Open { collection, anchor, size: 32, depth: 0 });
        Ok(())
    }

    fn close(&mut self, at: Marker) -> Result<(), Error> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let node = Node {
            value: match open.collection {
                Collection::List(items) => Value::Array(items),
                Collection::Map(members, ..) => Value::Object(members),
            },
            size: open.size,
            depth: open.depth + 1,
        };
        self.remember(open.anchor, || node.clone());
        self.add(node, at)
    }

    /// Adds a complete value to the innermost open list or map, or makes it the document.
    fn add(&mut self, node: Node, at: Marker) -> Result<(), Error> {
        if self.open.len() as u32 + node.depth > MAX_DEPTH {
            return Err(too_deep(at));
        }
        let Some(open) = self.open.last_mut() else {
            self.root = node.value;
            return Ok(());
        };
        open.size += node.size;
        open.depth = open.depth.max(node.depth);
        match &mut open.collection {
            Collection::List(items) => items.push(node.value),
            Collection::Map(members, key, merged) => match key.take() {
                Some(Key::Named(name)) => {
                    members.insert(name, node.value);
                }
                Some(Key::Merge) => merge(members, merged, node.value, at)?,
                None => {}
            },
        }
        Ok(())
    }
}

fn too_deep(at: Marker) -> Error {
    failure(at, format!("expected at most {MAX_DEPTH} nested lists and maps, found more"))
}

/// Merges a map, or a list of maps: earlier maps override later ones.
fn merge(
    members: &mut Map<String, Value>,
    merged: &mut HashSet<String>,
    value: Value,
    at: Marker,
) -> Result<(), Error> {
    let sources = match value {
        Value::Array(sources) => sources,
        source => vec![source],
    };
    for source in sources.into_iter().rev() {
        let Value::Object(source) = source else {
            return Err(failure(at, "expected a map, or a list of maps, to merge with <<"));
        };
        for (name, value) in source {
            merged.insert(name.clone());
            members.insert(name, value);
        }
    }
    Ok(())
}

/// A resolved scalar, which is a key or a value.
enum Resolved {
    Scalar(Scalar),
    Text(String),
}

fn read_scalar(text: &str, plain: bool, tag: Option<&Tag>, at: Marker) -> Result<Resolved, Error> {
    let scalar = match tag.map(full_name) {
        None if plain => resolve(text),
        None => Scalar::Text,
        Some(tag) => match tag.strip_prefix(YAML_TAGS) {
            Some("binary") => return read_binary(text, at).map(Resolved::Text),
            Some(tag) => resolve_tagged(tag, text)
                .ok_or_else(|| failure(at, format!("expected !!{tag}, found `{}`", text.escape_debug())))?,
            None => Scalar::Text,
        },
    };
    Ok(match scalar {
        Scalar::Text => Resolved::Text(text.to_owned()),
        scalar => Resolved::Scalar(scalar),
    })
}

fn read_binary(text: &str, at: Marker) -> Result<String, Error> {
    let compact: String = text.split_ascii_whitespace().collect();
    STANDARD.decode(compact).ok().and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(|| {
        failure(at, "expected !!binary to contain UTF-8 text in base64; for other bytes, remove the tag")
    })
}

fn full_name(tag: &Tag) -> String {
    format!("{}{}", tag.handle, tag.suffix)
}

fn key_text(read: &Resolved, at: Marker) -> Result<String, Error> {
    Ok(match read {
        Resolved::Text(text) => text.clone(),
        Resolved::Scalar(Scalar::Bool(value)) => value.to_string(),
        Resolved::Scalar(Scalar::Integer(value)) => value.to_string(),
        Resolved::Scalar(Scalar::Unsigned(value)) => value.to_string(),
        Resolved::Scalar(Scalar::Float(value)) => float_key(*value),
        Resolved::Scalar(_) => {
            return Err(failure(at, "expected a string, a number or a boolean as a key, found null"));
        }
    })
}

/// A float as a key: with the digits of a 32-bit float, as Go's library writes it.
fn float_key(value: f64) -> String {
    let value = value as f32;
    if value.is_nan() {
        return ".nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let mut out = Vec::new();
    general(&Shortest::of_single(value), &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Appends a float in Go's general format: with an exponent from 1e6 on and below 1e-4.
pub(super) fn general(shortest: &Shortest, out: &mut Vec<u8>) {
    let layout = if (-4..6).contains(&shortest.exponent()) {
        Layout::Positional
    } else {
        Layout::Exponent { digits: 2 }
    };
    shortest.append(out, layout);
}

fn scalar_node(read: Resolved) -> Node {
    let value = match read {
        Resolved::Text(text) => Value::String(text),
        Resolved::Scalar(Scalar::Bool(value)) => Value::Bool(value),
        Resolved::Scalar(Scalar::Integer(value)) => Value::from(value),
        Resolved::Scalar(Scalar::Unsigned(value)) => Value::from(value),
        Resolved::Scalar(Scalar::Float(value)) => Value::from(value),
        Resolved::Scalar(Scalar::Null | Scalar::Text) => Value::Null,
    };
    let length = value.as_str().map_or(0, str::len);
    Node { value, size: 32 + length, depth: 0 }
}
