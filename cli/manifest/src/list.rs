//! Lists, item by item: the values of a list may take many times the memory of its text.
//!
//! Where its text allows, a list is read one item after the other, and the text between items stays as it
//! is. Nothing of an item is kept once the next one is read.

use std::borrow::Cow;
use std::ops::Range;

use hubgen_json::Lexer;
use hubgen_yaml as yaml;
use saphyr_parser::{Event, ScanError, Span};
use serde_json::Value;

use crate::edit::indented;
use crate::format::{Format, value};
use crate::mistake::{Mistake, offset};

/// A document that is a list, with its items still in the text.
pub struct List {
    /// The list without its items.
    pub envelope: Value,
    /// Its text without them, with a filler in their place.
    text: String,
    /// The bytes of the document that were cut out, and the length of the filler.
    cut: Range<usize>,
    filler: usize,
    /// How many items there are.
    count: usize,
    format: Format,
}

/// One item of the text.
pub struct Item<'a> {
    /// Its bytes in the document.
    pub bytes: Range<usize>,
    /// Its text, with blanks for the text before it on its line, so that it can be read alone.
    pub text: Cow<'a, str>,
    /// How many blanks.
    pub padding: usize,
}

impl Item<'_> {
    /// Its value.
    ///
    /// # Errors
    /// The mistake, at its place in the item's text.
    pub fn value(&self, format: Format) -> Result<Value, Mistake> {
        match format {
            Format::Json => value(self.text.as_bytes()).map_err(|error| Mistake {
                at: error.offset(),
                message: error.message().to_owned(),
                help: "",
            }),
            Format::Yaml => {
                let json = yaml::to_json(&self.text).map_err(|error| Mistake {
                    at: offset(&self.text, error.line(), error.column()),
                    message: error.message().to_owned(),
                    help: "",
                })?;
                value(&json).map_err(|error| Mistake { at: 0, message: error.message().to_owned(), help: "" })
            }
        }
    }

    /// The blanks at the beginning of the item's line in the document.
    pub fn margin<'t>(&self, document: &'t str) -> &'t str {
        let line = document[..self.bytes.start].rfind('\n').map_or(0, |at| at + 1);
        let rest = &document[line..];
        &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
    }

    /// A new text of the item, as it is in the document: without the padding.
    pub fn unpadded<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match text.split_at_checked(self.padding) {
            Some((blanks, rest)) if blanks.trim_matches(' ').is_empty() => Cow::Borrowed(rest),
            // It was written anew, without padding.
            _ => Cow::Owned(indented(text.trim_end_matches('\n'), self.padding) + "\n"),
        }
    }
}

impl List {
    /// The list that a document of JSON is; `None` where it has no items.
    pub(crate) fn json(text: &str) -> Option<Self> {
        let (mut cut, mut count) = (None, 0);
        json_items(text, &mut |_| count += 1, &mut cut)?;
        Self::without(text, cut?, "[]", count, Format::Json)
    }

    fn without(text: &str, cut: Range<usize>, filler: &str, count: usize, format: Format) -> Option<Self> {
        let text = format!("{}{filler}{}", &text[..cut.start], &text[cut.end..]);
        let envelope = match format {
            Format::Json => value(text.as_bytes()).ok()?,
            Format::Yaml => value(&yaml::to_json(&text).ok()?).ok()?,
        };
        let is_list = envelope.get("items").is_some_and(|items| items.as_array().is_some_and(Vec::is_empty));
        is_list.then(|| Self { envelope, text, cut, filler: filler.len(), count, format })
    }

    /// Calls `visit` with every item of the document that this is, in order.
    ///
    /// # Panics
    /// When the document is another one.
    pub fn each(&self, document: &str, visit: &mut dyn FnMut(Item<'_>)) {
        let mut count = 0;
        let mut visit = |item: Item<'_>| {
            count += 1;
            visit(item);
        };
        match self.format {
            Format::Json => {
                json_items(document, &mut visit, &mut None);
            }
            Format::Yaml => {
                // The document was read before without a mistake.
                let _ = Events::new(document).document(&mut visit);
            }
        }
        assert_eq!(count, self.count, "the list has the items that it had before");
    }

    /// How many items there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The text without the items, and a function from its bytes to those of the document.
    pub fn frame(&self) -> (&str, impl Fn(usize) -> usize + '_) {
        let after = self.cut.start + self.filler;
        (&self.text, move |at| if at >= after { at - after + self.cut.end } else { at })
    }
}

