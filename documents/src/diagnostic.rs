//! Errors in documents: where they are, what is wrong, and what to do.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A document that diagnostics point into.
#[derive(Clone, Debug)]
pub struct Source {
    file: PathBuf,
    text: Arc<str>,
}

impl Source {
    /// Creates a document from its path (as the user wrote it) and its text.
    pub fn new(file: impl Into<PathBuf>, text: impl Into<Arc<str>>) -> Self {
        Self { file: file.into(), text: text.into() }
    }

    /// The document's path.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The document's text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Creates an error at `span` (byte offsets) and `path` (`spec.replicas`; empty for the whole
    /// document). `help` is advice on what to do.
    pub fn error(
        &self,
        span: Range<usize>,
        path: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Diagnostic {
        let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = before.len() - before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1) + 1;
        // The span of a value of many lines ends with its first line.
        let rest = self.text.get(span.clone()).unwrap_or("");
        let span = span.start..span.start + rest.find('\n').unwrap_or(rest.len());
        Diagnostic {
            file: self.file.clone(),
            line,
            column,
            path: path.into(),
            message: message.into(),
            help: help.into(),
            source: Some(Box::new((self.text.clone(), span))),
        }
    }
}

/// An error in a document. `Display` prints one line, `file:line:column: path: message`, and a
/// second one with the help text. As a [`miette::Diagnostic`] it also shows the source text.
#[derive(Clone)]
pub struct Diagnostic {
    /// The document.
    pub file: PathBuf,
    /// Line, counted from 1; 0 if the document has no lines.
    pub line: usize,
    /// Column in bytes, counted from 1; 0 if the document has no lines.
    pub column: usize,
    /// Path inside the document, such as `components.schemas.Pod.properties.spec`.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
    source: Option<Box<(Arc<str>, Range<usize>)>>,
}

impl Diagnostic {
    /// Creates an error about a whole file (unreadable, binary).
    pub fn file(file: impl Into<PathBuf>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            line: 0,
            column: 0,
            path: String::new(),
            message: message.into(),
            help: help.into(),
            source: None,
        }
    }

    /// Sets the path inside the file.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        if !self.path.is_empty() {
            write!(f, ": {}", self.path)?;
        }
        write!(f, ": {}", self.message)?;
        if !self.help.is_empty() {
            write!(f, "\n  help: {}", self.help)?;
        }
        Ok(())
    }
}

// The derived implementation would print the whole text of the document.
impl fmt::Debug for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Diagnostic {}

impl miette::Diagnostic for Diagnostic {
    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        let (text, _) = self.source.as_deref()?;
        Some(text as &dyn miette::SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        let (_, span) = self.source.as_deref()?;
        let label = if self.path.is_empty() { None } else { Some(self.path.clone()) };
        Some(Box::new(std::iter::once(miette::LabeledSpan::new(label, span.start, span.len()))))
    }
}
