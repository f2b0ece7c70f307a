//! Decides what becomes of fields that a schema does not list.
//!
//! The API server removes them, unless the schema has `x-kubernetes-preserve-unknown-fields`. Types do the
//! same. Users can declare that a type keeps them, drops them or refuses them.

use std::collections::BTreeMap;

use hubgen_model::Field;

/// What becomes of fields that a type does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// They are dropped.
    Drop,
    /// The last field of the type contains them.
    Keep,
    /// They are errors.
    Refuse,
}

/// What becomes of fields that types do not have. Where nothing is declared, the schema decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unknowns {
    /// For all types that are not named.
    pub all: Option<Unknown>,
    /// For types with these names, in every version.
    pub types: BTreeMap<String, Unknown>,
}

impl Unknowns {
    /// What becomes of fields that a type does not have. `preserves` is whether its schema preserves them.
    pub(super) fn named(&self, name: &str, preserves: bool) -> Unknown {
        let by_schema = if preserves { Unknown::Keep } else { Unknown::Drop };
        self.types.get(name).copied().or(self.all).unwrap_or(by_schema)
    }
}

/// Adds the field for the fields that a type does not have, if it keeps them. Returns whether the type refuses
/// them.
pub(super) fn set(fields: &mut Vec<Field>, unknown: Unknown) -> bool {
    if unknown == Unknown::Keep {
        fields.push(Field::rest(fields));
    }
    unknown == Unknown::Refuse
}
