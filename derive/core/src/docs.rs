//! Doc comments, which are descriptions in schemas.

use syn::{Attribute, Expr, Ident, Lit, Meta};

/// The text of doc comments as a description; `None` if there is none.
///
/// Lines stay as they are, in code blocks, too: without the space after `///`, without stars at the beginning of lines
/// of `/** … */`, without spaces at their ends, and without empty lines before the first and after the last.
pub(crate) fn description(attributes: &[Attribute]) -> Option<String> {
    let mut out = String::new();
    for text in attributes.iter().filter_map(text) {
        if text.contains('\n') {
            block(&text, &mut out);
        } else {
            line(text.strip_prefix(' ').unwrap_or(&text), &mut out);
        }
    }
    let text = out.trim_matches('\n');
    (!text.is_empty()).then(|| text.to_owned())
}

/// Whether the generator has written a type, whose doc comments explain facts. They begin with the version and the name
/// of the type, `` `apps/v1` Deployment, since 1.9. ``, or with the name of its hub. Such types have no descriptions.
pub(crate) fn is_generated(ident: &Ident, attributes: &[Attribute]) -> bool {
    let Some(first) = attributes.iter().find_map(text) else { return false };
    let first = first.trim_start();
    let rest = match first.strip_prefix('`') {
        Some(version) => version.split_once("` ").map(|(_, rest)| rest),
        None => first.strip_prefix("The hub of "),
    };
    let name = ident.to_string();
    let name = name.strip_prefix("r#").unwrap_or(&name);
    rest.and_then(|rest| rest.strip_prefix(name)).is_some_and(|rest| rest.starts_with(['.', ',']))
}

/// The text of an attribute, if it is a doc comment. Not known are texts of macros, such as `include_str!`.
fn text(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    if !pair.path.is_ident("doc") {
        return None;
    }
    let mut value = &pair.value;
    // The value of a variable of `macro_rules!`.
    while let Expr::Group(group) = value {
        value = &group.expr;
    }
    let Expr::Lit(literal) = value else { return None };
    let Lit::Str(text) = &literal.lit else { return None };
    Some(text.value())
}

fn line(line: &str, out: &mut String) {
    out.push_str(line.trim_end());
    out.push('\n');
}

/// Adds the lines of a comment with several. Those after the first are indented as the comment is, or have a star each.
fn block(text: &str, out: &mut String) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    line(first.trim_start(), out);
    let starred = |line: &str| line.trim_start().starts_with('*') || line.trim().is_empty();
    if rest.lines().all(starred) {
        for text in rest.lines() {
            let text = text.trim_start();
            let text = text.strip_prefix('*').unwrap_or(text);
            line(text.strip_prefix(' ').unwrap_or(text), out);
        }
        return;
    }
    let indent = |line: &str| line.len() - line.trim_start().len();
    let common = rest.lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    rest.lines().for_each(|text| line(text.get(common..).unwrap_or(""), out));
}

#[cfg(test)]
mod tests {
    use syn::{DeriveInput, parse_str};

    use super::*;

    fn parsed(text: &str) -> DeriveInput {
        parse_str(&format!("{text}\nstruct Widget;")).unwrap()
    }

    fn described(text: &str) -> Option<String> {
        description(&parsed(text).attrs)
    }

    #[test]
    fn lines_stay_as_they_are() {
        assert_eq!(
            described("/// One.\n/// Two.  \n///\n///  * three\n///Four."),
            Some("One.\nTwo.\n\n * three\nFour.".into())
        );
        assert_eq!(
            described("///\n/// ```\n///\n///     let a = \"b\";\n/// ```\n///"),
            Some("```\n\n    let a = \"b\";\n```".into())
        );
        assert_eq!(described("///  A list:\n///  - \\n"), Some(" A list:\n - \\n".into()));
    }

    #[test]
    fn comments_in_blocks_are_those_of_lines() {
        let lines = Some("One.\n\n  two\nThree.".to_owned());
        assert_eq!(described("/** One.\n  *\n  *   two\n  * Three.\n  */"), lines);
        assert_eq!(described("/**\n    One.\n\n      two\n    Three.\n*/"), lines);
        assert_eq!(described("/** One. */"), Some("One.".into()));
        assert_eq!(described("#[doc = \"One.\"]\n/// Two."), Some("One.\nTwo.".into()));
    }

    #[test]
    fn no_text_is_no_description() {
        for text in [
            "",
            "///",
            "///  \n///",
            "/** */",
            "#[doc(hidden)]",
            "#[doc = include_str!(\"a.md\")]",
            "// One.",
        ] {
            assert_eq!(described(text), None, "{text}");
        }
    }

    #[test]
    fn types_that_the_generator_has_written_are_known_by_their_first_line() {
        let is_generated = |text: &str| {
            let item = parsed(text);
            is_generated(&item.ident, &item.attrs)
        };
        assert!(is_generated("/// `v1` Widget, since 1.9.\n///\n/// More."));
        assert!(is_generated("/// `example.com/v1` Widget."));
        assert!(is_generated("/// The hub of Widget, with the fields of all its versions."));
        for text in [
            "",
            "/// Widget.",
            "/// `v1` Widgets.",
            "/// `v1` Gadget.",
            "/// A `v1` Widget.",
            "/// The hub of all.",
        ] {
            assert!(!is_generated(text), "{text}");
        }
    }
}
