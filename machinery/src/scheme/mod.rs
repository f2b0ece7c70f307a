//! The Scheme: the only door between bytes with a name on them and types.
//!
//! Everything that handles objects of many kinds (the server, the command
//! line, migrations) asks the Scheme: which type is `apps/v1 Deployment`, read
//! one, default it, bring it to another version, write it.

mod entry;
mod envelope;
mod object;

use std::collections::BTreeMap;

pub use self::entry::{
    Conversion, Family, FromHub, KindEntry, Kinds, NewObject, Resource, Subresource, ToHub,
};
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
}

impl Scheme {
    /// A Scheme that knows nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the kinds of a table.
    ///
    /// # Panics
    /// When another type has the same group, version and kind: two crates
    /// would otherwise answer for each other.
    pub fn register(&mut self, kinds: Kinds) -> &mut Self {
        for entry in kinds {
            let taken = self.kinds.insert((entry.group, entry.version, entry.kind), entry);
            assert!(
                taken.is_none_or(|other| std::ptr::eq(other, entry)),
                "{}/{} {} is registered twice",
                entry.group,
                entry.version,
                entry.kind
            );
            if let Some(resource) = &entry.resource {
                self.resources.insert((entry.group, entry.version, resource.plural), entry);
            }
        }
        self
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
