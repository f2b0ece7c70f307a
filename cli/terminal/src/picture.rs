//! Diagnostics for people.

use std::fmt;

use clap::builder::styling::{AnsiColor, Style};
use console::Term;
use hubgen_diagnostic::{Diagnostic, Excerpt, Severity};
use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode,
    SourceSpan, SpanContents, ThemeCharacters, ThemeStyles,
};

use crate::Color;

/// How a diagnostic is rendered.
#[derive(Clone, Copy)]
pub struct Look {
    /// Whether it has colours.
    pub colors: bool,
    /// Whether lines are rendered with characters beyond ASCII.
    pub unicode: bool,
    /// Columns, where text is wrapped to fit.
    pub width: Option<usize>,
}

impl Look {
    /// What standard error can show.
    pub fn of_stderr() -> Self {
        let terminal = Term::stderr();
        // Files and pipes get ASCII and whole lines, which other programs search best.
        Self {
            colors: Color::on_stderr(),
            unicode: terminal.is_term() && terminal.features().wants_emoji(),
            width: terminal.size_checked().map(|(_, columns)| usize::from(columns)),
        }
    }
}

/// A diagnostic with a picture of the place that it points to.
pub fn picture(diagnostic: &Diagnostic, look: Look) -> String {
    let Look { colors, unicode, width } = look;
    let mut characters = if unicode { ThemeCharacters::unicode() } else { ThemeCharacters::ascii() };
    // The words that other commands and the argument parser use.
    characters.error = "error:".to_owned();
    characters.warning = "warning:".to_owned();
    let styles = if colors { ThemeStyles::ansi() } else { ThemeStyles::none() };
    let mut handler =
        GraphicalReportHandler::new_themed(GraphicalTheme { characters, styles }).with_links(false);
    handler = match width {
        Some(width) => handler.with_width(width),
        None => handler.with_wrap_lines(false).with_width(usize::MAX),
    };
    let mut text = String::new();
    let shown = Shown { diagnostic, code: diagnostic.excerpt.as_deref().map(|e| Code::of(diagnostic, e)) };
    // Writing to a string cannot fail, and the picture is a comfort.
    if handler.render_report(&mut text, &shown).is_err() {
        text = format!("{}: {diagnostic}\n", diagnostic.severity.name());
    }
    // The first line begins where those of other messages begin; a blank line follows the picture.
    let text = text.trim_start();
    if shown.code.is_some() { format!("{text}\n") } else { text.to_owned() }
}

/// A diagnostic on one line, and its help on the next.
pub fn line(diagnostic: &Diagnostic, look: Look) -> String {
    let color = match diagnostic.severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
    };
    let style = if look.colors { color.on_default().bold() } else { Style::new() };
    format!("{style}{}:{style:#} {diagnostic}\n", diagnostic.severity.name())
}

/// The diagnostic as the library wants it.
#[derive(Debug)]
struct Shown<'a> {
    diagnostic: &'a Diagnostic,
    code: Option<Code<'a>>,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The picture tells the place.
        if self.code.is_some() {
            let path = &self.diagnostic.path;
            // A label has no room for all of a long path.
            if shortened(path, LABEL) != *path {
                write!(f, "{}: ", shortened(path, LONGEST))?;
            }
            return f.write_str(&self.diagnostic.message);
        }
        let without_help = Diagnostic { help: String::new(), ..self.diagnostic.clone() };
        write!(f, "{without_help}")
    }
}

impl std::error::Error for Shown<'_> {}

impl miette::Diagnostic for Shown<'_> {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.diagnostic.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = &self.diagnostic.help;
        (!help.is_empty()).then(|| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.code.as_ref().map(|code| code as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = &self.code.as_ref()?.excerpt.span;
        let path = &self.diagnostic.path;
        let label = (!path.is_empty()).then(|| shortened(path, LABEL));
        Some(Box::new(std::iter::once(LabeledSpan::new(label, span.start, span.len()))))
    }
}

/// The most characters of a path in a label.
const LABEL: usize = 61;
/// The most characters of a path in a message. No schema has a longer one; input may.
const LONGEST: usize = 400;

