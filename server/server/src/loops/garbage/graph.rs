//! Who depends on whom: only of objects that have owners.

use std::collections::{HashMap, HashSet};

use super::super::record::{Key, Record, Uid};

/// The dependents of owners.
#[derive(Default)]
pub(super) struct Graph(HashMap<Uid, Owner>);

#[derive(Default)]
struct Owner {
    /// Its version and kind, if it was there and is not any more. Where its kind has gone, too, nobody could find that out
    /// otherwise.
    gone: Option<(String, String)>,
    dependents: HashSet<Key>,
}

impl Graph {
    /// Notes that an object has an owner.
    pub(super) fn add(&mut self, owner: Uid, dependent: &Key) {
        self.0.entry(owner).or_default().dependents.insert(Key::clone(dependent));
    }

    /// Notes that an object has an owner no longer.
    pub(super) fn remove(&mut self, owner: Uid, dependent: &Key) {
        if let Some(found) = self.0.get_mut(&owner) {
            found.dependents.remove(dependent);
            if found.dependents.is_empty() {
                self.0.remove(&owner);
                if self.0.is_empty() {
                    self.0.shrink_to_fit();
                }
            }
        }
    }

    /// Notes that an owner is gone. Returns its dependents.
    pub(super) fn lose(&mut self, owner: &Record) -> Vec<Key> {
        let uid = owner.uid();
        if let Some(found) = self.0.get_mut(&uid) {
            found.gone = Some((owner.api_version.clone(), owner.kind.clone()));
        }
        self.dependents(uid)
    }

    /// Whether an owner of that version and kind is known to be gone.
    pub(super) fn has_lost(&self, owner: Uid, api_version: &str, kind: &str) -> bool {
        let gone = self.0.get(&owner).and_then(|owner| owner.gone.as_ref());
        gone.is_some_and(|(version, own)| version == api_version && own == kind)
    }

    /// The dependents of an owner.
    pub(super) fn dependents(&self, owner: Uid) -> Vec<Key> {
        self.0.get(&owner).into_iter().flat_map(|owner| &owner.dependents).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::KeyValue;

    #[test]
    fn nothing_is_kept_of_what_nobody_depends_on() {
        let value = br#"{"apiVersion":"a/v1","kind":"A","metadata":{"name":"o","uid":"owner"}}"#.to_vec();
        let stored = KeyValue { key: b"o".to_vec(), value, create_revision: 1, mod_revision: 1 };
        let (record, owner) = (Record::read(&stored).unwrap(), Uid::from("owner"));
        let (mut graph, a, b): (_, Key, Key) = (Graph::default(), (*b"a").into(), (*b"b").into());
        assert!(graph.lose(&record).is_empty());
        assert!(!graph.has_lost(owner, "a/v1", "A"));
        graph.add(owner, &a);
        graph.add(owner, &b);
        assert_eq!(graph.lose(&record).len(), 2);
        assert!(graph.has_lost(owner, "a/v1", "A"));
        assert!(!graph.has_lost(owner, "a/v2", "A"));
        graph.remove(owner, &a);
        graph.remove(owner, &b);
        assert!(graph.0.is_empty());
    }
}
