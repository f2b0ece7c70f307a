//! What is wrong with a value.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use hubgen_terminal::{Diagnostic, Source};

/// An error or a warning about a value, before it is known what the value is called.
#[derive(Debug, Default, PartialEq)]
pub struct Finding {
    /// The path of the field; empty for the whole value.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub help: String,
    /// The text and the bytes of it that are wrong, where the value is text.
    place: Option<(String, Range<usize>)>,
}

impl Finding {
    /// A finding about the whole value.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// The same with how to fix it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// The same for a field.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// The same at bytes of the value's text. Bytes that are not UTF-8 are shown as `�`.
    #[must_use]
    pub fn shown(mut self, text: &[u8], span: Range<usize>) -> Self {
        let until = |at: usize| String::from_utf8_lossy(&text[..at.min(text.len())]).len();
        let span = until(span.start)..until(span.end);
        self.place = Some((String::from_utf8_lossy(text).into_owned(), span));
        self
    }

    /// The finding as an error in a file, or in the value of a key.
    pub fn diagnostic(self, file: &Path) -> Diagnostic {
        let Self { path, message, help, place } = self;
        match place {
            Some((text, span)) => Source::new(file, text).error(span, path, message, help),
            None => Diagnostic::file(file, message, help).at(path),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        if self.help.is_empty() { Ok(()) } else { write!(f, "; {}", self.help) }
    }
}
