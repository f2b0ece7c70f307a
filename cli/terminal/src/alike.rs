//! Findings that one mistake causes: the same message at the same place, about several paths.

use std::borrow::Cow;

use hubgen_diagnostic::{Diagnostic, Severity};

/// Errors with the same message at the same place.
pub(crate) struct Alike<'a> {
    first: &'a Diagnostic,
    /// The paths of the others.
    pub(crate) others: Vec<&'a str>,
}

impl<'a> Alike<'a> {
    /// One error for all: its help lists the other paths.
    pub(crate) fn shown(&self) -> Cow<'a, Diagnostic> {
        if self.others.is_empty() {
            return Cow::Borrowed(self.first);
        }
        let paths = self.others.join(", ");
        let more = format!("the same is true of {}: {paths}", self.others.len());
        let help = if self.first.help.is_empty() { more } else { format!("{}\n{more}", self.first.help) };
        Cow::Owned(Diagnostic { help, ..self.first.clone() })
    }
}

/// Findings, in the order of the first of each; those that differ in their paths only are together.
pub(crate) fn alike(findings: &[Diagnostic]) -> Vec<Alike<'_>> {
    let mut out: Vec<Alike<'_>> = Vec::new();
    for finding in findings {
        let is_like = |other: &&mut Alike<'_>| {
            let first = other.first;
            finding.severity == Severity::Error
                && !finding.path.is_empty()
                && first.severity == Severity::Error
                && (first.line, first.column) == (finding.line, finding.column)
                && first.file == finding.file
                && first.message == finding.message
                && first.help == finding.help
        };
        match out.iter_mut().find(is_like) {
            Some(other) => other.others.push(&finding.path),
            None => out.push(Alike { first: finding, others: Vec::new() }),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use hubgen_diagnostic::Source;

    use super::*;

    #[test]
    fn errors_that_differ_in_their_path_are_one() {
        let source = Source::new("a.toml", "[a]\n[b]\n");
        let error = |at: usize, path: &str, help: &str| source.error(at..at + 3, path, "no rule", help);
        let findings = [
            error(0, "spec.a", "add one"),
            error(4, "spec.a", "add one"),
            error(0, "spec.b", "add one"),
            error(0, "spec.c", "add one"),
            error(0, "spec.d", ""),
        ];
        let shown: Vec<String> = alike(&findings).iter().map(|alike| alike.shown().to_string()).collect();
        assert_eq!(
            shown,
            [
                "a.toml:1:1: spec.a: no rule\n  help: add one\nthe same is true of 2: spec.b, spec.c",
                "a.toml:2:1: spec.a: no rule\n  help: add one",
                "a.toml:1:1: spec.d: no rule",
            ]
        );
    }
}
