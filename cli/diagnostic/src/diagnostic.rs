//! What is wrong with a document: where, what, and how to fix it.

use std::fmt;
use std::path::PathBuf;

use crate::Excerpt;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The command could not do its work.
    Error,
    /// The command did its work, and the user may want to look at something.
    Warning,
}

impl Severity {
    /// `error` or `warning`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// A finding in a document. Displayed as one line, `file:line:column: path: message`, and a second one
/// with the help.
#[derive(Clone)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The document; empty where no document is at fault.
    pub file: PathBuf,
    /// Line, from 1; 0 where the document has no lines.
    pub line: u32,
    /// Column in characters, from 1; 0 where the document has no lines.
    pub column: u32,
    /// Path inside the document, such as
    /// `components.schemas.Pod.properties.spec`.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// How to fix it; empty where the message is enough.
    pub help: String,
    /// The lines around the place, where there are lines.
    pub excerpt: Option<Box<Excerpt>>,
}

impl Diagnostic {
    /// An error in a file as a whole (unreadable, binary).
    pub fn file(file: impl Into<PathBuf>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            file: file.into(),
            line: 0,
            column: 0,
            path: String::new(),
            message: message.into(),
            help: help.into(),
            excerpt: None,
        }
    }

    /// An error that no file is at fault for.
    pub fn message(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::file("", message, help)
    }

    /// The same, at a path inside the file.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// The same as a warning.
    #[must_use]
    pub fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.as_os_str().is_empty() {
            write!(f, "{}", self.file.display())?;
            if self.line > 0 {
                write!(f, ":{}:{}", self.line, self.column)?;
            }
            f.write_str(": ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        if !self.help.is_empty() {
            write!(f, "\n  help: {}", self.help)?;
        }
        Ok(())
    }
}

// The excerpt would drown whatever is being debugged.
impl fmt::Debug for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Diagnostic {}
