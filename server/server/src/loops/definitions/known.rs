//! The definitions that are known, and the names that they have.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::definition::Definition;
use super::names::Used;

/// Definitions by their names, and what of their groups' names is in use.
#[derive(Default)]
pub(super) struct Known {
    /// Each with the revision at which it was read or written.
    definitions: BTreeMap<String, (u64, Definition)>,
    /// By group. Whoever works with one keeps it as it was.
    used: HashMap<String, Arc<Used>>,
}

impl Known {
    pub(super) fn get(&self, name: &str) -> Option<&Definition> {
        self.definitions.get(name).map(|(_, definition)| definition)
    }

    /// The revision at which a definition was read or written.
    pub(super) fn revision(&self, name: &str) -> Option<u64> {
        self.definitions.get(name).map(|(revision, _)| *revision)
    }

    /// Adds a definition. Returns the one that it replaces.
    pub(super) fn insert(&mut self, name: &str, revision: u64, definition: Definition) -> Option<Definition> {
        let old = self.remove(name);
        let used = self.used.entry(definition.group.clone()).or_default();
        Arc::make_mut(used).add(&definition.accepted);
        self.definitions.insert(name.to_owned(), (revision, definition));
        old
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<Definition> {
        let (_, old) = self.definitions.remove(name)?;
        if let Some(used) = self.used.get_mut(&old.group) {
            let used = Arc::make_mut(used);
            used.remove(&old.accepted);
            if used.is_empty() {
                self.used.remove(&old.group);
            }
        }
        Some(old)
    }

    /// The names that the definitions of a group have.
    pub(super) fn used(&self, group: &str) -> Arc<Used> {
        self.used.get(group).cloned().unwrap_or_default()
    }

    /// The names of the definitions of a group.
    pub(super) fn of_group(&self, group: &str) -> impl Iterator<Item = &String> {
        self.definitions.iter().filter(move |(_, (_, other))| other.group == group).map(|(name, _)| name)
    }
}
