//! The newest changes of the store, by family of kinds, shared by all who watch.
//!
//! One task, the pump, reads the events of the whole store and puts each into the [`Ring`] of its family, if anybody
//! reads that. It starts with the first reader and ends after the last. What is made of a change to show it to clients,
//! such as its encoding at a version, is kept beside it, so that it is made once for all readers.
//!
//! Nobody waits for a reader: one that is so slow that the ring has dropped what comes next [has ended](End::TooSlow).

mod news;
mod pump;
mod ring;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::Mutex;

use self::news::{Listener, Teller};
use self::ring::{Next, Ring};
use crate::store::{self, Event, ListRequest, Store};

/// A write, with what is made of it for those who watch.
pub(crate) struct Change<V> {
    pub(crate) event: Event,
    pub(crate) views: V,
}

impl<V: Default> Change<V> {
    pub(crate) fn new(event: Event) -> Arc<Self> {
        Arc::new(Self { event, views: V::default() })
    }
}

/// The feeds of all families.
pub(crate) struct Feeds<V> {
    store: Arc<dyn Store>,
    /// The maximum weight of the changes in one ring.
    most: usize,
    /// Up to which revision all changes are in their rings.
    seen: AtomicU64,
    open: Mutex<Open<V>>,
}

/// The feeds that somebody reads.
struct Open<V> {
    is_pumped: bool,
    feeds: HashMap<String, Source<V>>,
}

/// The writing end of a feed. Its readers end when it is dropped.
struct Source<V> {
    feed: Arc<Feed<V>>,
    news: Teller,
}

/// The newest changes of one family.
struct Feed<V> {
    ring: RwLock<Ring<V>>,
}

/// Reads the changes of a family, from some revision on.
pub(crate) struct Reader<V> {
    feed: Arc<Feed<V>>,
    news: Listener,
    next: u64,
}

/// Why a reader has no more changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The ring has dropped what comes next.
    TooSlow,
    /// The store has failed, or is closed.
    Closed,
}

impl<V: Default + Send + Sync + 'static> Feeds<V> {
    /// The feeds of a store, each with changes of at most this weight.
    pub(crate) fn new(store: Arc<dyn Store>, most: usize) -> Arc<Self> {
        let open = Mutex::new(Open { is_pumped: false, feeds: HashMap::new() });
        Arc::new(Self { store, most, seen: AtomicU64::new(0), open })
    }

    /// Joins the feed of the family whose keys have a prefix. The changes of the ring are read by the
    /// [reader](Joined::reader) of the result.
    ///
    /// # Errors
    /// If the store cannot be watched.
    pub(crate) async fn join(self: &Arc<Self>, prefix: &str) -> Result<Joined<V>, store::Error> {
        let mut open = self.open.lock().await;
        if !open.is_pumped {
            let revision = self.revision().await?;
            let watch = self.store.watch(Vec::new(), revision).await?;
            self.seen.store(revision, Ordering::Release);
            open.is_pumped = true;
            pump::start(Arc::downgrade(self), watch);
        }
        let source = open.feeds.entry(prefix.to_owned()).or_insert_with(|| {
            // Until the lock is released, the pump adds nothing.
            let ring = Ring::new(self.most, self.seen());
            Source { feed: Arc::new(Feed { ring: RwLock::new(ring) }), news: Teller::new() }
        });
        Ok(Joined { feed: Arc::clone(&source.feed), news: source.news.listener() })
    }

    /// Up to which revision readers have seen all changes when they have read what there is.
    pub(crate) fn seen(&self) -> u64 {
        self.seen.load(Ordering::Acquire)
    }

    /// The revision of the store. Any list reports it, so this lists nothing.
    pub(crate) async fn revision(&self) -> Result<u64, store::Error> {
        let nothing = ListRequest { limit: Some(0), ..ListRequest::default() };
        Ok(self.store.list(nothing).await?.revision)
    }
}

/// Somebody who wants to read a feed. As long as there is one, its ring is filled.
pub(crate) struct Joined<V> {
    feed: Arc<Feed<V>>,
    news: Listener,
}

impl<V> Joined<V> {
    /// A reader of the changes after a revision; `None` if the ring does not reach back so far.
    pub(crate) fn reader(&self, revision: u64) -> Option<Reader<V>> {
        let next = self.feed.read(|ring| ring.after(revision))?;
        Some(Reader { feed: Arc::clone(&self.feed), news: self.news.clone(), next })
    }
}

impl<V> Reader<V> {
    /// The next change, if there is one now.
    ///
    /// # Errors
    /// If the reader was too slow.
    pub(crate) fn now(&mut self) -> Result<Option<Arc<Change<V>>>, End> {
        if !self.news.are_more_than(self.next) {
            return Ok(None);
        }
        match self.feed.read(|ring| ring.get(self.next)) {
            Next::Change(change) => {
                self.next += 1;
                Ok(Some(change))
            }
            Next::NotYet => Ok(None),
            Next::Dropped => Err(End::TooSlow),
        }
    }

    /// Waits until there may be a change.
    ///
    /// # Errors
    /// If there will be none.
    pub(crate) async fn wait(&self) -> Result<(), End> {
        self.news.more_than(self.next).await
    }
}

impl<V> Feed<V> {
    fn read<T>(&self, read: impl FnOnce(&Ring<V>) -> T) -> T {
        // Every change of a ring is whole.
        read(&self.ring.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<V> Source<V> {
    /// Adds a change.
    fn push(&self, change: Arc<Change<V>>) {
        let mut ring = self.feed.ring.write().unwrap_or_else(PoisonError::into_inner);
        ring.push(change);
    }

    /// Lets readers find what was added. Returns whether there is something, for which they need to be woken.
    fn publish(&self) -> bool {
        self.news.count(self.feed.read(Ring::count))
    }

    /// Whether somebody may read it.
    fn is_read(&self) -> bool {
        self.news.is_heard()
    }
}

#[cfg(test)]
mod tests;
