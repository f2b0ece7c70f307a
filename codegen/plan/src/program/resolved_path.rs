//! A field path with its fields.

use std::fmt;

use hubgen_model::Field;

/// A field path from a type, with all fields on it. The last one is the field itself; those before
/// it are objects.
///
/// Two paths are equal if they have the same names and the same fields are optional. Other
/// properties of the fields may differ between versions.
#[derive(Clone, Debug)]
pub struct ResolvedPath(pub Vec<Field>);

impl PartialEq for ResolvedPath {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |(a, b): (&Field, &Field)| a.name == b.name && a.may_be_absent() == b.may_be_absent();
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(is_same)
    }
}

impl ResolvedPath {
    /// The field itself.
    pub fn field(&self) -> &Field {
        self.0.last().expect("a path has at least one field")
    }

    /// The names on the path.
    pub fn names(&self) -> Vec<&str> {
        self.0.iter().map(|field| field.name.as_str()).collect()
    }

    /// Whether the field itself is optional.
    pub fn may_be_absent(&self) -> bool {
        self.field().may_be_absent()
    }

    /// The first `count` fields of the path.
    pub fn first(&self, count: usize) -> Self {
        Self(self.0[..count].to_vec())
    }

    /// The optional objects on the path, outermost first.
    pub fn parents(&self) -> impl Iterator<Item = Self> + '_ {
        (1..self.0.len()).filter(|count| self.0[count - 1].may_be_absent()).map(|count| self.first(count))
    }

    /// The path to the innermost optional field, which may be the field itself.
    pub fn innermost(&self) -> Option<Self> {
        let at = self.0.iter().rposition(Field::may_be_absent)?;
        Some(self.first(at + 1))
    }

    /// Whether `other` is the end of this path.
    pub fn ends_with(&self, other: &Self) -> bool {
        self.0.ends_with(&other.0)
    }
}

impl fmt::Display for ResolvedPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names().join("."))
    }
}
