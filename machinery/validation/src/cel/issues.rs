//! Errors of expressions, with their place, as cel-go prints them.

use std::fmt;

/// cel-go reports no more errors than this.
const MAX_ISSUES: usize = 100;

/// cel-go shows no longer lines than this.
const MAX_SNIPPET: usize = 16384;

/// The text of an expression, in characters, because positions count characters.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) chars: Vec<char>,
}

impl Source {
    pub(crate) fn new(text: &str) -> Self {
        Self { chars: text.chars().collect() }
    }

    /// The line, from 1, and the column, from 0, of a position.
    fn place(&self, at: usize) -> (usize, usize) {
        let before = &self.chars[..at.min(self.chars.len())];
        let line = before.iter().filter(|c| **c == '\n').count() + 1;
        let start = before.iter().rposition(|c| *c == '\n').map_or(0, |at| at + 1);
        (line, before.len() - start)
    }

    fn line(&self, number: usize) -> String {
        self.chars.split(|c| *c == '\n').nth(number - 1).unwrap_or_default().iter().collect()
    }
}

/// An error in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Issue {
    /// Where; `None` if it is about the whole.
    pub(crate) at: Option<usize>,
    pub(crate) message: String,
}

/// The errors of an expression. There is at least one.
#[derive(Clone, Debug)]
pub(crate) struct Issues {
    pub(crate) source: Source,
    pub(crate) issues: Vec<Issue>,
}

impl Issues {
    pub(crate) fn new(source: Source) -> Self {
        Self { source, issues: Vec::new() }
    }

    pub(crate) fn report(&mut self, at: Option<usize>, message: impl Into<String>) {
        self.issues.push(Issue { at, message: message.into() });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.issues.is_empty()
    }
}

impl fmt::Display for Issues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = &self.issues[..self.issues.len().min(MAX_ISSUES)];
        let mut placed: Vec<_> =
            shown.iter().map(|issue| (issue.at.map(|at| self.source.place(at)), issue)).collect();
        // An error without a place has line -1, and comes first.
        placed.sort_by_key(|(place, _)| *place);
        for (number, (place, issue)) in placed.into_iter().enumerate() {
            let separator = if number == 0 { "" } else { "\n" };
            let Some((line, column)) = place else {
                write!(f, "{separator}ERROR: <input>:-1:0: {}", issue.message)?;
                continue;
            };
            write!(f, "{separator}ERROR: <input>:{line}:{}: {}", column + 1, issue.message)?;
            let snippet = self.source.line(line).replace('\t', " ");
            if snippet.len() > MAX_SNIPPET {
                continue;
            }
            write!(f, "\n | {snippet}\n | ")?;
            let mut chars = snippet.chars();
            for c in chars.by_ref().take(column) {
                f.write_str(if c.len_utf8() > 1 { "\u{ff0e}" } else { "." })?;
            }
            f.write_str(if chars.next().is_some_and(|c| c.len_utf8() > 1) { "\u{ff3e}" } else { "^" })?;
        }
        match self.issues.len() - shown.len() {
            0 => Ok(()),
            more => write!(f, "\n{more} more errors were truncated"),
        }
    }
}

impl std::error::Error for Issues {}
