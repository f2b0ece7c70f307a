//! Tells the readers of a feed that there is more.
//!
//! Readers are woken in the order in which they began to wait, and so in the same order each time. Those of one
//! connection, which mostly began one after the other, are woken together: what the connection needs to send is at hand
//! then, and what they write goes out at once.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::sync::Notify;

use super::End;

/// Who tells. Readers end when it is dropped.
pub(super) struct Teller(Arc<Shared>);

/// A reader that waits.
#[derive(Clone)]
pub(super) struct Listener(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// How many changes there were.
    count: AtomicU64,
    is_closed: AtomicBool,
    told: Notify,
}

impl Teller {
    pub(super) fn new() -> Self {
        Self(Arc::default())
    }

    pub(super) fn listener(&self) -> Listener {
        Listener(Arc::clone(&self.0))
    }

    /// Whether there is a listener.
    pub(super) fn is_heard(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// Counts so many changes. Returns whether there are more than before.
    pub(super) fn count(&self, count: u64) -> bool {
        self.0.count.swap(count, Ordering::AcqRel) != count
    }

    /// Wakes all who wait.
    pub(super) fn wake(&self) {
        self.0.told.notify_waiters();
    }
}

impl Drop for Teller {
    fn drop(&mut self) {
        self.0.is_closed.store(true, Ordering::Release);
        self.0.told.notify_waiters();
    }
}

impl Listener {
    /// Whether there were more changes than this.
    pub(super) fn are_more_than(&self, count: u64) -> bool {
        self.0.count.load(Ordering::Acquire) > count
    }

    /// Waits until there were more changes than this.
    ///
    /// # Errors
    /// If there will be none.
    pub(super) async fn more_than(&self, count: u64) -> Result<(), End> {
        loop {
            let mut told = pin!(self.0.told.notified());
            if let Some(known) = self.known(count) {
                return known;
            }
            // What is told between the two is not missed.
            told.as_mut().enable();
            if let Some(known) = self.known(count) {
                return known;
            }
            told.await;
        }
    }

    /// What is known already.
    fn known(&self, count: u64) -> Option<Result<(), End>> {
        if self.are_more_than(count) {
            return Some(Ok(()));
        }
        self.0.is_closed.load(Ordering::Acquire).then_some(Err(End::Closed))
    }
}
