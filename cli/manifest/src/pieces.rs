//! The documents of a text, one after the other.

use std::ops::Range;

use hubgen_json::Lexer;
use hubgen_yaml as yaml;
use serde_json::Value;

use crate::format::{Format, value};
use crate::list::{List, Outline, Outlines, with_indent};
use crate::mistake::{Mistake, offset};

/// One document.
pub struct Piece {
    /// Its content.
    pub body: Body,
    /// The bytes of the text that it spans; what is between documents belongs to none.
    pub bytes: Range<usize>,
    /// How it is written.
    pub format: Format,
}

/// The content of a document.
pub enum Body {
    /// A value; null for an empty one.
    Value(Value),
    /// A list whose items are still in the text.
    List(Box<List>),
}

/// The documents of a text; after an error there are no more.
pub struct Pieces<'a> {
    documents: Documents<'a>,
    /// Whether items of a document are read one by one, given it without them.
    is_list: &'a dyn Fn(&Value) -> bool,
}

enum Documents<'a> {
    /// JSON objects, one after the other.
    Json {
        /// All of it.
        text: &'a str,
        /// Bytes that are done.
        done: usize,
    },
    /// A stream of YAML.
    Yaml {
        /// All of it.
        text: &'a str,
        /// The documents.
        documents: Box<yaml::Documents<'a>>,
    },
    /// A stream of YAML in which there may be lists.
    Lists {
        /// All of it.
        text: &'a str,
        /// The documents.
        outlines: Box<Outlines<'a>>,
    },
}

impl<'a> Pieces<'a> {
    /// The documents of a text; `is_list` decides for a document, given without its items, whether
    /// these are read one by one. A text is JSON if it has to be, as that of a file whose name ends with `.json`, or
    /// if it begins with a brace and can be read as JSON.
    pub fn new(text: &'a str, is_json: bool, is_list: &'a dyn Fn(&Value) -> bool) -> Self {
        Self { documents: Documents::new(text, is_json), is_list }
    }
}

impl<'a> Documents<'a> {
    fn new(text: &'a str, is_json: bool) -> Self {
        let begins = text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
        if is_json || (begins && Lexer::over(text.trim_start()).skip().is_ok()) {
            return Self::Json { text, done: 0 };
        }
        match Outlines::parse(text).filter(|_| text.contains("items")) {
            Some(outlines) => Self::Lists { text, outlines: Box::new(outlines) },
            None => Self::Yaml { text, documents: Box::new(yaml::documents(text)) },
        }
    }
}

impl Iterator for Pieces<'_> {
    type Item = Result<Piece, Mistake>;

    fn next(&mut self) -> Option<Self::Item> {
        let is_list = |list: &List| (self.is_list)(&list.envelope);
        match &mut self.documents {
            Documents::Json { text, done } => next_json(text, done, &is_list),
            Documents::Yaml { text, documents } => {
                let piece = documents.next()?.map_err(|error| broken(text, &error)).and_then(whole);
                Some(piece.map(|piece| Piece {
                    bytes: with_indent(text, piece.bytes.start)..piece.bytes.end,
                    ..piece
                }))
            }
            Documents::Lists { text, outlines } => {
                let Outline { bytes, list } = match outlines.next() {
                    Ok(outline) => outline?,
                    Err(error) => {
                        let marker = error.marker();
                        let message = format!("expected YAML: {}", error.info());
                        let at = offset(text, marker.line(), marker.col() + 1);
                        return Some(Err(Mistake { at, message, help: UNREAD }));
                    }
                };
                if let Some(list) = list.filter(is_list) {
                    let body = Body::List(Box::new(list));
                    return Some(Ok(Piece { body, bytes, format: Format::Yaml }));
                }
                let document = &text[bytes.clone()];
                let first = yaml::documents(document).next()?;
                let piece = first.map_err(|error| broken(document, &error)).and_then(whole);
                Some(match piece {
                    Ok(piece) => Ok(Piece { bytes, ..piece }),
                    Err(mistake) => Err(Mistake { at: mistake.at + bytes.start, ..mistake }),
                })
            }
        }
    }
}

/// A document of YAML that is read as a whole.
fn whole(document: yaml::Document) -> Result<Piece, Mistake> {
    let bytes = document.bytes;
    match value(&document.json) {
        Ok(value) => Ok(Piece { body: Body::Value(value), bytes, format: Format::Yaml }),
        Err(error) => Err(Mistake { at: bytes.start, message: error.message().to_owned(), help: "" }),
    }
}

/// What follows from a mistake in YAML.
const UNREAD: &str = "the rest of the file was not read; if it is a template, render it first";

fn broken(text: &str, error: &yaml::Error) -> Mistake {
    let at = offset(text, error.line(), error.column());
    Mistake { at, message: error.message().to_owned(), help: UNREAD }
}

fn next_json(
    text: &str,
    done: &mut usize,
    is_list: &dyn Fn(&List) -> bool,
) -> Option<Result<Piece, Mistake>> {
    let rest = &text[*done..];
    let blank = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
    let start = *done + blank;
    let rest = &text[start..];
    if rest.is_empty() {
        return None;
    }
    let mut lexer = Lexer::over(rest);
    let read = lexer.skip().and_then(|()| {
        let text = &rest[..lexer.offset()];
        match List::json(text).filter(is_list) {
            Some(list) => Ok(Body::List(Box::new(list))),
            None => value(text.as_bytes()).map(Body::Value),
        }
    });
    Some(match read {
        Ok(body) => {
            let end = start + lexer.offset();
            *done = end;
            Ok(Piece { body, bytes: start..end, format: Format::Json })
        }
        Err(error) => {
            *done = text.len();
            Err(Mistake { at: start + error.offset(), message: error.message().to_owned(), help: "" })
        }
    })
}
