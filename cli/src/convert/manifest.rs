//! The documents of a text, one after the other.

use std::ops::Range;

use hubgen_kubernetes::machinery::json::{self, Lexer, Raw};
use hubgen_kubernetes::machinery::yaml;
use serde_json::Value;

use super::input::Input;
use super::layout::Format;

/// One document.
pub struct Piece {
    /// Its value; null for an empty one.
    pub value: Value,
    /// The bytes of the text that it spans; what is between documents belongs to none.
    pub bytes: Range<usize>,
    /// Its first line, from 1.
    pub line: usize,
    /// How it is written.
    pub format: Format,
}

/// A text that cannot be read from here on.
pub struct Mistake {
    /// The line, from 1.
    pub line: usize,
    /// What was expected, what was found, what to do.
    pub message: String,
}

/// The documents of a text; after an error there are no more.
pub enum Pieces<'a> {
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
    Yaml(Box<yaml::Documents<'a>>),
}

impl<'a> Pieces<'a> {
    /// The documents of an input. Without a name that says so, what begins with a brace and reads
    /// as JSON is JSON.
    pub fn of(input: &'a Input) -> Self {
        let text = input.text.as_str();
        let begins = text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
        if input.is_json || (begins && Lexer::over(text.trim_start()).skip().is_ok()) {
            return Self::Json { text, done: 0, lines: 0 };
        }
        Self::Yaml(Box::new(yaml::documents(text)))
    }
}

impl Iterator for Pieces<'_> {
    type Item = Result<Piece, Mistake>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Json { text, done, lines } => next_json(text, done, lines),
            Self::Yaml(documents) => {
                let document = documents.next()?;
                Some(match document {
                    Ok(document) => value(&document.json)
                        .map(|value| Piece {
                            value,
                            bytes: document.bytes,
                            line: *document.lines.start(),
                            format: Format::Yaml,
                        })
                        .map_err(|error| Mistake {
                            line: *document.lines.start(),
                            message: error.message().to_owned(),
                        }),
                    Err(error) => Err(Mistake {
                        line: error.line(),
                        message: format!(
                            "column {}: {}; the rest of the file was not read (a template is rendered first)",
                            error.column(),
                            error.message()
                        ),
                    }),
                })
            }
        }
    }
}

fn next_json(text: &str, done: &mut usize, lines: &mut usize) -> Option<Result<Piece, Mistake>> {
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
    let read = lexer.skip().and_then(|()| value(&rest.as_bytes()[..lexer.offset()]));
    Some(match read {
        Ok(value) => {
            let end = start + lexer.offset();
            *lines += text[start..end].matches('\n').count();
            *done = end;
            Ok(Piece { value, bytes: start..end, line: first, format: Format::Json })
        }
        Err(error) => {
            *done = text.len();
            let message = format!("column {}: {}", error.column(), error.message());
            Err(Mistake { line: *lines + error.line(), message })
        }
    })
}

/// A value of the bytes of one JSON document.
pub fn value(json: &[u8]) -> Result<Value, json::Error> {
    Ok(Raw::new(json)?.to_value())
}
