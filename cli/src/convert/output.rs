//! One stream of documents.

use std::io::{self, Write};

use serde_json::Value;

use super::input::Input;
use super::layout::{Format, fresh};
use super::manifest::Piece;

/// Writes documents one after the other, with `---` between those of YAML.
pub struct Stream<W: Write> {
    out: io::BufWriter<W>,
    /// The format asked for.
    format: Option<Format>,
    /// The format of the last document, if there was one.
    last: Option<Format>,
    /// Whether the next document is the first of its file.
    starts_file: bool,
    /// Whether the last line is unfinished.
    open_line: bool,
}

impl<W: Write> Stream<W> {
    /// A stream to somewhere.
    pub fn new(out: W, format: Option<Format>) -> Self {
        let out = io::BufWriter::new(out);
        Self { out, format, last: None, starts_file: true, open_line: false }
    }

    /// Another file begins.
    pub fn start_file(&mut self) {
        self.starts_file = true;
    }

    /// Writes a document: as it is, unless it became another; and what stands before it in its
    /// file.
    pub fn write(
        &mut self,
        input: &Input,
        piece: &Piece,
        before: &str,
        outcome: Option<&(Value, String)>,
    ) -> io::Result<()> {
        let format = self.format.unwrap_or(piece.format);
        if format != piece.format {
            // Nothing of the old text has a place in the new one.
            if piece.value.is_null() {
                return Ok(());
            }
            self.separate(format, "")?;
            return self.text(&fresh(outcome.map_or(&piece.value, |(value, _)| value), format));
        }
        let text = outcome.map_or(&input.text[piece.bytes.clone()], |(_, text)| text);
        if format == Format::Json {
            // Only blanks stand between documents of JSON.
            self.starts_file = false;
            self.separate(format, text)?;
            return self.text(text);
        }
        if self.starts_file {
            let whole = format!("{before}{text}");
            self.separate(format, whole.trim_start_matches('\u{feff}'))?;
        }
        self.starts_file = false;
        self.text(before)?;
        self.text(text)
    }

    /// Writes what comes after the last document of a file.
    pub fn rest(&mut self, text: &str) -> io::Result<()> {
        if self.starts_file || self.last == Some(Format::Json) {
            return Ok(());
        }
        self.text(text)
    }

    /// Ends the stream.
    pub fn finish(&mut self) -> io::Result<()> {
        self.end_line()?;
        self.out.flush()
    }

    /// Makes sure that a document can begin, given its text.
    fn separate(&mut self, format: Format, text: &str) -> io::Result<()> {
        self.end_line()?;
        let both_json = format == Format::Json && self.last == Some(Format::Json);
        if self.last.is_some() && !both_json && !text.starts_with("---") {
            self.text("---\n")?;
        }
        self.last = Some(format);
        Ok(())
    }

    fn end_line(&mut self) -> io::Result<()> {
        if self.open_line { self.text("\n") } else { Ok(()) }
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        if !text.is_empty() {
            self.open_line = !text.ends_with('\n');
            self.out.write_all(text.as_bytes())?;
        }
        Ok(())
    }
}
