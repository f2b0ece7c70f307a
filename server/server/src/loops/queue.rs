//! What is to be done next, each thing once.

use std::collections::{HashSet, VecDeque};
use std::hash::Hash;

/// A queue of things that are equal if they are the same work.
pub(super) struct Queue<T> {
    order: VecDeque<T>,
    all: HashSet<T>,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { order: VecDeque::new(), all: HashSet::new() }
    }
}

impl<T: Clone + Eq + Hash> Queue<T> {
    /// Adds a thing, unless it is there.
    pub(super) fn push(&mut self, thing: T) {
        if self.all.insert(thing.clone()) {
            self.order.push_back(thing);
        }
    }

    /// Takes the thing that was added first.
    pub(super) fn pop(&mut self) -> Option<T> {
        let thing = self.order.pop_front()?;
        self.all.remove(&thing);
        if self.order.is_empty() {
            // After many objects have gone, nothing is left of them.
            self.order.shrink_to_fit();
            self.all.shrink_to_fit();
        }
        Some(thing)
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}