/// Visits the items; `None` where the text is no list. `place` gets the bytes of all of them.
fn json_items(text: &str, visit: &mut dyn FnMut(Item<'_>), place: &mut Option<Range<usize>>) -> Option<()> {
    let mut lexer = Lexer::over(text);
    let mut more = lexer.enter_object().ok()?;
    while more {
        if &*lexer.key().ok()? != "items" {
            lexer.skip().ok()?;
        } else {
            // The last one would win.
            if place.is_some() {
                return None;
            }
            lexer.peek().ok()?;
            let start = lexer.offset();
            let mut more = lexer.enter_array().ok()?;
            while more {
                lexer.peek().ok()?;
                let start = lexer.offset();
                let text = lexer.raw().ok()?;
                visit(Item { bytes: start..lexer.offset(), text: Cow::Borrowed(text), padding: 0 });
                more = lexer.next_element().ok()?;
            }
            *place = Some(start..lexer.offset());
        }
        more = lexer.next_member().ok()?;
    }
    Some(())
}

/// Where a document of YAML is, and its items if it is a list that is read item by item.
struct DocumentSpan {
    bytes: Range<usize>,
    items: Option<ItemsSpan>,
}

/// Where the items of a document of YAML are: the bytes to take out of it, and what to put there.
struct ItemsSpan {
    cut: Range<usize>,
    filler: &'static str,
}

/// One document of YAML, not yet read.
pub struct Outline {
    /// Its bytes in the text.
    pub bytes: Range<usize>,
    /// The list that it is, if its items stand for themselves.
    pub list: Option<List>,
}

/// The documents of a YAML text, found without keeping any values.
pub struct Outlines<'a> {
    events: Events<'a>,
    /// Bytes before the events' text: a byte order mark.
    skipped: usize,
}

impl<'a> Outlines<'a> {
    /// The documents of a text; `None` where it has directives, which apply to whole documents.
    pub fn parse(text: &'a str) -> Option<Self> {
        let plain = text.strip_prefix('\u{feff}').unwrap_or(text);
        let has_directives = plain.starts_with('%') || plain.contains("\n%");
        (!has_directives).then(|| Self { events: Events::new(plain), skipped: text.len() - plain.len() })
    }

    /// The next document.
    ///
    /// # Errors
    /// When the text is not YAML from here on.
    pub fn next(&mut self) -> Result<Option<Outline>, ScanError> {
        let mut count = 0;
        let Some(DocumentSpan { bytes, items }) = self.events.document(&mut |_| count += 1)? else {
            return Ok(None);
        };
        let all = self.events.text;
        let start = with_indent(all, bytes.start);
        let list = items.and_then(|ItemsSpan { cut, filler }| {
            let cut = cut.start - start..cut.end - start;
            List::without(&all[start..bytes.end], cut, filler, count, Format::Yaml)
        });
        Ok(Some(Outline { bytes: start + self.skipped..bytes.end + self.skipped, list }))
    }
}

/// Where a document begins, including the blanks before its first line, which determine its depth.
pub fn with_indent(text: &str, start: usize) -> usize {
    text[..start].trim_end_matches(' ').len().max(text[..start].rfind('\n').map_or(0, |at| at + 1))
}

/// The parser's events, with bytes instead of characters.
struct Events<'a> {
    parser: yaml::Events<'a>,
    text: &'a str,
    /// A place in the text, in characters and in bytes.
    place: (usize, usize),
}

impl<'a> Events<'a> {
    fn new(text: &'a str) -> Self {
        Self { parser: yaml::Events::new(text), text, place: (0, 0) }
    }

    /// The byte at which a character begins. Callers must ask in the order of characters.
    fn byte(&mut self, character: usize) -> usize {
        let (characters, bytes) = self.place;
        if character <= characters {
            return bytes;
        }
        let bytes = self.text[bytes..]
            .char_indices()
            .nth(character - characters)
            .map_or(self.text.len(), |(at, _)| bytes + at);
        self.place = (character, bytes);
        bytes
    }

