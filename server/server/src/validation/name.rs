//! Validates names of objects and namespaces: which syntax they have.

use hubgen_machinery::scheme::{KindEntry, NameForm};
use hubgen_validation::names;

use super::Violation;

/// What is wrong with a name that should have a form.
fn mistakes(form: NameForm, name: &str) -> Vec<String> {
    match form {
        NameForm::Subdomain => names::subdomain_mistakes(name),
        NameForm::Label => names::dns_label_mistakes(name),
        NameForm::Label1035 => names::dns_1035_label_mistakes(name),
        NameForm::PathSegment => names::path_segment_mistakes(name),
    }
}

/// The violations of an object name, or of a `generateName` prefix.
pub(crate) fn check_name(entry: &KindEntry, field: &str, name: &str, is_prefix: bool) -> Vec<Violation> {
    // A trailing dash is valid, because a suffix is appended.
    let checked = if is_prefix {
        name.strip_suffix('-').map_or(name.to_owned(), |name| format!("{name}a"))
    } else {
        name.to_owned()
    };
    let mistakes = mistakes(entry.behaviour.names, &checked);
    mistakes.into_iter().map(|why| Violation::invalid(field, name, why)).collect()
}

/// The violations of a namespace name.
pub(crate) fn check_namespace(namespace: &str) -> Vec<Violation> {
    let mistakes = mistakes(NameForm::Label, namespace);
    mistakes.into_iter().map(|why| Violation::invalid("metadata.namespace", namespace, why)).collect()
}
