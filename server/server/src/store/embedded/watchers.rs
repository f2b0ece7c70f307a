//! Tells the watches of commits: only those whose keys were written, because every write would wake every watch otherwise.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::Notify;

/// The watches of a store, and up to where it has come.
pub(super) struct Watchers {
    committed: AtomicU64,
    is_closed: AtomicBool,
    all: Mutex<Vec<Weak<Watcher>>>,
    /// Tells of every commit.
    advanced: Notify,
}

/// What a watch is told.
pub(super) struct Watcher {
    /// Of which keys.
    pub(super) prefix: Vec<u8>,
    /// The revision of the first write that the watch has not taken notice of; 0 if there is none.
    news: AtomicU64,
    bell: Notify,
}

impl Watchers {
    /// No watches, of a store at a revision.
    pub(super) fn at(revision: u64) -> Self {
        Self {
            committed: AtomicU64::new(revision),
            is_closed: AtomicBool::new(false),
            all: Mutex::default(),
            advanced: Notify::new(),
        }
    }

    /// The newest revision. Watches know of all writes up to it.
    pub(super) fn committed(&self) -> u64 {
        self.committed.load(Ordering::Acquire)
    }

    /// Waits until watches know of all writes up to a revision, or there are no more writes.
    pub(super) async fn reach(&self, revision: u64) {
        loop {
            // It is told of what comes from here on.
            let advanced = self.advanced.notified();
            if self.committed() >= revision || self.is_closed() {
                return;
            }
            advanced.await;
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// Adds a watch, until it is dropped.
    pub(super) fn add(&self, prefix: Vec<u8>) -> Arc<Watcher> {
        let watcher = Arc::new(Watcher { prefix, news: AtomicU64::new(0), bell: Notify::new() });
        let mut all = self.all();
        all.retain(|watcher| watcher.strong_count() > 0);
        all.push(Arc::downgrade(&watcher));
        watcher
    }

    /// Tells of writes, in the order of their revisions, and that the store is at `revision` now.
    pub(super) fn tell(&self, writes: &[(u64, &[u8])], revision: u64) {
        let all = self.all();
        let watchers = || all.iter().filter_map(Weak::upgrade);
        let touched = |watcher: &Watcher| writes.iter().find(|(_, key)| key.starts_with(&watcher.prefix));
        // Whoever sees the new revision has to see the news.
        let told: Vec<_> = watchers()
            .filter(|watcher| touched(watcher).is_some_and(|(write, _)| watcher.set_news(*write)))
            .collect();
        self.committed.store(revision, Ordering::Release);
        drop(all);
        told.iter().for_each(|watcher| watcher.bell.notify_one());
        self.advanced.notify_waiters();
    }

    /// Tells that the store is at `revision` now, and that nobody knows what was written before.
    pub(super) fn tell_anything(&self, revision: u64) {
        let first = self.committed() + 1;
        let all = self.all();
        for watcher in all.iter().filter_map(Weak::upgrade) {
            watcher.set_news(first);
            watcher.bell.notify_one();
        }
        self.committed.store(revision, Ordering::Release);
        self.advanced.notify_waiters();
    }

    /// Tells that there will be no more writes.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.all().iter().filter_map(Weak::upgrade).for_each(|watcher| watcher.bell.notify_one());
        self.advanced.notify_waiters();
    }

    fn all(&self) -> MutexGuard<'_, Vec<Weak<Watcher>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watcher {
    /// Sets the first write, unless there is an earlier one. Returns whether there was none.
    fn set_news(&self, first: u64) -> bool {
        self.news.compare_exchange(0, first, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    pub(super) fn has_news(&self) -> bool {
        self.news.load(Ordering::Acquire) != 0
    }

    /// The revision of the first write since the last call.
    pub(super) fn take_news(&self) -> Option<u64> {
        match self.news.swap(0, Ordering::AcqRel) {
            0 => None,
            first => Some(first),
        }
    }

    /// Waits for news, or for the end of the store. It may end for neither.
    pub(super) async fn wait(&self) {
        self.bell.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watch_is_told_of_the_first_write_of_its_keys() {
        let watchers = Watchers::at(4);
        let (a, b) = (watchers.add(b"a/".to_vec()), watchers.add(b"b/".to_vec()));
        watchers.tell(&[(5, b"b/x"), (6, b"a/x"), (7, b"a/y")], 7);
        watchers.tell(&[(8, b"a/z")], 8);
        assert_eq!(watchers.committed(), 8);
        assert_eq!((a.take_news(), b.take_news()), (Some(6), Some(5)));
        assert_eq!((a.take_news(), b.take_news()), (None, None));
        watchers.tell(&[(9, b"c/x")], 9);
        assert!(!a.has_news() && !b.has_news());
    }

    /// After a failure it is not known which writes took effect.
    #[test]
    fn anything_is_news_for_all() {
        let watchers = Watchers::at(4);
        let watcher = watchers.add(b"a/".to_vec());
        watchers.tell_anything(9);
        assert_eq!((watchers.committed(), watcher.take_news()), (9, Some(5)));
    }

    #[tokio::test]
    async fn who_waits_is_woken() {
        let watchers = Watchers::at(1);
        let watcher = watchers.add(b"a/".to_vec());
        watchers.tell(&[(2, b"a/x")], 2);
        // Before it waits.
        watcher.wait().await;
        watchers.close();
        watcher.wait().await;
        assert!(watchers.is_closed());
    }

    #[test]
    fn dropped_watches_are_forgotten() {
        let watchers = Watchers::at(1);
        drop(watchers.add(Vec::new()));
        let _watcher = watchers.add(Vec::new());
        assert_eq!(watchers.all().len(), 1);
    }
}
