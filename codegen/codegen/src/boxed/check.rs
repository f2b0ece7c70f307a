//! Checks that people have decided about every large type that is optional somewhere, and that
//! every decision is about such a type.

use std::collections::BTreeSet;

use hubgen_documents::Diagnostic;
use hubgen_documents::boxes::{Document, key};
use hubgen_documents::schema::Fault;
use hubgen_model::boxes::Place;
use hubgen_plan::Types;

use super::{Boxed, optional};

/// A type of this many bytes or more needs a decision.
const LARGE: usize = 64;

/// All errors in the decisions of a file, and the fields whose types need a decision.
pub(crate) fn check(
    types: Types<'_>,
    boxed: &Boxed<'_>,
    document: &Document,
) -> (Vec<Diagnostic>, Vec<Fault>) {
    let optional = optional(types, boxed, &document.boxes());
    let mut errors = Vec::new();
    for decision in &document.decisions {
        let (group, name) = (&decision.group, &decision.name.value);
        let found = optional.get(&(group.as_str(), name.as_str()));
        let (message, help) = match (decision.place, found) {
            (_, None) => (
                format!("no optional field contains a `{name}` of {group}"),
                "remove it, or use the name of a type; types that groups share are listed in the newest group"
                    .to_owned(),
            ),
            (Place::Inline, Some(found)) if found.is_boxed => (
                format!("`{name}` contains itself, so it has to be boxed"),
                format!("move it to `{}`", key(Place::Boxed)),
            ),
            (Place::Inline, Some(found)) if found.size < LARGE => (
                format!("`{name}` takes {} bytes, and types of less than {LARGE} are inline", found.size),
                "remove it".to_owned(),
            ),
            _ => continue,
        };
        errors.push(document.error(decision, message, help));
    }
    let mut undecided = Vec::new();
    let own: BTreeSet<&str> = types.api.own_versions().map(|(name, _)| name.group_or_core()).collect();
    for ((group, name), found) in &optional {
        if !own.contains(group) || found.decision.is_some() || found.is_boxed || found.size < LARGE {
            continue;
        }
        let (owner, field) = found.example;
        let message =
            format!("`{name}` takes {} bytes, and nobody has decided whether it is boxed", found.size);
        let help = format!(
            "add it to `boxed` or `inline` of [\"{group}\"] in boxes.toml; if it was released inline, it stays inline"
        );
        undecided.push(Fault::in_field(owner, &field.name, message, &help));
    }
    (errors, undecided)
}
