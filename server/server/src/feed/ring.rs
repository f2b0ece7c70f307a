//! The newest changes of one family, bounded in weight.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Change;
use crate::store::KeyValue;

/// What decoded and encoded forms of a value weigh, in sizes of the stored value. A Pod in protobuf takes about four
/// times its size as a struct, and as much again in JSON.
const FORMS: usize = 8;
/// What a change weighs besides its values.
const CHANGE: usize = 512;

pub(super) struct Ring<V> {
    changes: VecDeque<Arc<Change<V>>>,
    /// How many changes were dropped: the number of the first one in `changes`.
    dropped: u64,
    /// The ring has all changes after this revision.
    floor: u64,
    weight: usize,
    most: usize,
}

/// What follows in a ring.
pub(super) enum Next<V> {
    Change(Arc<Change<V>>),
    NotYet,
    /// It was there, and is not any more.
    Dropped,
}

impl<V> Ring<V> {
    /// An empty ring for the changes after a revision.
    pub(super) fn new(most: usize, floor: u64) -> Self {
        Self { changes: VecDeque::new(), dropped: 0, floor, weight: 0, most }
    }

    /// Adds a change, and drops the oldest ones if all weigh too much. The newest one stays, whatever it weighs.
    pub(super) fn push(&mut self, change: Arc<Change<V>>) {
        self.weight += weight(&change);
        self.changes.push_back(change);
        while self.weight > self.most && self.changes.len() > 1 {
            let Some(oldest) = self.changes.pop_front() else { break };
            self.weight -= weight(&oldest);
            self.floor = oldest.event.revision;
            self.dropped += 1;
        }
    }

    /// The number of the first change after a revision; `None` if changes after it are dropped, or were never here.
    pub(super) fn after(&self, revision: u64) -> Option<u64> {
        if revision < self.floor {
            return None;
        }
        let older = self.changes.partition_point(|change| change.event.revision <= revision);
        Some(self.dropped + older as u64)
    }

    /// The change of a number.
    pub(super) fn get(&self, number: u64) -> Next<V> {
        let Some(index) = number.checked_sub(self.dropped) else { return Next::Dropped };
        let change = usize::try_from(index).ok().and_then(|index| self.changes.get(index));
        change.map_or(Next::NotYet, |change| Next::Change(Arc::clone(change)))
    }

    /// How many changes there were.
    pub(super) fn count(&self) -> u64 {
        self.dropped + self.changes.len() as u64
    }
}

fn weight<V>(change: &Change<V>) -> usize {
    let of = |side: &Option<KeyValue>| side.as_ref().map_or(0, |side| side.value.len() * FORMS);
    CHANGE + of(&change.event.current) + of(&change.event.previous)
}
