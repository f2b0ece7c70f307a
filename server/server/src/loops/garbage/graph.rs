//! Who depends on whom: only of objects that have owners.

use std::collections::{HashMap, HashSet};

use super::super::record::{Key, Uid};

/// The dependents of owners.
#[derive(Default)]
pub(super) struct Graph(HashMap<Uid, Owner>);

#[derive(Default)]
struct Owner {
    /// Whether it was there, and is not any more. Where its kind has gone, too, nobody could find that out otherwise.
    is_gone: bool,
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
    pub(super) fn lose(&mut self, owner: Uid) -> Vec<Key> {
        if let Some(found) = self.0.get_mut(&owner) {
            found.is_gone = true;
        }
        self.dependents(owner)
    }

    /// Whether an owner is known to be gone.
    pub(super) fn has_lost(&self, owner: Uid) -> bool {
        self.0.get(&owner).is_some_and(|owner| owner.is_gone)
    }

    /// The dependents of an owner.
    pub(super) fn dependents(&self, owner: Uid) -> Vec<Key> {
        self.0.get(&owner).into_iter().flat_map(|owner| &owner.dependents).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_kept_of_what_nobody_depends_on() {
        let (mut graph, a, b): (_, Key, Key) = (Graph::default(), (*b"a").into(), (*b"b").into());
        let owner = Uid::from("owner");
        assert!(graph.lose(owner).is_empty());
        assert!(!graph.has_lost(owner));
        graph.add(owner, &a);
        graph.add(owner, &b);
        assert_eq!(graph.lose(owner).len(), 2);
        assert!(graph.has_lost(owner));
        graph.remove(owner, &a);
        graph.remove(owner, &b);
        assert!(graph.0.is_empty());
    }
}
