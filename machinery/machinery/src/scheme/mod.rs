//! The Scheme: maps the names of kinds to types.
//!
//! Everything that handles objects of many kinds (the server, the command line, migrations) uses
//! the Scheme to find the type of, say, `apps/v1 Deployment`, and to decode, default, convert and
//! encode its objects.

mod behaviour;
mod deprecation;
mod entry;
mod envelope;
mod index;
mod keys;
mod name;
mod object;
mod priority;
mod resource;
mod table;
mod untyped;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use hubgen_facts::verbs;

pub use self::behaviour::{
    Behaviour, BehaviourRow, Generation, NameForm, SelectableField, SelectableRow, StoragePlace, StorageRow,
};
pub use self::deprecation::{Deprecation, DeprecationRow};
pub use self::entry::{Conversion, Family, Hoisted, KindEntry, Resource, Subresource};
use self::index::Index;
pub use self::name::GroupVersionKind;
pub use self::object::{Object, SchemeError};
pub use self::priority::{GroupPriority, PriorityRow};
pub use self::resource::{Cluster, HasResource, Namespaced};
pub use self::table::{ConversionRow, FamilyRow, HoistedRow, KindRow, Kinds, ResourceRow, SubresourceRow};
pub use self::untyped::Untyped;

/// All kinds that a program knows.
///
/// It is built at startup from the tables of the generated crates (`hubgen_kubernetes::scheme()`)
/// and is read-only afterwards. Programs whose kinds change at run time build a new Scheme for each
/// change: a clone, which shares all entries, with kinds added or removed. Objects own the entries
/// of their kinds, so they outlive the Scheme that they came from.
///
/// A Scheme with a kind of your own:
///
/// ```
/// use hubgen_machinery::ApiType;
/// use hubgen_machinery::reflect::boxed;
/// use hubgen_machinery::scheme::{KindRow, Kinds, Scheme};
///
/// #[derive(ApiType)]
/// #[kind(group = "example.com", version = "v1", kind = "Widget")]
/// struct Widget {
///     size: i32,
/// }
///
/// static KINDS: Kinds = &[KindRow::new("example.com/v1", "Widget", boxed::<Widget>)];
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut scheme = Scheme::new();
/// scheme.register(KINDS);
///
/// // The object itself names its kind.
/// let json = br#"{"apiVersion": "example.com/v1", "kind": "Widget", "size": 3, "color": "red"}"#;
/// let (object, decoded) = scheme.decode(json)?;
/// assert_eq!(decoded.unknown, ["color"]);
/// assert_eq!(object.value.downcast_ref::<Widget>().map(|widget| widget.size), Some(3));
/// assert_eq!(object.encode().unwrap(), br#"{"kind":"Widget","apiVersion":"example.com/v1","size":3}"#);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Scheme {
    kinds: Index,
    resources: Index,
    prefixes: keys::Taken,
    priorities: BTreeMap<String, Arc<GroupPriority>>,
}

/// Why a kind cannot be added to a Scheme.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum RegisterError {
    /// The group, version and kind is already registered with another type.
    #[error("{0} is registered twice, as different types")]
    Twice(Arc<KindEntry>),
    /// Objects of different kinds would be stored under the same keys, and replace each other.
    #[error(
        "{} and {} are different kinds and would be stored under {} and {}: give one of them another plural name",
        .one.0, .other.0, .one.1, .other.1
    )]
    SameKeys {
        /// The new kind and the prefix of its keys.
        one: (Arc<KindEntry>, String),
        /// The existing kind and the prefix of its keys.
        other: (Arc<KindEntry>, String),
    },
}

impl Default for Scheme {
    fn default() -> Self {
        Self {
            kinds: Index::by(|entry| &entry.kind),
            resources: Index::by(|entry| entry.resource.as_ref().map_or("", |resource| &*resource.plural)),
            prefixes: keys::Taken::default(),
            priorities: BTreeMap::new(),
        }
    }
}

