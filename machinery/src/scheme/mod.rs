//! The Scheme: the only door between bytes with a name on them and types.
//!
//! Everything that handles objects of many kinds (the server, the command
//! line, migrations) asks the Scheme: which type is `apps/v1 Deployment`, read
//! one, default it, bring it to another version, write it.

mod entry;
mod envelope;
mod keys;
mod object;
pub mod verbs;

use std::collections::BTreeMap;

pub use self::entry::{
    Conversion, Family, FromHub, KindEntry, Kinds, NewObject, Resource, Subresource, ToHub,
};
pub use self::keys::ONCE_OUTSIDE;
pub use self::object::{Object, SchemeError};

/// Group, version and kind of an entry.
type Name = (&'static str, &'static str, &'static str);

/// All kinds that a program knows.
///
/// Built once at the start, from the tables that generated crates offer
/// (`hubgen_kubernetes::scheme()`), and read-only from then on.
#[derive(Default)]
pub struct Scheme {
    kinds: BTreeMap<Name, &'static KindEntry>,
    resources: BTreeMap<Name, &'static KindEntry>,
    prefixes: keys::Taken,
}

/// Why kinds cannot be added to a Scheme.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum RegisterError {
    /// Two crates would answer for each other.
    #[error("{0} is registered twice, as different types")]
    Twice(&'static KindEntry),
    /// Objects of different kinds would be stored under the same keys, and
    /// replace each other.
    #[error(
        "{} and {} are different kinds and would be stored under {} and {}: give one of them another plural name",
        .one.0, .other.0, .one.1, .other.1
    )]
    SameKeys {
        /// The kind that was to be added, and what its keys start with.
        one: (&'static KindEntry, String),
        /// The kind that is there, and what its keys start with.
        other: (&'static KindEntry, String),
    },
}

impl Scheme {
    /// A Scheme that knows nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the kinds of a table.
    ///
    /// # Panics
    /// Where [`Scheme::try_register`] fails.
    pub fn register(&mut self, kinds: Kinds) -> &mut Self {
        if let Err(error) = self.try_register(kinds) {
            panic!("{error}");
        }
        self
    }

    /// Adds the kinds of a table. After an error, some of them are added.
    ///
    /// # Errors
    /// When another type has the same group, version and kind, or another kind
    /// would be stored under the same keys.
    pub fn try_register(&mut self, kinds: Kinds) -> Result<(), RegisterError> {
        for entry in kinds {
            let taken = self.kinds.insert((entry.group, entry.version, entry.kind), entry);
            if taken.is_some_and(|other| !std::ptr::eq(other, entry)) {
                return Err(RegisterError::Twice(entry));
            }
            if let Some(resource) = &entry.resource {
                self.prefixes.take(entry, resource.plural)?;
                self.resources.insert((entry.group, entry.version, resource.plural), entry);
            }
        }
        Ok(())
    }

    /// The kind of that name.
    pub fn kind(&self, group: &str, version: &str, kind: &str) -> Option<&'static KindEntry> {
        find(&self.kinds, group, version, kind)
    }

    /// The kind that objects name by `apiVersion` and `kind`.
    pub fn named(&self, api_version: &str, kind: &str) -> Option<&'static KindEntry> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        self.kind(group, version, kind)
    }

    /// The kind that is served at that group, version and plural.
    pub fn resource(&self, group: &str, version: &str, plural: &str) -> Option<&'static KindEntry> {
        find(&self.resources, group, version, plural)
    }

    /// Every kind, ordered by group, version and kind.
    pub fn kinds(&self) -> impl Iterator<Item = &'static KindEntry> + '_ {
        self.kinds.values().copied()
    }

    /// The entries of one family, in the order the family lists them. Members
    /// that this Scheme does not have (features switched off) are left out.
    pub fn family<'a>(&'a self, family: &'a Family) -> impl Iterator<Item = &'static KindEntry> + 'a {
        family.members.iter().filter_map(|(group, version, kind)| self.kind(group, version, kind))
    }
}

/// Keys of any lifetime will do: the map's own are only longer-lived.
fn find<'a>(
    map: &'a BTreeMap<(&'a str, &'a str, &'a str), &'static KindEntry>,
    group: &'a str,
    version: &'a str,
    name: &'a str,
) -> Option<&'static KindEntry> {
    map.get(&(group, version, name)).copied()
}
