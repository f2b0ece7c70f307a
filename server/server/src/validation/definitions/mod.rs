//! The rules of CustomResourceDefinitions.

mod certificates;

use hubgen_definitions::{Conversions, RULES};
use hubgen_machinery::json::{self, Raw};
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::KindEntry;
use hubgen_validation::definition::{self, Change};
use serde_json::Value;

pub(crate) use self::certificates::mistake as certificate_mistake;
use super::{Violation, Violations, Written};
use crate::part::Part;

/// The group of definitions.
pub(crate) const GROUP: &str = "apiextensions.k8s.io";
/// The version of their hub.
pub(crate) const VERSION: &str = "v1";
/// Their kind.
pub(crate) const KIND: &str = "CustomResourceDefinition";

/// Whether a kind is that of definitions.
pub(crate) fn are(entry: &KindEntry) -> bool {
    entry.group == GROUP && entry.kind == KIND
}

/// A definition at its hub, as JSON.
pub(crate) fn document(object: &dyn Reflect) -> Value {
    let text = json::encode(object).unwrap_or_default();
    Raw::new(&text).and_then(|json| json.to_value()).unwrap_or_default()
}

/// What is wrong with a definition, apart from its metadata; `None` for other kinds.
pub(super) fn violations(written: &Written<'_>) -> Option<Violations> {
    if !are(written.entry) {
        return None;
    }
    let new = document(written.object);
    let errors = match written.part {
        Part::Main => {
            let old = written.old.map(document);
            definition::errors(&Change {
                new: &new,
                old: old.as_ref(),
                is_beta: written.entry.version != VERSION,
                ca_mistake: &certificate_mistake,
            })
        }
        _ => definition::status_errors(&new),
    };
    let mut found = Violations::default();
    found.extend(errors.into_iter().map(Violation::from));
    Some(found)
}

/// The mistakes in what a definition brings to convert its objects, unless it had the same before. `conversions` reads it.
pub(crate) fn unconvertible(
    conversions: &dyn Conversions,
    &Written { entry, part, object, old }: &Written<'_>,
) -> Vec<Violation> {
    if !are(entry) || part != Part::Main {
        return Vec::new();
    }
    let new = document(object);
    let said =
        |document: &Value| [&document["spec"], &document["metadata"]["annotations"][RULES]].map(Value::clone);
    if old.map(document).is_some_and(|old| said(&old) == said(&new)) {
        return Vec::new();
    }
    let mistakes = conversions.converter(&new).err().unwrap_or_default();
    mistakes.into_iter().map(Violation::from).collect()
}

/// What the writer of a definition is warned of.
pub(super) fn warnings(&Written { entry, part, object, old }: &Written<'_>) -> Vec<String> {
    if !are(entry) || part != Part::Main {
        return Vec::new();
    }
    definition::warnings(&document(object), old.map(document).as_ref())
}

/// What is wrong with the name of a new definition, besides its syntax.
pub(super) fn name_violation(entry: &KindEntry, object: &dyn Reflect) -> Option<Violation> {
    are(entry).then(|| definition::name_error(&document(object)))?.map(Violation::from)
}
