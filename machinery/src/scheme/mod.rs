//! The Scheme: the only door between bytes with a name on them and types.
//!
//! Everything that handles objects of many kinds (the server, the command
//! line, migrations) asks the Scheme: which type is `apps/v1 Deployment`, read
//! one, default it, bring it to another version, write it.

mod entry;
mod envelope;
mod index;
mod keys;
mod object;
mod table;
pub mod verbs;

use std::sync::Arc;

pub use self::entry::{Conversion, Family, GroupVersionKind, KindEntry, Resource, Subresource};
use self::index::Index;
pub use self::keys::ONCE_OUTSIDE;
pub use self::object::{Object, SchemeError};
pub use self::table::{ConversionRow, FamilyRow, KindRow, Kinds, ResourceRow, SubresourceRow};

/// All kinds that a program knows.
///
/// Built at the start from the tables that generated crates offer
/// (`hubgen_kubernetes::scheme()`), and read-only from then on. Where kinds
/// come and go at run time, another state is another Scheme: a clone, which
/// shares all entries, with kinds added or removed. Objects hold the entries of
/// their kinds, whatever becomes of the Scheme that they came from.
#[derive(Clone)]
pub struct Scheme {
    kinds: Index,
    resources: Index,
    prefixes: keys::Taken,
}

/// Why kinds cannot be added to a Scheme.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum RegisterError {
    /// Two crates would answer for each other.
    #[error("{0} is registered twice, as different types")]
    Twice(Arc<KindEntry>),
    /// Objects of different kinds would be stored under the same keys, and
    /// replace each other.
    #[error(
        "{} and {} are different kinds and would be stored under {} and {}: give one of them another plural name",
        .one.0, .other.0, .one.1, .other.1
    )]
    SameKeys {
        /// The kind that was to be added, and what its keys start with.
        one: (Arc<KindEntry>, String),
        /// The kind that is there, and what its keys start with.
        other: (Arc<KindEntry>, String),
    },
}

impl Default for Scheme {
    fn default() -> Self {
        Self {
            kinds: Index::by(|entry| &entry.kind),
            resources: Index::by(|entry| entry.resource.as_ref().map_or("", |resource| &*resource.plural)),
            prefixes: keys::Taken::default(),
        }
    }
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

    /// Adds the kinds of a table; those that it knows from the same table stay.
    /// After an error, none are added.
    ///
    /// # Errors
    /// When another type has the same group, version and kind, or another kind
    /// would be stored under the same keys.
    pub fn try_register(&mut self, kinds: Kinds) -> Result<(), RegisterError> {
        let mut added = Vec::new();
        for row in kinds {
            match self.add(KindEntry::from(row)) {
                Ok(()) => added.push(row),
                Err(RegisterError::Twice(_)) if self.has(row) => {}
                Err(error) => {
                    added
                        .iter()
                        .for_each(|row: &&KindRow| drop(self.remove(row.group, row.version, row.kind)));
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Whether it knows the kind from this very row.
    fn has(&self, row: &'static KindRow) -> bool {
        let known = self.kind(row.group, row.version, row.kind).and_then(|entry| entry.row);
        known.is_some_and(|known| std::ptr::eq(known, row))
    }

    /// Adds a kind. After an error, it is not added.
    ///
    /// # Errors
    /// When there is a kind of the same group, version and name, or another
    /// kind would be stored under the same keys.
    pub fn add(&mut self, mut entry: KindEntry) -> Result<(), RegisterError> {
        // Members of a family share what is known of it.
        if let Some(known) = entry.family.as_deref().and_then(|family| self.known(family)) {
            entry.family = Some(known);
        }
        let entry = Arc::new(entry);
        if self.kind(&entry.group, &entry.version, &entry.kind).is_some() {
            return Err(RegisterError::Twice(entry));
        }
        self.prefixes.take(&entry)?;
        if entry.resource.is_some() {
            self.resources.insert(Arc::clone(&entry));
        }
        self.kinds.insert(entry);
        Ok(())
    }

    /// Removes a kind. Objects of it live on, and so does its entry as long as
    /// they do.
    pub fn remove(&mut self, group: &str, version: &str, kind: &str) -> Option<Arc<KindEntry>> {
        let entry = self.kinds.remove((group, version, kind))?;
        if let Some(resource) = &entry.resource {
            self.resources.remove((group, version, &resource.plural));
            self.prefixes.free(&entry, self.resources.iter());
        }
        Some(entry)
    }

    /// The kind of that name.
    pub fn kind(&self, group: &str, version: &str, kind: &str) -> Option<&Arc<KindEntry>> {
        self.kinds.get((group, version, kind))
    }

    /// The kind that objects name by `apiVersion` and `kind`.
    pub fn named(&self, api_version: &str, kind: &str) -> Option<&Arc<KindEntry>> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        self.kind(group, version, kind)
    }

    /// The kind that is served at that group, version and plural.
    pub fn resource(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<KindEntry>> {
        self.resources.get((group, version, plural))
    }

    /// Every kind, ordered by group, version and kind.
    pub fn kinds(&self) -> impl Iterator<Item = &Arc<KindEntry>> {
        self.kinds.iter()
    }

    /// The entries of one family, in the order the family lists them. Members
    /// that this Scheme does not have (features switched off) are left out.
    pub fn family<'a>(&'a self, family: &'a Family) -> impl Iterator<Item = &'a Arc<KindEntry>> {
        family.members.iter().filter_map(|member| self.kinds.get(member.parts()))
    }

    /// The family as one of its members has it, where it is the same there.
    fn known(&self, family: &Family) -> Option<Arc<Family>> {
        let mut known = self.family(family).filter_map(|member| member.family.as_ref());
        known.find(|known| ***known == *family).cloned()
    }
}
