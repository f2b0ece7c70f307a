//! The events of a text, also where lines inside of brackets are indented as the parser does not allow.
//!
//! In brackets, Go's library takes lines of any indentation. The parser refuses those with less than the collection around
//! them, such as the closing bracket below its key in an item of a list, after a text in quotes. Where it does, the line break before is read as a
//! blank, which means the same there. Places are those of the text as it is.

use std::iter::Enumerate;
use std::str::Chars;

use saphyr_parser::{BufferedInput, Event, Marker, Parser, ScanError, Span, StrInput};

/// What the parser tells of such a line. It tells so of no other.
const REFUSED: &str = "invalid indentation";

/// The most line breaks that are read as blanks: for each, the text is parsed once more.
const MOST: usize = 64;

/// The events of a text, with their places.
///
/// ```
/// use hubgen_yaml::Events;
///
/// let text = "- name: a\n  args: [\n    'x',\n  ]\n";
/// assert!(Events::new(text).all(|event| event.is_ok()));
/// ```
pub struct Events<'a> {
    text: &'a str,
    source: Source<'a>,
    /// How many events were given.
    given: usize,
    /// The line feeds that are read as blanks, by their characters, in order.
    breaks: Vec<usize>,
}

enum Source<'a> {
    AsIs(Box<Parser<'a, StrInput<'a>>>),
    Joined(Box<Parser<'a, BufferedInput<Joined<'a>>>>),
}

/// The characters of a text, some line breaks of which are blanks.
struct Joined<'a> {
    characters: Enumerate<Chars<'a>>,
    breaks: Vec<usize>,
}

impl Iterator for Joined<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let (index, character) = self.characters.next()?;
        let is_joined = match character {
            '\n' => self.breaks.binary_search(&index).is_ok(),
            // What is before a line feed belongs to it.
            '\r' => self.breaks.binary_search(&(index + 1)).is_ok(),
            _ => false,
        };
        Some(if is_joined { ' ' } else { character })
    }
}

impl<'a> Events<'a> {
    /// The events of a text without a byte order mark.
    pub fn new(text: &'a str) -> Self {
        let source = Source::AsIs(Box::new(Parser::new_from_str(text)));
        Self { text, source, given: 0, breaks: Vec::new() }
    }

    fn parsed(&mut self) -> Option<Result<(Event<'a>, Span), ScanError>> {
        match &mut self.source {
            Source::AsIs(parser) => parser.next_event(),
            Source::Joined(parser) => parser.next_event(),
        }
    }

    /// Reads the line break before a place as a blank; whether it does.
    fn join(&mut self, at: Marker) -> bool {
        let end = self.text.char_indices().nth(at.index()).map_or(self.text.len(), |(byte, _)| byte);
        let before = self.text[..end].trim_end_matches([' ', '\t']);
        let Some(line) = before.strip_suffix('\n') else { return false };
        let last = line.rsplit('\n').next().unwrap_or_default();
        // A comment would go on.
        if last.contains('#') || self.breaks.len() >= MOST {
            return false;
        }
        let Err(place) = self.breaks.binary_search(&line.chars().count()) else { return false };
        self.breaks.insert(place, line.chars().count());
        let characters = Joined { characters: self.text.chars().enumerate(), breaks: self.breaks.clone() };
        self.source = Source::Joined(Box::new(Parser::new_from_iter(characters)));
        for _ in 0..self.given {
            // They are the same as before.
            let _ = self.parsed();
        }
        true
    }

    /// A place of what was parsed, in the text as it is.
    fn place(&self, at: Marker) -> Marker {
        let (index, column) = (at.index(), at.col());
        let before = self.breaks.partition_point(|at| *at < index);
        let Some(last) = before.checked_sub(1).map(|last| self.breaks[last]) else { return at };
        let column = if index - column <= last { index - last - 1 } else { column };
        Marker::new(index, at.line() + before, column)
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Result<(Event<'a>, Span), ScanError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.parsed()? {
                Ok((event, span)) => {
                    self.given += 1;
                    return Some(Ok((event, Span::new(self.place(span.start), self.place(span.end)))));
                }
                Err(error) if error.info() == REFUSED && self.join(*error.marker()) => {}
                Err(error) => {
                    return Some(Err(ScanError::new_str(self.place(*error.marker()), error.info())));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The scalars of a text with their lines and columns, or the mistake.
    fn scalars(text: &str) -> Result<Vec<(String, usize, usize)>, String> {
        let mut found = Vec::new();
        for event in Events::new(text) {
            let (event, span) = event.map_err(|error| error.to_string())?;
            if let Event::Scalar(text, ..) = event {
                found.push((text.into_owned(), span.start.line(), span.start.col()));
            }
        }
        Ok(found)
    }

    /// With each line inside of brackets indented as the parser wants it.
    const TEXT: &str = "é:\n  - name: c\n    args: [\n      b,\n      \"a\",\n    ]\n    map: {x: 1,\n    }\n    last: z\n---\nsecond: [\n  1,\n]\n";

    #[test]
    fn closing_brackets_may_be_below_their_keys() {
        let found = scalars(TEXT).unwrap();
        let expected = [
            ("é", 1, 0),
            ("name", 2, 4),
            ("c", 2, 10),
            ("args", 3, 4),
            ("b", 4, 6),
            ("a", 5, 6),
            ("map", 7, 4),
            ("x", 7, 10),
            ("1", 7, 13),
            ("last", 9, 4),
            ("z", 9, 10),
            ("second", 11, 0),
            ("1", 12, 2),
        ];
        assert_eq!(found, expected.map(|(text, line, column)| (text.to_owned(), line, column)));
        let windows = scalars(&TEXT.replace('\n', "\r\n")).unwrap();
        assert_eq!(windows, found);
    }

    /// What the parser alone refuses.
    const ITEM: &str = "k:\n  - a: 1\n    b: [\n      'x',\n    ]\n";

    #[test]
    fn the_parser_still_refuses_it() {
        // Otherwise this module has nothing to do any more.
        let mut parser = Parser::new_from_str(ITEM);
        let events: Result<Vec<_>, _> = std::iter::from_fn(|| parser.next_event()).collect();
        assert_eq!(events.unwrap_err().info(), REFUSED);
    }

    #[test]
    fn other_mistakes_stay() {
        // A bracket after a comment, and one that never closes.
        assert!(scalars(&ITEM.replace("'x',", "'x', # y")).unwrap_err().contains(REFUSED));
        assert!(scalars(&ITEM.replace("]", "c: 2")).is_err());
        let error = scalars(&format!("{ITEM}c: ]\n")).unwrap_err();
        assert!(error.contains("line 6"), "{error}");
    }

    #[test]
    fn there_is_a_limit() {
        let items = |count| format!("---\n{ITEM}").repeat(count);
        assert!(scalars(&items(MOST)).is_ok());
        assert!(scalars(&items(MOST + 1)).is_err());
    }

    proptest! {
        /// Where the parser reads a text, nothing changes.
        #[test]
        fn events_are_those_of_the_parser(text in "([a-c]: |- |[\\[\\]{},#\" \n]|é|x){0,40}") {
            let parsed: Result<Vec<_>, _> = {
                let mut parser = Parser::new_from_str(&text);
                std::iter::from_fn(|| parser.next_event()).collect()
            };
            if let Ok(parsed) = parsed {
                let found: Result<Vec<_>, _> = Events::new(&text).collect();
                prop_assert_eq!(found, Ok(parsed));
            }
        }
    }
}
