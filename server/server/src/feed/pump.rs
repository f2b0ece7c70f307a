//! The task that fills the rings.

use std::sync::Weak;
use std::sync::atomic::Ordering;

use tracing::warn;

use super::{Change, Feeds};
use crate::store::{Error, Event, Watch};

/// Starts the task, which ends when nobody reads any more or the store fails.
pub(super) fn start<V: Default + Send + Sync + 'static>(feeds: Weak<Feeds<V>>, mut watch: Box<dyn Watch>) {
    tokio::spawn(async move {
        loop {
            let next = watch.next().await;
            // A store that nobody has any more ends, and with it the watch.
            let Some(feeds) = feeds.upgrade() else { return };
            match next {
                Ok(events) => {
                    if !feeds.take(events, watch.revision()).await {
                        return;
                    }
                }
                Err(error) => {
                    if !matches!(error, Error::Closed) {
                        warn!("watches end: {error}");
                    }
                    let mut open = feeds.open.lock().await;
                    open.is_pumped = false;
                    // Readers end, and their clients ask again.
                    open.feeds.clear();
                    return;
                }
            }
        }
    });
}

impl<V: Default> Feeds<V> {
    /// Puts events into their rings. Returns whether anybody reads.
    async fn take(&self, events: Vec<Event>, seen: u64) -> bool {
        let mut open = self.open.lock().await;
        open.feeds.retain(|_, source| source.is_read());
        for event in events {
            let source = open.feeds.iter().find(|(prefix, _)| event.key.starts_with(prefix.as_bytes()));
            if let Some((_, source)) = source {
                source.push(Change::new(event));
            }
        }
        let news: Vec<_> = open.feeds.values().filter(|source| source.publish()).collect();
        // Between the two: one that finds this revision finds all changes up to it, and one that is woken finds it.
        self.seen.store(seen, Ordering::Release);
        news.into_iter().for_each(|source| source.news.wake());
        open.is_pumped = !open.feeds.is_empty();
        open.is_pumped
    }
}
