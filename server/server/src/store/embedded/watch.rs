//! A watch reads all events from the database, old and new; the writer only notifies it of the
//! newest revision. So there is no transition from history to live events in which an event could
//! be lost or duplicated, and a slow watch uses no memory. Only where it is certain that nothing has happened, the database
//! is not read.

use std::sync::Arc;

use tokio::sync::watch;

use super::super::{Answer, Error, Event, Watch};
use super::handle::Handle;
use super::touched::Touched;

pub(super) struct EventReader {
    pub(super) handle: Arc<Handle>,
    pub(super) prefix: Vec<u8>,
    pub(super) seen: u64,
    pub(super) committed: watch::Receiver<u64>,
    pub(super) touched: Arc<Touched>,
}

impl Watch for EventReader {
    fn next(&mut self) -> Answer<'_, Vec<Event>> {
        Box::pin(async move {
            loop {
                let committed = *self.committed.borrow_and_update();
                if self.seen >= committed {
                    self.committed.changed().await.map_err(|_| Error::Closed)?;
                    continue;
                }
                // Most commits are on other keys.
                if self.touched.is_untouched(&self.prefix, self.seen, committed) {
                    self.seen = committed;
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