/// A path without its middle, if it is longer than `most`. The output of `--json` contains all of it.
fn shortened(path: &str, most: usize) -> String {
    let characters: Vec<char> = path.chars().collect();
    if characters.len() <= most {
        return path.to_owned();
    }
    let edge = most / 2;
    let (begin, end) = (&characters[..edge], &characters[characters.len() - edge..]);
    begin.iter().chain(&['…']).chain(end).collect()
}

/// An excerpt that knows which lines of which file it is.
#[derive(Debug)]
struct Code<'a> {
    excerpt: &'a Excerpt,
    file: String,
    column: usize,
}

impl<'a> Code<'a> {
    fn of(diagnostic: &Diagnostic, excerpt: &'a Excerpt) -> Self {
        Self { excerpt, file: diagnostic.file.display().to_string(), column: diagnostic.column as usize }
    }
}

impl SourceCode for Code<'_> {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let found = self.excerpt.text.read_span(span, before, after)?;
        // Without lines around it, it is the fault alone; a column in a cut line is not the real one.
        let column = if before == 0 { self.column - 1 } else { found.column() };
        Ok(Box::new(MietteSpanContents::new_named(
            self.file.clone(),
            found.data(),
            *found.span(),
            self.excerpt.first_line - 1 + found.line(),
            column,
            found.line_count(),
        )))
    }
}

#[cfg(test)]
mod tests {
    use hubgen_diagnostic::Source;

    use super::*;

    const PLAIN: Look = Look { colors: false, unicode: false, width: None };

    fn error() -> Diagnostic {
        let text = "kind: Pod\nspec:\n  nodeName: [a]\n  volumes: []\n";
        let at = text.find("nodeName").expect("the field");
        let message = "expected a string, found an array";
        Source::new("a.yaml", text).error(at..at + 13, "spec.nodeName", message, "write one name")
    }

    #[test]
    fn the_picture_shows_the_place() {
        let expected = "\
error: expected a string, found an array
   ,-[a.yaml:3:3]
 2 | spec:
 3 |   nodeName: [a]
   :   ^^^^^^|^^^^^^
   :         `-- spec.nodeName
 4 |   volumes: []
   `----
  help: write one name

";
        assert_eq!(picture(&error(), PLAIN), expected);
        let look = Look { colors: true, unicode: true, width: Some(80) };
        let colored = picture(&error(), look);
        assert!(colored.contains("╭─[") && colored.contains("\u{1b}[31merror:"), "{colored}");
    }

    #[test]
    fn columns_of_cut_lines_are_the_real_ones() {
        let text = format!("{{\"a\": \"{}\", \"b\": 1}}", "x".repeat(500));
        let at = text.find("\"b\"").expect("the field");
        let shown = picture(&Source::new("a.json", text).error(at..at + 6, "b", "no such field", ""), PLAIN);
        assert!(shown.contains("[a.json:1:511]") && shown.contains("| …xxx"), "{shown}");
    }

    #[test]
    fn long_paths_are_shortened() {
        let path = format!("spec.{}end", "not.".repeat(100));
        let shown = picture(&Source::new("a.yaml", "a: b\n").error(3..4, path, "too deep", ""), PLAIN);
        assert!(
            shown.contains("`-- spec.not.not.not.not.not.not.n…ot.not.not.not.not.not.not.end\n"),
            "{shown}"
        );
        // The message has all of those that are not absurd.
        let path = format!("spec.{}end", "template.".repeat(10));
        let shown = picture(&Source::new("a.yaml", "a: b\n").error(3..4, &*path, "too deep", ""), PLAIN);
        assert!(shown.starts_with(&format!("error: {path}: too deep\n")), "{shown}");
    }

    #[test]
    fn without_lines_there_is_a_message_alone() {
        let error = Diagnostic::file("a.yaml", "cannot be read", "check the path");
        assert_eq!(picture(&error, PLAIN), "error: a.yaml: cannot be read\n  help: check the path\n");
        assert_eq!(picture(&Diagnostic::message("nothing to do", ""), PLAIN), "error: nothing to do\n");
    }

    #[test]
    fn a_line_tells_the_place_in_words() {
        let expected =
            "warning: a.yaml:3:3: spec.nodeName: expected a string, found an array\n  help: write one name\n";
        assert_eq!(line(&error().warning(), PLAIN), expected);
    }
}
