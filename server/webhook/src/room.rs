//! The room for large reviews: bounds how much memory all of them take together.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// The unit of room, in bytes.
const UNIT: usize = 1 << 10;

/// The room for large reviews.
pub(crate) struct Room {
    free: Arc<Semaphore>,
    units: usize,
}

/// The room of one review. Dropping it makes room for others.
pub(crate) struct Place(OwnedSemaphorePermit);

impl Room {
    pub(crate) fn of(bytes: usize) -> Self {
        let units = units(bytes).min(Semaphore::MAX_PERMITS).min(u32::MAX as usize);
        Self { free: Arc::new(Semaphore::new(units)), units }
    }

    /// Takes room for a review, or all of it for a larger one. Reviews get it in the order in which they ask.
    ///
    /// Returns `None` if there is not enough room within `patience`.
    pub(crate) async fn take(&self, bytes: usize, patience: Duration) -> Option<Place> {
        let units = units(bytes).min(self.units) as u32;
        let permit = timeout(patience, Arc::clone(&self.free).acquire_many_owned(units)).await.ok()?;
        Some(Place(permit.expect("nobody closes the semaphore")))
    }

    /// The bytes that reviews take now.
    pub(crate) fn taken(&self) -> usize {
        (self.units - self.free.available_permits()) * UNIT
    }
}

impl Place {
    /// Returns what a review of `bytes` does not need.
    pub(crate) fn shrink(&mut self, bytes: usize) {
        let excess = self.0.num_permits().saturating_sub(units(bytes));
        drop(self.0.split(excess));
    }
}

fn units(bytes: usize) -> usize {
    bytes.div_ceil(UNIT).max(1)
}