impl Scheme {
    /// An empty Scheme.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the kinds of a table.
    ///
    /// # Panics
    /// When [`Scheme::try_register`] fails.
    pub fn register(&mut self, kinds: Kinds) -> &mut Self {
        if let Err(error) = self.try_register(kinds) {
            panic!("{error}");
        }
        self
    }

    /// Adds the kinds of a table. Kinds already added from the same table stay. After an error,
    /// none are added.
    ///
    /// # Errors
    /// When another type has the same group, version and kind, or another kind would be
    /// stored under the same keys.
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

    /// Sets the priority of a group and of its versions.
    pub fn prioritize(&mut self, row: &PriorityRow) -> &mut Self {
        self.set_priority(row.group, GroupPriority::from(row));
        self
    }

    /// Sets the priority of a group and of its versions.
    pub fn set_priority(&mut self, group: &str, priority: GroupPriority) {
        self.priorities.insert(group.to_owned(), Arc::new(priority));
    }

    /// The priority of a group and of its versions, if it is set.
    pub fn priority(&self, group: &str) -> Option<&GroupPriority> {
        self.priorities.get(group).map(|priority| &**priority)
    }

    /// Whether a kind was added from this very row.
    fn has(&self, row: &'static KindRow) -> bool {
        let registered = self.kind(row.group, row.version, row.kind).and_then(|entry| entry.row);
        registered.is_some_and(|registered| std::ptr::eq(registered, row))
    }

    /// Adds a kind. After an error, it is not added.
    ///
    /// # Errors
    /// When a kind with the same group, version and name exists, or another kind would be
    /// stored under the same keys.
    pub fn add(&mut self, mut entry: KindEntry) -> Result<(), RegisterError> {
        // Members of a family share one `Family`.
        if let Some(shared) = entry.family.as_deref().and_then(|family| self.shared_family(family)) {
            entry.family = Some(shared);
        }
        self.add_shared(Arc::new(entry))
    }

    /// Adds a kind that other Schemes have, too. After an error, it is not added. Unlike [`add`](Self::add), this cannot let
    /// members of a family share their [`Family`]: whoever made them has done that.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn add_shared(&mut self, entry: Arc<KindEntry>) -> Result<(), RegisterError> {
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

    /// Removes a kind. Its entry lives as long as objects of the kind.
    pub fn remove(&mut self, group: &str, version: &str, kind: &str) -> Option<Arc<KindEntry>> {
        let entry = self.kinds.remove((group, version, kind))?;
        if let Some(resource) = &entry.resource {
            self.resources.remove((group, version, &resource.plural));
            self.prefixes.free(&entry, self.resources.iter());
        }
        Some(entry)
    }

    /// The kind with a group, version and name.
    pub fn kind(&self, group: &str, version: &str, kind: &str) -> Option<&Arc<KindEntry>> {
        self.kinds.get((group, version, kind))
    }

    /// The kind that the fields `apiVersion` and `kind` of an object name.
    pub fn named(&self, api_version: &str, kind: &str) -> Option<&Arc<KindEntry>> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        self.kind(group, version, kind)
    }

    /// The kind that is served under a group, version and plural.
    pub fn resource(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<KindEntry>> {
        self.resources.get((group, version, plural))
    }

    /// All kinds, sorted by group, version and kind.
    pub fn kinds(&self) -> impl Iterator<Item = &Arc<KindEntry>> {
        self.kinds.iter()
    }

    /// The entries of a family, in the family's order. Members that this Scheme does not contain
    /// (features switched off) are left out.
    pub fn family<'a>(&'a self, family: &'a Family) -> impl Iterator<Item = &'a Arc<KindEntry>> {
        family.members.iter().filter_map(|member| self.kinds.get(member.parts()))
    }

    /// The equal family that a registered member refers to, if there is one.
    fn shared_family(&self, family: &Family) -> Option<Arc<Family>> {
        let mut families = self.family(family).filter_map(|member| member.family.as_ref());
        families.find(|other| ***other == *family).cloned()
    }
}
