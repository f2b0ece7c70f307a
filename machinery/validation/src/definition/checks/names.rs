//! Checks the names of a kind.

use super::props::Props;
use super::words::label;
use crate::error::FieldError;
use crate::names::dns_1035_label_mistakes;

/// Checks names that are at `path`. All may be missing.
pub(super) fn check(names: Props<'_>, path: &str, found: &mut Vec<FieldError>) {
    for key in ["plural", "singular"] {
        let name = names.text(key);
        if !name.is_empty() {
            label(name, format!("{path}.{key}"), found);
        }
    }
    for key in ["kind", "listKind"] {
        let kind = names.text(key);
        let mistakes = dns_1035_label_mistakes(&kind.to_lowercase());
        if !kind.is_empty() && !mistakes.is_empty() {
            let why = format!("may have mixed case, but should otherwise match: {}", mistakes.join(","));
            found.push(FieldError::invalid_text(format!("{path}.{key}"), kind, &why));
        }
    }
    labels(names, "shortNames", path, found);
    let (kind, list) = (names.text("kind"), names.text("listKind"));
    if !kind.is_empty() && kind == list {
        let why = "kind and listKind may not be the same";
        found.push(FieldError::invalid_text(format!("{path}.listKind"), list, why));
    }
    labels(names, "categories", path, found);
}

fn labels(names: Props<'_>, key: &str, path: &str, found: &mut Vec<FieldError>) {
    for (at, name) in names.words(key).enumerate() {
        label(name, format!("{path}.{key}[{at}]"), found);
    }
}
