//! The places of the parts of a document in its text.

use std::borrow::Cow;
use std::ops::Range;

use hubgen_json::Lexer;
use hubgen_json::lexer::{Kind, Result};
use hubgen_yaml::Events;
use saphyr_parser::{Event, Marker, ScalarStyle, Span};

use crate::format::Format;

/// The parts of a document, with their places in its text.
pub struct Tree {
    /// The whole.
    pub(crate) root: Node,
}

/// A value.
pub struct Node {
    /// The bytes that it spans.
    pub bytes: Range<usize>,
    /// What it is made of.
    pub content: Content,
}

/// What a value is made of.
pub enum Content {
    /// Nothing further; in YAML also an alias.
    Leaf,
    /// Elements.
    List(Vec<Node>),
    /// Members, in the order of the text.
    Map(Vec<Member>),
}

/// A member of a map.
pub struct Member {
    /// Its name.
    pub key: String,
    /// Where the name begins.
    pub start: usize,
    /// Its value.
    pub value: Node,
}

impl Tree {
    /// The tree of one document; `None` where the text has none.
    pub fn parse(text: &str, format: Format) -> Option<Self> {
        let root = match format {
            Format::Json => json(&mut Lexer::over(text)).ok()?,
            Format::Yaml => Builder::new(text).build()?,
        };
        Some(Self { root })
    }

    /// The bytes of the element or member, with its name, at a path such as
    /// `spec.containers[0].image`; of as much of the path as there is.
    pub fn place(&self, path: &str) -> Range<usize> {
        place(&self.root, path, self.root.bytes.clone())
    }

    /// The bytes of the value of a member of the whole; of the last one of that name.
    pub fn member(&self, name: &str) -> Option<Range<usize>> {
        let Content::Map(members) = &self.root.content else { return None };
        members.iter().rfind(|member| member.key == name).map(|member| member.value.bytes.clone())
    }

    /// The paths of members whose names came before in the same map.
    pub fn duplicates(&self) -> Vec<String> {
        let mut found = Vec::new();
        duplicates(&self.root, "", &mut found);
        found
    }
}

fn place(node: &Node, path: &str, own: Range<usize>) -> Range<usize> {
    let path = path.strip_prefix('.').unwrap_or(path);
    match &node.content {
        Content::Map(members) => {
            // Keys may contain dots: take the longest that fits, and the last of equal ones.
            let found = members.iter().filter_map(|member| Some((member, after_key(path, &member.key)?)));
            let found = found.max_by_key(|(member, _)| member.key.len());
            found.map_or(own, |(member, rest)| {
                place(&member.value, rest, member.start..member.value.bytes.end)
            })
        }
        Content::List(elements) => {
            let index = path.strip_prefix('[').and_then(|rest| rest.split_once(']'));
            let element =
                index.and_then(|(index, rest)| Some((elements.get(index.parse::<usize>().ok()?)?, rest)));
            element.map_or(own, |(element, rest)| place(element, rest, element.bytes.clone()))
        }
        Content::Leaf => own,
    }
}

/// The rest of a path after a key: `a.b`, or `[a].b` where keys are no names of fields.
fn after_key<'p>(path: &'p str, key: &str) -> Option<&'p str> {
    let bracketed = path.strip_prefix('[').and_then(|path| path.strip_prefix(key)?.strip_prefix(']'));
    let rest = bracketed.or_else(|| path.strip_prefix(key))?;
    (rest.is_empty() || rest.starts_with(['.', '['])).then_some(rest)
}

fn duplicates(node: &Node, path: &str, found: &mut Vec<String>) {
    match &node.content {
        Content::Map(members) => {
            for (index, member) in members.iter().enumerate() {
                let path =
                    if path.is_empty() { member.key.clone() } else { format!("{path}.{}", member.key) };
                let before = members[..index].iter().any(|before| before.key == member.key);
                // Merging twice is no duplicate.
                if before && member.key != "<<" && !found.contains(&path) {
                    found.push(path.clone());
                }
                duplicates(&member.value, &path, found);
            }
        }
        Content::List(elements) => {
            for (index, element) in elements.iter().enumerate() {
                duplicates(element, &format!("{path}[{index}]"), found);
            }
        }
        Content::Leaf => {}
    }
}

