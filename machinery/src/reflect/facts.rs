//! What a schema says beyond what every codec needs.

use std::ops::Deref;

use super::{Held, Text, Words};

/// Schema facts of a field, of the items of a list, or of the values of a map.
///
/// Most fields have none or one, so this is a list: empty for most compiled
/// fields, and short to write where derived code has to. Of each variant there
/// is at most one.
#[derive(Clone, Debug)]
pub struct Facts(Held<[Fact]>);

/// One of [`Facts`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// An object without it is invalid.
    Required,
    /// The published default, as JSON text.
    Default(Text),
    /// The values that the schema allows. Of a field of a compiled type that
    /// holds a list or a map, they are those of its items or values.
    OneOf(Words),
    /// How a list is merged and checked.
    List(ListType),
    /// Server-side apply replaces it as a whole.
    Atomic,
    /// Strategies of strategic merge patches (`merge`, `replace`, `retainKeys`).
    Patch(Words),
    /// The field by which strategic merge patches tell list elements apart.
    MergeKey(Text),
    /// The first release that had it, where known and where it is not the
    /// type's own.
    Since(Text),
    /// The last release that had it. Without this, the newest has it.
    Until(Text),
}

/// How a list is merged and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListType {
    /// Replaced as a whole.
    Atomic,
    /// Elements are unique.
    Set,
    /// Elements are told apart by these fields.
    Map(Words),
}

impl Facts {
    /// No facts at all.
    pub const NONE: Self = Self::of(&[]);

    /// Facts of a compiled type, each variant at most once.
    pub const fn of(facts: &'static [Fact]) -> Self {
        Self(Held::Static(facts))
    }

    /// Whether an object without it is invalid.
    pub fn required(&self) -> bool {
        self.iter().any(|fact| matches!(fact, Fact::Required))
    }

    /// The published default, as JSON text.
    pub fn default(&self) -> Option<&str> {
        self.iter().find_map(|fact| if let Fact::Default(json) = fact { Some(&**json) } else { None })
    }

    /// The values that the schema allows; empty: any.
    pub fn enumeration(&self) -> &Words {
        let words =
            self.iter().find_map(|fact| if let Fact::OneOf(words) = fact { Some(words) } else { None });
        words.unwrap_or(&Words::NONE)
    }

    /// How a list is merged and checked.
    pub fn list_type(&self) -> Option<&ListType> {
        self.iter().find_map(|fact| if let Fact::List(list_type) = fact { Some(list_type) } else { None })
    }

    /// The first release that had it, where known and where it is not the
    /// type's own.
    pub fn since(&self) -> Option<&str> {
        self.iter().find_map(|fact| if let Fact::Since(release) = fact { Some(&**release) } else { None })
    }

    /// The last release that had it; `None` while the newest still does.
    pub fn until(&self) -> Option<&str> {
        self.iter().find_map(|fact| if let Fact::Until(release) = fact { Some(&**release) } else { None })
    }

    /// The fields that tell a list's elements apart, if there are any.
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
    /// In whatever order.
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

/// The fields that tell a list's elements apart.
#[derive(Clone, Copy, Debug)]
pub enum Keys<'a> {
    /// None do.
    None,
    /// The key of strategic merge patches.
    One(&'a str),
    /// Those of a list that is a map.
    Words(&'a Words),
}

impl<'a> Keys<'a> {
    /// Whether there are none.
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

    /// Whether a field of that name is one of them.
    pub fn contains(self, name: &str) -> bool {
        self.iter().any(|key| key == name)
    }
}
