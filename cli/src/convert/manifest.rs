//! The documents of a text, one after the other.

use std::ops::Range;

use hubgen_kubernetes::machinery::json::Lexer;
use hubgen_kubernetes::machinery::yaml;
use serde_json::Value;

use super::format::{Format, value};
use super::input::Input;
use super::list::{List, Outline, Outlines, with_indent};

/// One document.
pub struct Piece {
    /// What it says.
    pub body: Body,
    /// The bytes of the text that it spans; what is between documents belongs to none.
    pub bytes: Range<usize>,
    /// Its first line, from 1.
    pub line: usize,
    /// How it is written.
    pub format: Format,
}

/// What a document says.
pub enum Body {
    /// A value; null for an empty one.
    Value(Value),
    /// A list whose items are still in the text.
    List(Box<List>),
}

/// A text that cannot be read from here on.
pub struct Mistake {
    /// The line, from 1.
    pub line: usize,
    /// What was expected, what was found, what to do.
    pub message: String,
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
        /// Lines that are done.
        lines: usize,
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
    /// The documents of an input; `is_list` says of one without its items whether these are read
    /// one by one. Without a name that says so, what begins with a brace and reads as JSON is JSON.
    pub fn of(input: &'a Input, is_list: &'a dyn Fn(&Value) -> bool) -> Self {
        Self { documents: Documents::of(input), is_list }
    }
}

impl<'a> Documents<'a> {
    fn of(input: &'a Input) -> Self {
        let text = input.text.as_str();
        let begins = text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
        if input.is_json || (begins && Lexer::over(text.trim_start()).skip().is_ok()) {
            return Self::Json { text, done: 0, lines: 0 };
        }
        match Outlines::of(text).filter(|_| text.contains("items")) {
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
            Documents::Json { text, done, lines } => next_json(text, done, lines, &is_list),
            Documents::Yaml { text, documents } => {
                let piece = documents.next()?.map_err(broken).and_then(whole);
                Some(piece.map(|piece| Piece {
                    bytes: with_indent(text, piece.bytes.start)..piece.bytes.end,
                    ..piece
                }))
            }
            Documents::Lists { text, outlines } => {
                let Outline { bytes, line, list } = match outlines.next() {
                    Ok(outline) => outline?,
                    Err(error) => {
                        let at = error.marker();
                        let message = format!("expected YAML: {}", error.info());
                        return Some(Err(unread(at.line(), at.col() + 1, &message)));
                    }
                };
                if let Some(list) = list.filter(is_list) {
                    let body = Body::List(Box::new(list));
                    return Some(Ok(Piece { body, bytes, line, format: Format::Yaml }));
                }
                let first = yaml::documents(&text[bytes.clone()]).next()?;
                let piece = first.map_err(broken).and_then(whole);
                Some(match piece {
                    Ok(piece) => Ok(Piece { bytes, line, ..piece }),
                    Err(mistake) => Err(Mistake { line: mistake.line + line - 1, ..mistake }),
                })
            }
        }
    }
}

/// A document of YAML that is read as a whole.
fn whole(document: yaml::Document) -> Result<Piece, Mistake> {
    let line = *document.lines.start();
    match value(&document.json) {
        Ok(value) => {
            Ok(Piece { body: Body::Value(value), bytes: document.bytes, line, format: Format::Yaml })
        }
        Err(error) => Err(Mistake { line, message: error.message().to_owned() }),
    }
}

fn broken(error: yaml::Error) -> Mistake {
    unread(error.line(), error.column(), error.message())
}

fn unread(line: usize, column: usize, message: &str) -> Mistake {
    let advice = "the rest of the file was not read (a template is rendered first)";
    Mistake { line, message: format!("column {column}: {message}; {advice}") }
}

fn next_json(
    text: &str,
    done: &mut usize,
    lines: &mut usize,
    is_list: &dyn Fn(&List) -> bool,
) -> Option<Result<Piece, Mistake>> {
    let rest = &text[*done..];
    let blank = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
    *lines += rest[..blank].matches('\n').count();
    let start = *done + blank;
    let rest = &text[start..];
    if rest.is_empty() {
        return None;
    }
    let mut lexer = Lexer::over(rest);
    let first = *lines + 1;
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
            *lines += text[start..end].matches('\n').count();
            *done = end;
            Ok(Piece { body, bytes: start..end, line: first, format: Format::Json })
        }
        Err(error) => {
            *done = text.len();
            let message = format!("column {}: {}", error.column(), error.message());
            Err(Mistake { line: *lines + error.line(), message })
        }
    })
}
