//! Validates objects before they are stored.

pub(crate) mod definitions;
mod growth;
mod metadata;
pub(crate) mod name;
mod pods;
mod rbac;
mod scale;
mod schemas;
mod structure;
mod violation;

use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::KindEntry;

pub(crate) use self::growth::growth;
pub(crate) use self::metadata::metadata;
pub(crate) use self::pods::violations as words_of_pods;
pub(crate) use self::scale::scale;
pub use self::schemas::{InvalidCrd, Schemas};
pub(crate) use self::schemas::{Scope, Validator};
pub(crate) use self::structure::structure;
pub use self::violation::Violation;
pub(crate) use self::violation::{Violations, cut, quoted};
use crate::part::Part;

/// An object at its hub, which a request writes.
pub(crate) struct Written<'a> {
    /// The kind, at the version of the request.
    pub(crate) entry: &'a KindEntry,
    /// The part that the request is about.
    pub(crate) part: Part,
    pub(crate) object: &'a dyn Reflect,
    /// The current object, if there is one.
    pub(crate) old: Option<&'a dyn Reflect>,
}

/// What is wrong with an object; `None` for other kinds.
type Rules = fn(&Written<'_>) -> Option<Violations>;

/// The rules of kinds that need more than their schemas say.
const OWN: [Rules; 2] = [rbac::violations, definitions::violations];

/// What is wrong with an object, apart from its metadata; `None` if its kind has no rules of its own.
pub(crate) fn by_own_rules(written: &Written<'_>) -> Option<Violations> {
    OWN.iter().find_map(|violations| violations(written))
}

/// What the writer of an object that is accepted is warned of.
pub(crate) fn warnings(
    entry: &KindEntry,
    part: Part,
    object: &dyn Reflect,
    old: Option<&dyn Reflect>,
) -> Vec<String> {
    if entry.untyped.is_some() {
        return if part == Part::Main { metadata::finalizer_warnings(object, old) } else { Vec::new() };
    }
    definitions::warnings(&Written { entry, part, object, old })
}

/// What is wrong with the name of a new object by the rules of its kind.
pub(crate) fn own_name_rule(entry: &KindEntry, object: &dyn Reflect) -> Option<Violation> {
    definitions::name_violation(entry, object)
}
