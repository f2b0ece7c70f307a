//! A watch reads all events from the database, old and new; the writer only notifies it of the
//! newest revision. So there is no transition from history to live events in which an event could
//! be lost or duplicated, and a slow watch uses no memory.

use std::sync::Arc;

use tokio::sync::watch;

use super::super::{Answer, Error, Event, Watch};
use super::handle::Handle;

pub(super) struct EventReader {
    pub(super) handle: Arc<Handle>,
    pub(super) prefix: Vec<u8>,
    pub(super) seen: u64,
    pub(super) committed: watch::Receiver<u64>,
}

impl Watch for EventReader {
    fn next(&mut self) -> Answer<'_, Vec<Event>> {
        Box::pin(async move {
            loop {
                if self.seen >= *self.committed.borrow_and_update() {
                    self.committed.changed().await.map_err(|_| Error::Closed)?;
                    continue;
                }
                let (events, seen) = self.handle.snapshot()?.events_after(&self.prefix, self.seen)?;
                self.seen = seen;
                if !events.is_empty() {
                    return Ok(events);
                }
                // Skipping many events on other keys must not block the tasks of this thread.
                tokio::task::yield_now().await;
            }
        })
    }

    fn revision(&self) -> u64 {
        self.seen
    }
}
