//! What the conversion of a version does not distinguish.
//!
//! The rules of a conversion may map several values to one: `[]` and no list at all, or an object that only has
//! constants and no object. Then version → hub → version returns one of them, its canonical form, whichever came. Each
//! such form is declared with its path instead of being accepted silently, for two reasons. Users read in
//! `CONVERSIONS.md` what may change. And the laws of conversions compare JSON exactly but for what is declared, so that
//! a rule that begins to lose something fails a test.

use std::borrow::Cow;

/// Values of a version that a conversion to the hub and back does not distinguish: it returns the
/// same one for all of them.
///
/// The generator writes these from the rules, and `CONVERSIONS.md` lists them. Paths begin below the
/// kind, and `[]` stands for the elements of a list and the values of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Canonical {
    /// An empty value at the path and an absent one. Empty are `null`, `""`, zero, a
    /// quantity of `0`, `false`, a list without elements, and an object of which all fields are empty. An object that
    /// appears may contain what the rules determine.
    Empty(Cow<'static, str>),
    /// An object at the path that contains nothing but what the rules determine, such as constants, and an absent one.
    Determined(Cow<'static, str>),
    /// A list at the path with a single element, which the rules create, and an absent or empty one.
    Created(Cow<'static, str>),
    /// Any values at the path: a function returns another form of them, or the rules determine them.
    Any(Cow<'static, str>),
    /// Any values at the path: the rules drop them. They are lost on the way to the hub, and the field is then absent
    /// or empty.
    Dropped(Cow<'static, str>),
}

impl Canonical {
    /// An empty value and an absent one, for generated code.
    pub const fn empty(path: &'static str) -> Self {
        Self::Empty(Cow::Borrowed(path))
    }

    /// An object with nothing but what the rules determine and an absent one, for generated code.
    pub const fn determined(path: &'static str) -> Self {
        Self::Determined(Cow::Borrowed(path))
    }

    /// A list whose only element the rules create and an empty one, for generated code.
    pub const fn created(path: &'static str) -> Self {
        Self::Created(Cow::Borrowed(path))
    }

    /// What the rules drop, for generated code.
    pub const fn dropped(path: &'static str) -> Self {
        Self::Dropped(Cow::Borrowed(path))
    }

    /// Any values, for generated code.
    pub const fn any(path: &'static str) -> Self {
        Self::Any(Cow::Borrowed(path))
    }
}
