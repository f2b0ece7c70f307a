//! Schema facts that codecs do not need for every object.

use std::ops::Deref;

use super::{Held, Text, Words};

/// Schema facts of a type, of a field, of the items of a list, or of the values of a map.
///
/// This is a list because most fields have no fact or one: it is empty for most
/// compiled fields, and short in derived code otherwise. Each variant occurs at
/// most once.
#[derive(Clone, Debug)]
pub struct Facts(Held<[Fact]>);

/// One of [`Facts`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// An object without the field is invalid.
    Required,
    /// The published default, as JSON text.
    Default(Text),
    /// The values that the schema allows. For a list or map field of a compiled
    /// type, these are the values allowed for its items or values.
    OneOf(Words),
    /// The list type: how a list is merged and checked.
    List(ListType),
    /// Server-side apply replaces the field as a whole, or each item of it, if it is a list whose items are told apart.
    /// Whoever changes something inside owns all of it.
    Atomic,
    /// Strategies of strategic merge patches (`merge`, `replace`, `retainKeys`).
    Patch(Words),
    /// The key field of list elements in strategic merge patches.
    MergeKey(Text),
    /// The first release with the field, if known and if it differs from the
    /// type's first release.
    Since(Text),
    /// The last release with the field. Without this fact, the newest release
    /// has the field.
    Until(Text),
    /// What the schema specifies besides: an object of JSON with keywords, those of
    /// items under `items`, those of the values of a map under
    /// `additionalProperties`, and a whole schema under `x-imported`.
    Schema(Text),
    /// What it is, for readers: the doc comment of a type or a field that a user has written. Generated types have
    /// none.
    Description(Text),
}

/// How a list is merged and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListType {
    /// Replaced as a whole.
    Atomic,
    /// Elements are unique.
    Set,
    /// These fields are the key of an element.
    Map(Words),
}

impl Facts {
    /// A copy of the facts of a compiled type.
    pub(super) const fn copy(&self) -> Self {
        Self(Held::Static(self.0.as_static()))
    }

    /// No facts.
    pub const NONE: Self = Self::of(&[]);

    /// Facts of a compiled type, with each variant at most once.
    pub const fn of(facts: &'static [Fact]) -> Self {
        Self(Held::Static(facts))
    }

    /// Whether an object without the field is invalid.
    pub fn required(&self) -> bool {
        self.iter().any(|fact| matches!(fact, Fact::Required))
    }

    /// The published default, as JSON text.
    pub fn default(&self) -> Option<&str> {
        self.iter().find_map(|fact| if let Fact::Default(json) = fact { Some(&**json) } else { None })
    }

    /// The values that the schema allows; empty if it allows any value.
    pub fn enumeration(&self) -> &Words {
        let words =
            self.iter().find_map(|fact| if let Fact::OneOf(words) = fact { Some(words) } else { None });
        words.unwrap_or(&Words::NONE)
    }

    /// How a list is merged and checked.
    pub fn list_type(&self) -> Option<&ListType> {
        self.iter().find_map(|fact| if let Fact::List(list_type) = fact { Some(list_type) } else { None })
    }

    /// The first release with the field, if known and if it differs from the
    /// type's first release.
    pub fn since(&self) -> Option<&str> {
        self.iter().find_map(|fact| if let Fact::Since(release) = fact { Some(&**release) } else { None })
    }

    /// The last release with the field; `None` if the newest release has it.
    pub fn until(&self) -> Option<&str> {
        self.iter().find_map(|fact| if let Fact::Until(release) = fact { Some(&**release) } else { None })
    }

    /// What the schema specifies besides, as an object of JSON.
    pub fn schema(&self) -> Option<&str> {
        self.iter().find_map(|fact| if let Fact::Schema(json) = fact { Some(&**json) } else { None })
    }

    /// What the type or the field is, for readers.
    pub fn description(&self) -> Option<&str> {
        self.iter().find_map(|fact| if let Fact::Description(text) = fact { Some(&**text) } else { None })
    }

    /// The key fields of a list's elements.
    pub fn keys(&self) -> Keys<'_> {
        let merge_key =
            self.iter().find_map(|fact| if let Fact::MergeKey(key) = fact { Some(key) } else { None });
        match (self.list_type(), merge_key) {
            (Some(ListType::Map(keys)), _) => Keys::Words(keys),
            (_, Some(key)) => Keys::One(key),
            _ => Keys::None,
        }
    }
}

impl Deref for Facts {
    type Target = [Fact];

    #[inline]
    fn deref(&self) -> &[Fact] {
        &self.0
    }
}

impl PartialEq for Facts {
    /// Compares the facts independent of their order.
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|fact| other.contains(fact))
    }
}

impl Eq for Facts {}

impl FromIterator<Fact> for Facts {
    fn from_iter<I: IntoIterator<Item = Fact>>(facts: I) -> Self {
        Self(facts.into_iter().collect::<Vec<_>>().into())
    }
}

/// The key fields of a list's elements.
#[derive(Clone, Copy, Debug)]
pub enum Keys<'a> {
    /// Elements have no key.
    None,
    /// The merge key of strategic merge patches.
    One(&'a str),
    /// The keys of list type `map`.
    Words(&'a Words),
}

impl<'a> Keys<'a> {
    /// Whether elements have no key.
    pub fn is_empty(self) -> bool {
        self.iter().next().is_none()
    }

    /// The names of the fields.
    pub fn iter(self) -> impl Iterator<Item = &'a str> {
        let (one, words) = match self {
            Self::None => (None, None),
            Self::One(key) => (Some(key), None),
            Self::Words(words) => (None, Some(words.iter())),
        };
        one.into_iter().chain(words.into_iter().flatten())
    }

    /// Whether the field with that name is a key.
    pub fn contains(self, name: &str) -> bool {
        self.iter().any(|key| key == name)
    }
}
