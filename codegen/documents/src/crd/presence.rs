//! Decides what a field distinguishes from an absent one.
//!
//! In JSON, no field at all, `null`, an empty list, an empty text and zero are different. Types that
//! keep all these differences return objects exactly as they came. Users can declare that some of them
//! mean the same, which makes types simpler.

use std::collections::BTreeMap;

use hubgen_model::{Field, Omit, Presence, TypeExpr};

/// What is the same as an absent field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Absent {
    /// Nothing: optional lists are `Option<Vec<_>>`, and optional fields that are nullable are
    /// `Option<Option<_>>`. Where a field is not nullable, the API server removes `null` from objects,
    /// so that it means absent there, too.
    #[default]
    Alone,
    /// `null`, in optional fields: these are `Option<_>` even if they are nullable.
    Null,
    /// `null`, and empty lists, maps and texts, in optional fields: these are `Vec<_>`, `StrMap<_>` and
    /// `Str`. A text with a default or a list of allowed values stays `Option<Str>`, because the
    /// API server treats an empty one differently.
    Empty,
}

/// What is the same as an absent field, for each type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Presences {
    /// For all types that are not named.
    pub all: Absent,
    /// For types with these names, in every version.
    pub types: BTreeMap<String, Absent>,
}

impl Presences {
    /// What is the same as an absent field of a type.
    pub(super) fn named(&self, name: &str) -> Absent {
        self.types.get(name).copied().unwrap_or(self.all)
    }
}

/// What the schema specifies about the presence of a field.
pub(super) struct Schema {
    pub nullable: bool,
    pub has_default: bool,
}

/// Sets presence and omission of a field, of which type, name, whether it is required, and the allowed
/// values are known.
pub(super) fn set(field: &mut Field, schema: &Schema, absent: Absent) {
    // The API server fills in the default of a required field, so that clients may leave it out.
    let required = field.required && !schema.has_default;
    (field.presence, field.omit) = match (required, schema.nullable) {
        (true, false) => (Presence::Value, Omit::Exact),
        // `null` is the only absent value that a required field has.
        (true, true) => (Presence::Pointer, Omit::Exact),
        (false, true) if absent == Absent::Alone => (Presence::Nullable, Omit::Empty),
        (false, _) if absent == Absent::Empty && has_empty(field, schema) => (Presence::Value, Omit::Empty),
        (false, _) => (Presence::Pointer, Omit::Empty),
    };
}

/// Whether an empty value of the field can mean that the field is absent.
fn has_empty(field: &Field, schema: &Schema) -> bool {
    match field.ty {
        TypeExpr::List(_) | TypeExpr::Map(_) => !schema.has_default,
        TypeExpr::String => !schema.has_default && field.enumeration.is_empty(),
        _ => false,
    }
}
