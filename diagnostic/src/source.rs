//! Documents that diagnostics point into.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::{Diagnostic, Excerpt, Severity};

/// A document that diagnostics point into. Clones share the text.
#[derive(Clone, Debug)]
pub struct Source(Arc<Document>);

#[derive(Debug)]
struct Document {
    file: PathBuf,
    text: String,
    /// The byte at which each line begins, computed for the first diagnostic.
    lines: OnceLock<Vec<usize>>,
}

impl Source {
    /// A document by its path (as the user knows it) and its text.
    pub fn new(file: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self(Arc::new(Document { file: file.into(), text: text.into(), lines: OnceLock::new() }))
    }

    /// The document's path.
    pub fn file(&self) -> &Path {
        &self.0.file
    }

    /// The document's text.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// An error at `span` (byte offsets) and `path` (`spec.replicas`; empty for the document as a
    /// whole); `help` tells how to fix it.
    pub fn error(
        &self,
        span: Range<usize>,
        path: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Diagnostic {
        let (index, column) = self.position(span.start);
        Diagnostic {
            severity: Severity::Error,
            file: self.file().to_path_buf(),
            line: index + 1,
            column: column + 1,
            path: path.into(),
            message: message.into(),
            help: help.into(),
            excerpt: Some(Box::new(Excerpt::of(self.text(), self.lines(), index, span))),
        }
    }

    /// The byte offset of a line and a column in characters, both from 1; of the last byte before it
    /// where there is no such line or column.
    pub fn offset(&self, line: usize, column: usize) -> usize {
        let lines = self.lines();
        let index = line.saturating_sub(1).min(lines.len() - 1);
        let end = lines.get(index + 1).copied().unwrap_or(self.text().len());
        let text = &self.text()[lines[index]..end];
        let in_line = text.char_indices().nth(column.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
        lines[index] + in_line
    }

    /// The index of the line of a byte, and the characters before it on that line.
    fn position(&self, at: usize) -> (usize, usize) {
        let lines = self.lines();
        let at = at.min(self.text().len());
        let index = lines.partition_point(|start| *start <= at) - 1;
        let before = &self.text().as_bytes()[lines[index]..at];
        // A character begins at each byte that does not continue one.
        (index, before.iter().filter(|byte| **byte & 0xc0 != 0x80).count())
    }

    fn lines(&self) -> &[usize] {
        self.0.lines.get_or_init(|| {
            let breaks = self.text().match_indices('\n').map(|(at, _)| at + 1);
            std::iter::once(0).chain(breaks).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters() {
        let source = Source::new("a.yaml", "é: 1\nbé: c\n");
        for (at, line, column) in [(0, 1, 1), (2, 1, 2), (6, 2, 1), (9, 2, 3), (13, 3, 1), (99, 3, 1)] {
            let error = source.error(at..at, "", "", "");
            assert_eq!((error.line, error.column), (line, column), "byte {at}");
            assert_eq!(source.offset(line, column), at.min(source.text().len()));
        }
        assert_eq!(source.offset(9, 9), source.text().len());
    }
}
