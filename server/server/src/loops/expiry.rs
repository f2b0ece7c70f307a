//! Deletes objects of kinds that last for a time only, such as Events.
//!
//! As upstream, where the store does it, nobody is asked: neither finalizers nor admission. The time begins with the last write,
//! and after a restart of the server anew. It is that of the server's clock.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use hubgen_machinery::scalar::Time;
use hubgen_machinery::scheme::Scheme;
use tracing::warn;

use super::record::{Change, Key};
use crate::own::Own;
use crate::store::Error;

/// What expires.
pub(super) struct Expiry {
    own: Own,
    /// For how long it lasts, if not for as long as others of its kind.
    time: Option<Duration>,
    /// Each with its end and the revision of its last write. What was written again is here twice.
    all: BinaryHeap<Reverse<(Time, u64, Key)>>,
}

impl Expiry {
    pub(super) fn new(own: &Own, time: Option<Duration>) -> Self {
        Self { own: own.clone(), time, all: BinaryHeap::new() }
    }

    pub(super) fn forget(&mut self) {
        self.all = BinaryHeap::new();
    }

    /// Notes a change. What is `new_to_us` was there before.
    pub(super) fn note(&mut self, scheme: &Scheme, change: &Change, new_to_us: bool) {
        let Some(new) = &change.new else { return };
        let of_kind = new.entry(scheme).and_then(|entry| entry.behaviour.time_to_live);
        let Some(time) = of_kind.map(|time| self.time.unwrap_or(time)) else { return };
        // The clock may have been set since it was written.
        let written = new.written().filter(|_| !new_to_us);
        let begin = written.unwrap_or_else(|| self.own.backing.environment.now());
        // What lasts beyond all times never ends.
        if let Ok(end) = begin.0.checked_add(time) {
            self.all.push(Reverse((Time(end), new.revision, Key::clone(&change.key))));
        }
    }

    /// Deletes what has expired. Returns whether all of it succeeded.
    pub(super) async fn work(&mut self) -> bool {
        let now = self.own.backing.environment.now();
        while let Some(Reverse((end, revision, key))) = self.all.peek()
            && *end <= now
        {
            match self.own.backing.store.delete(key.to_vec(), *revision).await {
                // It was written again, or is gone.
                Ok(_) | Err(Error::Conflict { .. }) => drop(self.all.pop()),
                Err(Error::Closed) => return false,
                Err(error) => {
                    warn!("what has expired cannot be deleted yet: {error}");
                    return false;
                }
            }
        }
        true
    }

    /// When there will be more.
    pub(super) fn next(&self) -> Option<Time> {
        self.all.peek().map(|Reverse((end, ..))| *end)
    }
}
