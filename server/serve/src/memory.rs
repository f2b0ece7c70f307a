//! Bounds how much memory the bodies of requests, or their answers, take together.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::TooMany;

/// Bodies and answers up to this size, in bytes, should take no share of a [`Memory`]: the limits on connections and
/// requests bound them.
pub const SMALL: usize = 64 << 10;

/// The unit of memory, in bytes.
const UNIT: usize = 1 << 10;

/// Memory for large bodies or large answers.
#[derive(Clone, Debug)]
pub struct Memory {
    free: Arc<Semaphore>,
    units: usize,
}

/// What one body or answer takes of a [`Memory`]. Dropping it returns it.
#[derive(Debug)]
pub struct Share(OwnedSemaphorePermit);

impl Memory {
    /// Memory of this many bytes, rounded up to a KiB.
    pub fn new(bytes: usize) -> Self {
        let units = units(bytes).min(Semaphore::MAX_PERMITS).min(u32::MAX as usize);
        Self { free: Arc::new(Semaphore::new(units)), units }
    }

    /// Takes some bytes, or all of the memory for more than that. Requests get their shares in the order in which they
    /// ask.
    ///
    /// # Errors
    /// If there is not enough memory within `patience`.
    pub async fn take(&self, bytes: usize, patience: Duration) -> Result<Share, TooMany> {
        let units = units(bytes).min(self.units);
        let units = u32::try_from(units).expect("`new` creates no more units than that");
        let permit = timeout(patience, Arc::clone(&self.free).acquire_many_owned(units)).await;
        permit.map_err(|_| TooMany)?.map(Share).map_err(|_| TooMany)
    }

    /// The bytes that are taken now.
    pub fn taken(&self) -> usize {
        (self.units - self.free.available_permits()) * UNIT
    }
}

impl Share {
    /// Returns what a body of `bytes` does not need.
    pub fn shrink(&mut self, bytes: usize) {
        let excess = self.0.num_permits().saturating_sub(units(bytes));
        drop(self.0.split(excess));
    }
}

fn units(bytes: usize) -> usize {
    bytes.div_ceil(UNIT).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::ZERO;

    #[tokio::test]
    async fn shares_are_taken_shrunk_and_returned() {
        let memory = Memory::new(10 << 10);
        let mut share = memory.take(8 << 10, NOW).await.unwrap();
        assert_eq!(memory.taken(), 8 << 10);
        assert_eq!(memory.take(4 << 10, NOW).await.unwrap_err(), TooMany);
        share.shrink(6000);
        assert_eq!(memory.taken(), 6 << 10);
        let other = memory.take(4 << 10, NOW).await.unwrap();
        drop((share, other));
        assert_eq!(memory.taken(), 0);
    }

    #[tokio::test]
    async fn more_than_all_is_all() {
        let memory = Memory::new(10 << 10);
        let share = memory.take(usize::MAX, NOW).await.unwrap();
        assert_eq!(memory.taken(), 10 << 10);
        drop(share);
    }
}
