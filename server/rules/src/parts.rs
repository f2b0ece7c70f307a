//! The parts of the text in an annotation.

use hubgen_diagnostic::{Diagnostic, Source};

/// What begins the line before each part but the first.
const MARK: &str = "#: ";
/// The part with tables that several kinds of a repository share.
pub(crate) const SHARED: &str = "shared.toml";
/// The part with the names of types.
pub(crate) const TYPES: &str = "types.toml";

/// The parts of a text. Each is a document in which lines and columns are those of the text.
pub(crate) struct Parts {
    /// The rules of the kind.
    pub(crate) rules: Source,
    pub(crate) shared: Option<Source>,
    pub(crate) types: Option<Source>,
}

impl Parts {
    /// Reads the text of a kind; `file` is the name of the kind's file of rules in a repository.
    ///
    /// # Errors
    /// A part that nobody knows, or that is there twice.
    pub(crate) fn parse(text: &str, file: &str) -> Result<Self, Diagnostic> {
        let mut parts: Vec<(&str, String)> = vec![(file, String::new())];
        for (index, line) in text.split_inclusive('\n').enumerate() {
            if let Some(name) = line.strip_prefix(MARK).map(str::trim) {
                let known = [SHARED, TYPES].into_iter().find(|known| *known == name);
                let is_new = parts.iter().all(|(other, _)| *other != name);
                let Some(name) = known.filter(|_| is_new) else {
                    let before: usize = text.split_inclusive('\n').take(index).map(str::len).sum();
                    let message = format!("the part `{name}` is unknown, or there before");
                    let help = format!("expected `{MARK}{SHARED}` or `{MARK}{TYPES}`, each once");
                    let span = before..before + line.trim_end().len();
                    return Err(Source::new(file, text).error(span, "", message, help));
                };
                parts.push((name, "\n".repeat(index)));
            }
            if let Some((_, part)) = parts.last_mut() {
                part.push_str(line);
            }
        }
        let mut parts = parts.into_iter().map(|(name, text)| (name, Source::new(name, text)));
        let rules = parts.next().map_or_else(|| Source::new(file, ""), |(_, rules)| rules);
        let mut out = Self { rules, shared: None, types: None };
        for (name, source) in parts {
            *(if name == SHARED { &mut out.shared } else { &mut out.types }) = Some(source);
        }
        Ok(out)
    }

    /// The text of these parts.
    pub(crate) fn write(rules: &str, shared: Option<&str>, types: Option<&str>) -> String {
        let mut out = String::new();
        let mut add = |text: &str| {
            out.push_str(text);
            if !text.ends_with('\n') {
                out.push('\n');
            }
        };
        add(rules);
        for (name, text) in [(SHARED, shared), (TYPES, types)] {
            if let Some(text) = text {
                add(&format!("{MARK}{name}\n"));
                add(text);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_parts_are_those_of_the_text() {
        let text = Parts::write("hub = 'a/v1'", Some("[Ref]\nmove = []\n"), Some("[v1]\n"));
        assert_eq!(text, "hub = 'a/v1'\n#: shared.toml\n[Ref]\nmove = []\n#: types.toml\n[v1]\n");
        let parts = Parts::parse(&text, "a.B.toml").unwrap();
        assert_eq!(parts.rules.text(), "hub = 'a/v1'\n");
        let shared = parts.shared.unwrap();
        assert_eq!(shared.position(shared.text().find("move").unwrap()), (4, 1));
        let types = parts.types.unwrap();
        assert_eq!(types.position(types.text().find("[v1]").unwrap()), (6, 1));
    }

    #[test]
    fn parts_are_known_and_there_once() {
        for text in ["#: other.toml\n", "#: types.toml\n#: types.toml\n"] {
            let error = Parts::parse(text, "a.B.toml").err().unwrap();
            assert_eq!(error.line as usize, text.lines().count(), "{error}");
            assert!(error.message.ends_with("is unknown, or there before"), "{error}");
        }
    }
}
