//! One stream of documents.

use std::io::{self, Write};

use crate::format::Format;

/// Writes documents one after the other, with `---` between those of YAML.
///
/// ```
/// use hubgen_manifest::{Format, Stream, fresh};
/// use serde_json::json;
///
/// let mut out = Vec::new();
/// let mut stream = Stream::new(&mut out, None);
/// for object in [json!({"kind": "A"}), json!({"kind": "B"})] {
///     stream.write(Format::Yaml, None, [fresh(&object, Format::Yaml).as_str()])?;
/// }
/// stream.finish()?;
/// drop(stream);
/// assert_eq!(out, b"kind: A\n---\nkind: B\n");
/// # Ok::<(), std::io::Error>(())
/// ```
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

    /// Where the stream goes, for what is no document.
    pub fn out(&mut self) -> &mut impl Write {
        &mut self.out
    }

    /// The format to write a document in, given its own.
    pub fn format(&self, own: Format) -> Format {
        self.format.unwrap_or(own)
    }

    /// Writes a document, and the text before it in its file; `None` where the format changes, because the
    /// old text has no place in the new one.
    pub fn write<'a>(
        &mut self,
        format: Format,
        before: Option<&str>,
        text: impl IntoIterator<Item = &'a str>,
    ) -> io::Result<()> {
        let mut text = text.into_iter().peekable();
        let first = text.peek().copied().unwrap_or_default();
        match before {
            None => self.separate(format, "")?,
            // There are only blanks between documents of JSON.
            Some(_) if format == Format::Json => {
                self.starts_file = false;
                self.separate(format, first)?;
            }
            Some(before) => {
                if self.starts_file {
                    let first = match before.trim_start_matches('\u{feff}') {
                        "" => first,
                        before => before,
                    };
                    self.separate(format, first)?;
                }
                self.starts_file = false;
                self.text(before)?;
            }
        }
        text.try_for_each(|part| self.text(part))
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