fn json(lexer: &mut Lexer<'_>) -> Result<Node> {
    let kind = lexer.peek()?;
    let start = lexer.offset();
    let content = match kind {
        Kind::Object => {
            let mut members = Vec::new();
            let mut more = lexer.enter_object()?;
            while more {
                let start = lexer.offset();
                let key = lexer.key()?.into_owned();
                members.push(Member { key, start, value: json(lexer)? });
                more = lexer.next_member()?;
            }
            Content::Map(members)
        }
        Kind::Array => {
            let mut elements = Vec::new();
            let mut more = lexer.enter_array()?;
            while more {
                elements.push(json(lexer)?);
                more = lexer.next_element()?;
            }
            Content::List(elements)
        }
        _ => {
            lexer.skip()?;
            Content::Leaf
        }
    };
    Ok(Node { bytes: start..lexer.offset(), content })
}

/// Builds the tree of a YAML document from the parser's events.
struct Builder<'a> {
    events: Events<'a>,
    text: &'a str,
    /// The byte at which each character begins, where they are not the same.
    bytes: Option<Vec<usize>>,
}

impl<'a> Builder<'a> {
    fn new(text: &'a str) -> Self {
        let bytes = (!text.is_ascii()).then(|| text.char_indices().map(|(at, _)| at).collect());
        Self { events: Events::new(text), text, bytes }
    }

    fn byte(&self, marker: Marker) -> usize {
        let at = match &self.bytes {
            None => marker.index(),
            Some(bytes) => bytes.get(marker.index()).copied().unwrap_or(self.text.len()),
        };
        at.min(self.text.len())
    }

    fn event(&mut self) -> Option<(Event<'a>, Span)> {
        self.events.next()?.ok()
    }

    fn build(mut self) -> Option<Node> {
        loop {
            match self.event()? {
                (Event::Nothing | Event::StreamStart | Event::DocumentStart(_), _) => {}
                (Event::StreamEnd | Event::DocumentEnd, _) => return None,
                (event, span) => return self.node(event, span),
            }
        }
    }

    fn node(&mut self, event: Event<'a>, span: Span) -> Option<Node> {
        let start = self.byte(span.start);
        match event {
            Event::Scalar(_, style, ..) => {
                let mut end = self.byte(span.end);
                if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded | ScalarStyle::Plain) {
                    end = start + self.text[start..end.max(start)].trim_end().len();
                }
                Some(Node { bytes: start..end, content: Content::Leaf })
            }
            Event::Alias(_) => Some(Node { bytes: start..self.byte(span.end), content: Content::Leaf }),
            Event::SequenceStart(..) => {
                let mut elements: Vec<Node> = Vec::new();
                loop {
                    match self.event()? {
                        (Event::SequenceEnd, span) => {
                            let last = elements.last().map(|element| element.bytes.end);
                            let bytes = start..self.end(start, last, span);
                            return Some(Node { bytes, content: Content::List(elements) });
                        }
                        (event, span) => elements.push(self.node(event, span)?),
                    }
                }
            }
            Event::MappingStart(..) => {
                let mut members: Vec<Member> = Vec::new();
                loop {
                    let (key, start_of_key) = match self.event()? {
                        (Event::MappingEnd, span) => {
                            let last = members.last().map(|member| member.value.bytes.end);
                            let bytes = start..self.end(start, last, span);
                            return Some(Node { bytes, content: Content::Map(members) });
                        }
                        (Event::Scalar(text, ..), span) => (text, self.byte(span.start)),
                        (Event::Alias(_), span) => (Cow::Borrowed("*"), self.byte(span.start)),
                        _ => return None,
                    };
                    let key_end = start_of_key + key.len();
                    let (event, span) = self.event()?;
                    let mut value = self.node(event, span)?;
                    // The place of a value that is left out is anywhere after its key.
                    if value.bytes.is_empty() {
                        let colon = self.text.get(key_end..).and_then(|rest| rest.find(':'));
                        let at = colon.map_or(key_end, |colon| key_end + colon + 1).min(self.text.len());
                        value.bytes = at..at;
                    }
                    members.push(Member { key: key.into_owned(), start: start_of_key, value });
                }
            }
            _ => None,
        }
    }

    /// Where a list or map ends: at its bracket, or with its last element.
    fn end(&self, start: usize, last: Option<usize>, span: Span) -> usize {
        if self.text[start..].starts_with(['{', '[']) {
            return self.byte(span.end);
        }
        last.unwrap_or(start)
    }
}
