//! Names of fields.

use std::fmt;
use std::ops::Deref;

use super::{Held, Text};

/// The name of a field in JSON.
///
/// It is stored as a writer of JSON needs it before the field's value: `,"name":`. One copy then
/// writes all of it. In other respects it is the `str` that is the name alone.
#[derive(Clone, PartialEq, Eq)]
pub struct Name(Text);

/// The comma and the quote before a name.
const BEFORE: usize = 2;

/// The quote and the colon after a name.
const AFTER: usize = 2;

impl Name {
    /// The name in a text such as `,"name":`, for derived code.
    pub const fn of(member: &'static str) -> Self {
        assert!(member.len() >= BEFORE + AFTER);
        Self(Held::Static(member))
    }

    /// The name of a compiled type's field, with what is around it.
    pub(super) const fn as_static(&self) -> &'static str {
        self.0.as_static()
    }

    /// A copy of the name of a compiled type's field.
    pub(super) const fn copy(&self) -> Self {
        Self(Held::Static(self.0.as_static()))
    }

    /// The name with what is around it: `,"name":`, or `"name":` for the first field of an object.
    #[inline(always)]
    pub(crate) fn member(&self, is_first: bool) -> &[u8] {
        &self.0.as_bytes()[usize::from(is_first)..]
    }

    /// Whether it is this name. Quicker than a comparison as `str`.
    #[inline(always)]
    pub(crate) fn is(&self, name: &str) -> bool {
        let member = self.0.as_bytes();
        member.len() == name.len() + BEFORE + AFTER && member[BEFORE..].starts_with(name.as_bytes())
    }
}

impl Deref for Name {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        &self.0[BEFORE..self.0.len() - AFTER]
    }
}

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        Self(format!(",\"{name}\":").into())
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.is(other)
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        self.is(other)
    }
}

impl PartialEq<Name> for &str {
    fn eq(&self, other: &Name) -> bool {
        other.is(self)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
