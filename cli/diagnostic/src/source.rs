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
        let (line, column) = self.position(span.start);
        Diagnostic {
            severity: Severity::Error,
            file: self.file().to_path_buf(),
            line,
            column,
            path: path.into(),
            message: message.into(),
            help: help.into(),
            excerpt: Some(Box::new(Excerpt::of(self.text(), self.lines(), line as usize - 1, span))),
        }
    }

    /// The line and the column in characters of a byte, both from 1.
    pub fn position(&self, at: usize) -> (u32, u32) {
        let lines = self.lines();
        let at = at.min(self.text().len());
        let index = lines.partition_point(|start| *start <= at) - 1;
        let before = &self.text().as_bytes()[lines[index]..at];
        // A character begins at each byte that does not continue one.
        let characters = before.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        // A document of more than 4 GiB on one line is shown at the wrong column.
        (index as u32 + 1, characters as u32 + 1)
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
            assert_eq!(source.position(at), (line, column), "byte {at}");
        }
    }
}
