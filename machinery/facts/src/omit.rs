//! When JSON omits a field.

/// When JSON omits a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Omit {
    /// Never. An absent value, an empty list and an empty map are written as `null`.
    Never,
    /// When the value is absent, or a zero boolean, number, string, list or map (Go's `omitempty`). Objects, and other
    /// types that are structs upstream, are written even when zero.
    Empty,
    /// When the value is absent or zero, whatever its type (Go's `omitzero`).
    Zero,
    /// Never, and the value is written as it is: an empty list is `[]`, an empty map `{}`. An absent value is `null`.
    Exact,
}

impl Omit {
    /// Whether JSON contains a field if its value is absent, or an empty list or map. It is then `null`.
    ///
    /// `is_pointer` tells whether absence differs from the empty value, and `has_empty` whether the field's type is one
    /// whose zero value `omitempty` omits.
    #[inline]
    #[must_use]
    pub const fn writes_absent(self, is_pointer: bool, has_empty: bool) -> bool {
        match self {
            Self::Never | Self::Exact => true,
            Self::Empty => !is_pointer && !has_empty,
            Self::Zero => false,
        }
    }
}
