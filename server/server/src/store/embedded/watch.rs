//! A watch reads all events from the database, old and new; the writer only notifies it of writes. So there is no
//! transition from history to live events in which an event could be lost or duplicated, and a slow watch uses no memory.
//! Only where it is certain that nothing has happened, the database is not read.

use std::sync::Arc;

use super::super::{Answer, Error, Event, Watch};
use super::handle::Handle;
use super::watchers::{Watcher, Watchers};

pub(super) struct EventReader {
    handle: Arc<Handle>,
    watchers: Arc<Watchers>,
    own: Arc<Watcher>,
    /// All events up to this revision have been returned.
    seen: u64,
    /// Whether there may be events that have not been returned.
    is_behind: bool,
}

impl EventReader {
    /// A watch of the events after a revision.
    pub(super) fn new(handle: Arc<Handle>, watchers: Arc<Watchers>, prefix: Vec<u8>, after: u64) -> Self {
        let own = watchers.add(prefix);
        let is_behind = after < watchers.committed();
        Self { handle, watchers, own, seen: after, is_behind }
    }

    /// The next events; none if those up to `until` have been returned.
    async fn advance(&mut self, until: Option<u64>) -> Result<Vec<Event>, Error> {
        loop {
            if until.is_some_and(|until| self.revision() >= until) {
                return Ok(Vec::new());
            }
            // No write comes after that.
            let is_closed = self.watchers.is_closed();
            if let Some(first) = self.own.take_news()
                && !self.is_behind
            {
                // What is before it was on other keys, and may be compacted.
                self.seen = self.seen.max(first - 1);
                self.is_behind = true;
            }
            if !self.is_behind {
                if is_closed {
                    return Err(Error::Closed);
                }
                match until {
                    None => self.own.wait().await,
                    Some(until) => tokio::select! {
                        () = self.own.wait() => {}
                        () = self.watchers.reach(until) => {}
                    },
                }
                continue;
            }
            let snapshot = self.handle.snapshot()?;
            let (events, seen) = snapshot.events_after(&self.own.prefix, self.seen)?;
            self.seen = seen;
            self.is_behind = seen < snapshot.revision;
            if !events.is_empty() {
                return Ok(events);
            }
            // Skipping many events on other keys must not block the tasks of this thread.
            tokio::task::yield_now().await;
        }
    }
}

impl Watch for EventReader {
    fn next(&mut self) -> Answer<'_, Vec<Event>> {
        Box::pin(self.advance(None))
    }

    fn next_until(&mut self, revision: u64) -> Answer<'_, Vec<Event>> {
        Box::pin(self.advance(Some(revision)))
    }

    fn revision(&self) -> u64 {
        let committed = self.watchers.committed();
        if self.is_behind || self.own.has_news() { self.seen } else { self.seen.max(committed) }
    }
}