    /// Reads the next document, and visits its items if it is a list: returns its bytes, and where its
    /// items are. That is `None` where items refer to each other or are not maps; discard what was
    /// visited then.
    fn document(&mut self, visit: &mut dyn FnMut(Item<'_>)) -> Result<Option<DocumentSpan>, ScanError> {
        let mut start = 0;
        let mut walk = Walk::default();
        while let Some(event) = self.parser.next() {
            let (event, span) = event?;
            match event {
                Event::Nothing | Event::StreamStart => {}
                Event::StreamEnd => break,
                Event::DocumentStart(_) => start = self.byte(span.start.index()),
                Event::DocumentEnd => {
                    let end = self.byte(span.start.index());
                    let items = walk.place.filter(|_| !walk.is_whole);
                    return Ok(Some(DocumentSpan { bytes: start..end, items }));
                }
                event => self.take(&mut walk, &event, span, visit),
            }
        }
        Ok(None)
    }

    fn take(&mut self, walk: &mut Walk, event: &Event<'_>, span: Span, visit: &mut dyn FnMut(Item<'_>)) {
        let (anchor, opens, closes) = match event {
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) => (*anchor, true, false),
            Event::SequenceEnd | Event::MappingEnd => (0, false, true),
            Event::Scalar(_, _, anchor, _) => (*anchor, false, false),
            _ => (1, false, false),
        };
        walk.is_whole |= anchor != 0;
        if closes {
            walk.depth -= 1;
        }
        match (walk.depth, event) {
            (0, Event::MappingStart(..)) | (0, Event::MappingEnd) => {}
            (0, _) => walk.is_whole = true,
            // A key, or its value.
            (1, Event::Scalar(text, ..)) if !walk.awaits_value => {
                walk.awaits_value = true;
                walk.is_items = &**text == "items";
                // The parser does not say where the first dash is.
                walk.key_end = if walk.is_items { self.byte(span.end.index()) } else { 0 };
            }
            (1, Event::SequenceStart(_, tag)) if walk.is_items && walk.awaits_value => {
                // The last one would win.
                walk.is_whole |= walk.place.is_some() || tag.is_some();
                let at = self.byte(span.start.index());
                walk.in_flow = self.text[at..].starts_with('[');
                if walk.in_flow {
                    walk.key_end = at;
                }
                walk.in_items = true;
            }
            (1, Event::SequenceEnd) if walk.in_items => {
                walk.in_items = false;
                walk.awaits_value = false;
                let end = self.byte(span.start.index());
                let (end, filler) =
                    if walk.in_flow { (end + 1, "[]") } else { (self.line_start(end), ": []\n") };
                walk.place = Some(ItemsSpan { cut: walk.key_end..end, filler });
            }
            (1, event) => {
                // An alias or a list as a key cannot be `items`.
                walk.is_whole |= !walk.awaits_value;
                if !matches!(event, Event::SequenceStart(..) | Event::MappingStart(..)) {
                    walk.awaits_value = false;
                }
            }
            (2, Event::MappingStart(_, tag)) if walk.in_items => {
                walk.is_whole |= tag.is_some();
                walk.item = self.byte(span.start.index());
            }
            (2, Event::MappingEnd) if walk.in_items => self.item(walk, span, visit),
            (2, _) if walk.in_items => walk.is_whole = true,
            _ => {}
        }
        if opens {
            walk.depth += 1;
        }
    }

    fn item(&mut self, walk: &mut Walk, span: Span, visit: &mut dyn FnMut(Item<'_>)) {
        let start = walk.item;
        let end = self.byte(span.start.index());
        if self.text[start..].starts_with('{') {
            let bytes = start..end + 1;
            return visit(Item { text: Cow::Borrowed(&self.text[bytes.clone()]), bytes, padding: 0 });
        }
        // The parser tells where the next one begins: the lines before that are this one's.
        let end = self.line_start(end).max(start);
        let before = &self.text[self.line_start(start)..start];
        // Keys that are on the line of something else than dashes cannot be moved apart.
        walk.is_whole |= !before.bytes().all(|byte| byte == b' ' || byte == b'-');
        let text = format!("{}{}", " ".repeat(before.len()), &self.text[start..end]);
        visit(Item { bytes: start..end, text: Cow::Owned(text), padding: before.len() });
    }

    /// The beginning of the line of a byte, or the byte itself at the end of the text.
    fn line_start(&self, at: usize) -> usize {
        if at == self.text.len() {
            return at;
        }
        self.text[..at].rfind('\n').map_or(0, |at| at + 1)
    }
}

/// The state of reading a document.
#[derive(Default)]
struct Walk {
    depth: usize,
    awaits_value: bool,
    /// Whether the last key was `items`, where it ended, and whether its value has brackets.
    is_items: bool,
    key_end: usize,
    in_flow: bool,
    in_items: bool,
    /// Where the current item begins.
    item: usize,
    place: Option<ItemsSpan>,
    /// Whether it can only be read as a whole.
    is_whole: bool,
}
