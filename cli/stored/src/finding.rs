//! What is wrong with a value.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use hubgen_diagnostic::{Diagnostic, Source};

/// An error or a warning about a value, before it is known what the value is called.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finding {
    /// The path of the field; empty for the whole value.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// How to fix it, or to see more.
    pub help: Help,
    /// The text and the bytes of it that are wrong, where the value is text.
    place: Option<(String, Range<usize>)>,
}

/// How to fix what a [`Finding`] is about, or to see more. Commands have options for some of it, and then name these.
#[derive(Clone, Debug, PartialEq)]
pub enum Help {
    /// A text; empty where the message is enough.
    Text(String),
    /// The value may be a bare message, whose kind the decoder has to be given.
    NameKind,
    /// The value is no message of the kind that the decoder was given.
    CheckKind,
    /// The wire form of the value shows fields up to the broken one.
    SeeUntilBroken,
    /// The wire form of the value shows all fields.
    SeeAll,
}

impl Default for Help {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl From<String> for Help {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Help {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl fmt::Display for Help {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text(text) => text,
            Self::NameKind => "if it is a bare message, give the decoder its kind",
            Self::CheckKind => "check the kind that the decoder has; the wire form shows the fields",
            Self::SeeUntilBroken => "the wire form shows the fields up to the broken one",
            Self::SeeAll => "the wire form shows all fields",
        })
    }
}

impl Finding {
    /// A finding about the whole value.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// The same with how to fix it.
    #[must_use]
    pub fn help(mut self, help: impl Into<Help>) -> Self {
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
            Some((text, span)) => Source::new(file, text).error(span, path, message, help.to_string()),
            None => Diagnostic::file(file, message, help.to_string()).at(path),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        match &self.help {
            Help::Text(text) if text.is_empty() => Ok(()),
            help => write!(f, "; {help}"),
        }
    }
}

impl std::error::Error for Finding {}
