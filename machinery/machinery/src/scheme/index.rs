//! Lookup of kinds by name or by resource.

use std::sync::Arc;

use super::KindEntry;
use crate::reflect::Text;

/// Entries sorted by group, version and name. Each of the three is a separate level, which keeps
/// the compared texts short.
#[derive(Clone)]
pub(super) struct Index {
    groups: Vec<(Text, Versions)>,
    /// The name of an entry: its kind or its plural.
    name: fn(&KindEntry) -> &str,
}

type Versions = Vec<(Text, Vec<Arc<KindEntry>>)>;

/// Group, version and name.
pub(super) type Key<'a> = (&'a str, &'a str, &'a str);

impl Index {
    /// An empty index; `name` returns the name of an entry.
    pub fn by(name: fn(&KindEntry) -> &str) -> Self {
        Self { groups: Vec::new(), name }
    }

    /// Looks up an entry.
    pub fn get(&self, (group, version, name): Key<'_>) -> Option<&Arc<KindEntry>> {
        let (_, versions) = &self.groups[position(&self.groups, group).ok()?];
        let (_, entries) = &versions[position(versions, version).ok()?];
        Some(&entries[search(entries, name, self.name).ok()?])
    }

    /// Adds an entry. Replaces the one with the same key.
    pub fn insert(&mut self, entry: Arc<KindEntry>) {
        let versions = below(&mut self.groups, &entry.group);
        let entries = below(versions, &entry.version);
        match search(entries, (self.name)(&entry), self.name) {
            Ok(at) => entries[at] = entry,
            Err(at) => entries.insert(at, entry),
        }
    }

    /// Removes an entry.
    pub fn remove(&mut self, (group, version, name): Key<'_>) -> Option<Arc<KindEntry>> {
        let of_group = position(&self.groups, group).ok()?;
        let versions = &mut self.groups[of_group].1;
        let of_version = position(versions, version).ok()?;
        let entries = &mut versions[of_version].1;
        let entry = entries.remove(search(entries, name, self.name).ok()?);
        // Removes empty levels as well, so that kinds that come and go leave nothing behind.
        if entries.is_empty() {
            versions.remove(of_version);
        }
        if versions.is_empty() {
            self.groups.remove(of_group);
        }
        Some(entry)
    }

    /// All entries in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<KindEntry>> {
        self.groups.iter().flat_map(|(_, versions)| versions).flat_map(|(_, entries)| entries)
    }
}

fn search(entries: &[Arc<KindEntry>], wanted: &str, name: fn(&KindEntry) -> &str) -> Result<usize, usize> {
    entries.binary_search_by(|entry| name(entry).cmp(wanted))
}

fn position<T>(list: &[(Text, T)], name: &str) -> Result<usize, usize> {
    list.binary_search_by(|(other, _)| (**other).cmp(name))
}

/// The list below a name; added if missing.
fn below<'a, T>(list: &'a mut Vec<(Text, Vec<T>)>, name: &Text) -> &'a mut Vec<T> {
    let at = position(list, name).unwrap_or_else(|at| {
        list.insert(at, (name.clone(), Vec::new()));
        at
    });
    &mut list[at].1
}
