//! The storage keys of objects.
//!
//! All objects of a family are stored together, whatever group and version they were written at.
//! The key is `/registry/<plural>[/<namespace>]/<name>` for built-in kinds, unless their
//! [`StoragePlace`] is another one, and `/registry/<group>/<plural>[/<namespace>]/<name>` for all
//! others.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use super::{KindEntry, RegisterError, Scheme, StoragePlace};

/// The prefixes in use, each with a member of its family.
#[derive(Clone, Default)]
pub(super) struct Taken(BTreeMap<String, Arc<KindEntry>>);

impl Taken {
    /// Reserves the prefix of a kind, if the kind has a resource.
    ///
    /// # Errors
    /// When objects of another family are or could be stored below the prefix. The reverse
    /// is refused, too: a prefix inside another one looks like a namespace there.
    pub(super) fn take(&mut self, entry: &Arc<KindEntry>) -> Result<(), RegisterError> {
        let Some(prefix) = own_prefix(entry) else { return Ok(()) };
        if let Some((other_prefix, other)) = self.of_another_family(entry, &prefix) {
            let other = (Arc::clone(other), other_prefix.clone());
            return Err(RegisterError::SameKeys { one: (Arc::clone(entry), prefix), other });
        }
        self.0.insert(prefix, Arc::clone(entry));
        Ok(())
    }

    /// Frees the prefix of a kind, unless one of the remaining entries uses it.
    pub(super) fn free<'a>(&mut self, entry: &KindEntry, left: impl Iterator<Item = &'a Arc<KindEntry>>) {
        let Some(freed) = own_prefix(entry) else { return };
        let mut family = left.filter(|other| other.is_family_of(entry));
        match family.find(|other| own_prefix(other).as_ref() == Some(&freed)) {
            Some(other) => drop(self.0.insert(freed, Arc::clone(other))),
            None => drop(self.0.remove(&freed)),
        }
    }

    /// A prefix of another family that contains the prefix of a kind or is contained in it.
    fn of_another_family(&self, entry: &KindEntry, prefix: &str) -> Option<(&String, &Arc<KindEntry>)> {
        let above = prefix.match_indices('/').filter_map(|(end, _)| self.0.get_key_value(&prefix[..=end]));
        let from = (Bound::Included(prefix), Bound::Unbounded);
        let below = self.0.range::<str, _>(from).take_while(|(below, _)| below.starts_with(prefix));
        above.chain(below).find(|(_, other)| !entry.is_family_of(other))
    }
}

impl Scheme {
    /// The common prefix of the storage keys of a kind. It ends with the slash before the namespace
    /// or, for kinds without namespaces, before the name.
    pub fn storage_prefix(&self, entry: &KindEntry) -> String {
        let (group, version, kind) = entry.storage();
        let home = self.kind(group, version, kind).map_or(entry, |home| &**home);
        let plural = [home, entry].into_iter().find_map(|entry| entry.resource.as_ref());
        prefix(group, plural.map_or(&*entry.kind, |resource| &*resource.plural), home)
    }
}

/// The prefix that a kind with a resource needs.
fn own_prefix(entry: &KindEntry) -> Option<String> {
    let resource = entry.resource.as_ref()?;
    Some(prefix(entry.storage().0, &resource.plural, entry))
}

fn prefix(group: &str, plural: &str, entry: &KindEntry) -> String {
    match &entry.behaviour.storage {
        // The core group has no name to put into a key.
        StoragePlace::Plural if entry.is_built_in || group.is_empty() => format!("/registry/{plural}/"),
        StoragePlace::Named(name) => format!("/registry/{name}/"),
        StoragePlace::Plural | StoragePlace::Separate => format!("/registry/{group}/{plural}/"),
    }
}
