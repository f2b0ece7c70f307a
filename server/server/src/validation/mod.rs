//! Validates objects before they are stored.

mod growth;
mod metadata;
pub(crate) mod name;
mod rbac;
mod scale;
mod schemas;
mod structure;
mod violation;

use hubgen_machinery::reflect::Reflect;

pub(crate) use self::growth::growth;
pub(crate) use self::metadata::metadata;
pub(crate) use self::scale::scale;
pub use self::schemas::{InvalidCrd, Schemas};
pub(crate) use self::schemas::{Scope, Validator};
pub(crate) use self::structure::structure;
pub use self::violation::Violation;
pub(crate) use self::violation::{Violations, cut, quoted};

/// What is wrong with an object, given the old one; `None` for other kinds.
type Rules = fn(&dyn Reflect, Option<&dyn Reflect>) -> Option<Violations>;

/// The rules of kinds that need more than their schemas say.
const OWN: [Rules; 1] = [rbac::violations];

/// What is wrong with an object at its hub, apart from its metadata; `None` if its kind has no rules of its own.
pub(crate) fn by_own_rules(object: &dyn Reflect, old: Option<&dyn Reflect>) -> Option<Violations> {
    OWN.iter().find_map(|violations| violations(object, old))
}
