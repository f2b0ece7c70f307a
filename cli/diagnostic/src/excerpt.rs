//! The lines around a fault.

use std::ops::Range;

/// The lines around a fault, cut out of the document, so that a diagnostic costs the same in a document
/// of any size. Long lines are cut as well: a list in JSON may be all on one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The lines.
    pub text: String,
    /// The number of the first of them, from 1.
    pub first_line: usize,
    /// The bytes of `text` that the fault spans.
    pub span: Range<usize>,
}

/// Lines before the fault, and after it.
const AROUND: usize = 1;

/// The most bytes of a line, and how many of them come before the fault.
const WIDEST: usize = 160;
const BEFORE: usize = 60;

impl Excerpt {
    /// The lines around line `index`, where `span` of the text begins; `starts` are the bytes at which
    /// lines begin.
    pub(crate) fn of(text: &str, starts: &[usize], index: usize, span: Range<usize>) -> Self {
        let first = index.saturating_sub(AROUND);
        let last = (index + AROUND).min(starts.len() - 1);
        let mut excerpt = Self { text: String::new(), first_line: first + 1, span: 0..0 };
        for line in first..=last {
            let end = starts.get(line + 1).map_or(text.len(), |next| next - 1);
            let content = text[starts[line]..end].trim_end_matches('\r');
            if line == last && line > index && content.is_empty() {
                break;
            }
            if line > first {
                excerpt.text.push('\n');
            }
            if line == index {
                let at = span.start.saturating_sub(starts[line]).min(content.len());
                // A fault of many lines is shown by its first.
                let fault = at..span.end.saturating_sub(starts[line]).clamp(at, content.len());
                excerpt.push_fault(content, fault);
            } else {
                let _ = excerpt.push_cut(content, 0..content.len().min(WIDEST));
            }
        }
        excerpt
    }

    fn push_fault(&mut self, line: &str, fault: Range<usize>) {
        let shown = if line.len() <= WIDEST {
            0..line.len()
        } else {
            let start = fault.start.saturating_sub(BEFORE);
            start..(start + WIDEST).min(line.len())
        };
        let fault = fault.start..fault.end.min(shown.end);
        let (fault_start, fault_end) =
            (line.floor_char_boundary(fault.start), line.ceil_char_boundary(fault.end));
        let offset = self.push_cut(line, shown);
        self.span = offset(fault_start)..offset(fault_end);
    }

    /// Appends a part of a line, with an ellipsis where something is left out; returns where in the
    /// excerpt a byte of the line is from then on.
    fn push_cut(&mut self, line: &str, shown: Range<usize>) -> impl Fn(usize) -> usize + use<> {
        let shown = line.floor_char_boundary(shown.start)..line.ceil_char_boundary(shown.end);
        if shown.start > 0 {
            self.text.push('…');
        }
        let start = self.text.len();
        self.text.push_str(&line[shown.clone()]);
        let end = self.text.len();
        if shown.end < line.len() {
            self.text.push('…');
        }
        move |at| (start + at.saturating_sub(shown.start)).min(end)
    }
}

#[cfg(test)]
mod tests {
    use crate::Source;

    fn shown(text: &str, fault: &str) -> (String, usize, String) {
        let at = text.find(fault).expect("the fault is in the text");
        let error = Source::new("a", text).error(at..at + fault.len(), "", "", "");
        let excerpt = error.excerpt.expect("an excerpt");
        let fault = excerpt.text[excerpt.span].to_owned();
        (excerpt.text, excerpt.first_line, fault)
    }

    #[test]
    fn a_line_before_and_one_after_are_shown() {
        let text = "a\nb\nc\nd\ne\n";
        assert_eq!(shown(text, "c"), ("b\nc\nd".to_owned(), 2, "c".to_owned()));
        assert_eq!(shown(text, "a"), ("a\nb".to_owned(), 1, "a".to_owned()));
        assert_eq!(shown(text, "e"), ("d\ne".to_owned(), 4, "e".to_owned()));
        assert_eq!(shown("a\r\nb\r\n", "b"), ("a\nb".to_owned(), 1, "b".to_owned()));
        assert_eq!(shown("a\nb: c\n  d\ne", "b: c\n  d"), ("a\nb: c\n  d".to_owned(), 1, "b: c".to_owned()));
    }

    #[test]
    fn long_lines_are_cut_around_the_fault() {
        let text = format!("{}fault{}\n{}", "é".repeat(500), "ü".repeat(500), "x".repeat(500));
        let (excerpt, _, fault) = shown(&text, "fault");
        assert_eq!(fault, "fault");
        let lines: Vec<&str> = excerpt.lines().collect();
        assert!(lines.iter().all(|line| line.len() < 180), "{lines:?}");
        assert!(lines[0].starts_with("…é") && lines[0].ends_with("ü…") && lines[1].ends_with("x…"));
        let (_, _, fault) = shown(&text, &text[1000..1401]);
        assert!(fault.starts_with("fault") && fault.len() < 180, "{fault}");
    }

    #[test]
    fn faults_at_the_end_or_in_nothing_have_an_excerpt() {
        assert_eq!(shown("", ""), (String::new(), 1, String::new()));
        let error = Source::new("a", "a\n").error(2..9, "", "", "");
        let excerpt = error.excerpt.expect("an excerpt");
        assert_eq!((excerpt.text.as_str(), excerpt.span), ("a\n", 2..2));
    }
}
