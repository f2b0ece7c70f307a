//! Deletes objects of kinds that last for a time only, such as Events.
//!
//! As upstream, where the store does it, nobody is asked: neither finalizers nor admission. The time begins with the last write,
//! and after a restart of the server anew.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use hubgen_machinery::scheme::Scheme;
use tokio::time::Instant;
use tracing::warn;

use super::record::{Change, Key};
use crate::own::Own;
use crate::store::Error;

/// What expires.
pub(super) struct Expiry {
    own: Own,
    /// For how long it lasts, if not for as long as others of its kind.
    time: Option<Duration>,
    /// Each with the revision of its last write. What was written again is here twice.
    all: BinaryHeap<Reverse<(Instant, u64, Key)>>,
}

impl Expiry {
    pub(super) fn new(own: &Own, time: Option<Duration>) -> Self {
        Self { own: own.clone(), time, all: BinaryHeap::new() }
    }

    pub(super) fn forget(&mut self) {
        self.all = BinaryHeap::new();
    }

    /// Notes a change.
    pub(super) fn note(&mut self, scheme: &Scheme, change: &Change) {
        let Some(new) = &change.new else { return };
        let of_kind = new.entry(scheme).and_then(|entry| entry.behaviour.time_to_live);
        if let Some(time) = of_kind.map(|time| self.time.unwrap_or(time)) {
            self.all.push(Reverse((Instant::now() + time, new.revision, Key::clone(&change.key))));
        }
    }

    /// Deletes what has expired. Returns when there will be more.
    pub(super) async fn work(&mut self) -> Option<Instant> {
        loop {
            let Reverse((end, revision, key)) = self.all.peek()?;
            if *end > Instant::now() {
                return Some(*end);
            }
            match self.own.backing.store.delete(key.to_vec(), *revision).await {
                // It was written again, or is gone.
                Ok(_) | Err(Error::Conflict { .. }) => drop(self.all.pop()),
                Err(Error::Closed) => return None,
                Err(error) => {
                    warn!("what has expired cannot be deleted yet: {error}");
                    return Some(Instant::now() + Duration::from_secs(1));
                }
            }
        }
    }
}
