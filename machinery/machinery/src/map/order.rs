//! The order of a map's keys, while its pairs are stored in another order.

use std::collections::{BTreeMap, btree_map};

use crate::Str;

/// The positions at which pairs are stored, in the order of their keys.
///
/// It does not know the type of values, so that a map of any type shares the code for many entries.
#[derive(Clone, Default)]
pub(super) struct Order(BTreeMap<Str, usize>);

pub(super) type Positions<'a> = btree_map::Values<'a, Str, usize>;

impl Order {
    pub fn position(&self, key: &str) -> Option<usize> {
        self.0.get(key).copied()
    }

    pub fn set(&mut self, key: &Str, position: usize) {
        self.0.insert(key.clone(), position);
    }

    pub fn remove(&mut self, key: &str) {
        self.0.remove(key);
    }

    pub fn positions(&self) -> Positions<'_> {
        self.0.values()
    }

    /// Calls `swap` with the swaps that bring the pairs into the order of their keys, fewer than there are pairs.
    pub fn for_each_swap(self, swap: &mut dyn FnMut(usize, usize)) {
        let mut positions: Vec<usize> = self.0.into_values().collect();
        for start in 0..positions.len() {
            // The pair that belongs here follows from where it is, and so on, until the first one is reached again.
            let mut at = start;
            while positions[at] != start {
                let from = positions[at];
                swap(at, from);
                positions[at] = at;
                at = from;
            }
            positions[at] = at;
        }
    }
}
