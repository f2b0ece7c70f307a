//! Doc comments, which are descriptions in schemas.

use syn::{Attribute, Expr, Lit, Meta};

/// The text of doc comments; `None` if there is none.
pub fn docs(attributes: &[Attribute]) -> Option<String> {
    let lines = attributes.iter().filter_map(|attribute| {
        let Meta::NameValue(pair) = &attribute.meta else { return None };
        let Expr::Lit(literal) = &pair.value else { return None };
        let Lit::Str(text) = &literal.lit else { return None };
        let line = text.value();
        pair.path.is_ident("doc").then(|| line.strip_prefix(' ').unwrap_or(&line).trim_end().to_owned())
    });
    let lines: Vec<String> = lines.collect();
    let text = lines.join("\n").trim().to_owned();
    (!text.is_empty()).then_some(text)
}
