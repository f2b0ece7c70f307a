//! The store of objects: an ordered map from keys to values, with one revision for the whole map.
//!
//! A [`Store`] is independent of kinds and encodings. Every write increases the revision of the
//! whole store by one and is an [`Event`]. A value carries the revision of the write that left it,
//! and the next write must specify that revision (compare-and-swap). Lists are snapshots at one
//! revision. Watches return the events after a revision. Both reach back as far as the history.
//! These are etcd's semantics, on which the Kubernetes API relies: the first write to an empty
//! store has revision 2.

mod embedded;
mod error;
#[cfg(test)]
mod tests;

use std::pin::Pin;

pub use embedded::{Embedded, Options};
pub use error::Error;

/// The future of a store operation.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// A key with the value of one write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyValue {
    /// The key.
    pub key: Vec<u8>,
    /// The value.
    pub value: Vec<u8>,
    /// The revision of the write that created the key (for the last time, if it was deleted in
    /// between).
    pub create_revision: u64,
    /// The revision of the write that wrote this value.
    pub mod_revision: u64,
}

/// One write, as a watch reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The revision of the write. No two events have the same revision.
    pub revision: u64,
    /// The key written.
    pub key: Vec<u8>,
    /// The new value of the key; `None` if the write deleted the key.
    pub current: Option<KeyValue>,
    /// The previous value; `None` if the write created the key.
    pub previous: Option<KeyValue>,
}

/// One of several writes, each of which fails or not as the [method](Store) of its name does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Creates a key.
    Create {
        /// The key.
        key: Vec<u8>,
        /// Its value.
        value: Vec<u8>,
    },
    /// Replaces the value of a key.
    Update {
        /// The key.
        key: Vec<u8>,
        /// Its new value.
        value: Vec<u8>,
        /// The revision at which the key is expected.
        expected: u64,
    },
    /// Deletes a key.
    Delete {
        /// The key.
        key: Vec<u8>,
        /// The revision at which the key is expected.
        expected: u64,
    },
}

impl Change {
    /// The key that it writes.
    pub fn key(&self) -> &[u8] {
        let (Self::Create { key, .. } | Self::Update { key, .. } | Self::Delete { key, .. }) = self;
        key
    }
}

/// The keys to list, and the revision.
#[derive(Clone, Debug, Default)]
pub struct ListRequest {
    /// Lists only keys that start with these bytes. Empty: every key.
    pub prefix: Vec<u8>,
    /// Lists only keys from this one on: the [`Page::next`] of the previous page.
    pub start: Option<Vec<u8>>,
    /// The revision to list; `None`: the newest.
    pub revision: Option<u64>,
    /// The maximum number of items; `None`: all of them.
    pub limit: Option<usize>,
    /// With how many bytes of values a page ends, however few items it has; the last one may exceed them. `None`: only
    /// `limit` counts.
    pub bytes: Option<usize>,
    /// Whether to count the items after this page. This visits all of their keys.
    pub count: bool,
}

/// A part of the store as it was at one revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The revision of the snapshot. Use it to request the next page, and to start a watch that
    /// misses nothing.
    pub revision: u64,
    /// The items, ascending by the bytes of their keys.
    pub items: Vec<KeyValue>,
    /// Where the next page starts; `None` if this was the last one.
    pub next: Option<Vec<u8>>,
    /// The number of items after this page, if the request asked for it.
    pub remaining: Option<u64>,
}

/// A transactional store of keys and values.
///
/// A write that returned `Ok` is durable, and visible to every read that starts afterwards.
/// Dropping the future of an unfinished write does not cancel the write.
pub trait Store: Send + Sync {
    /// Returns the current value of `key`.
    fn get<'a>(&'a self, key: &'a [u8]) -> Answer<'a, Option<KeyValue>>;

    /// Returns a snapshot of the keys with a prefix.
    ///
    /// # Errors
    /// [`Error::Compacted`] and [`Error::FutureRevision`] if the requested revision is not
    /// available.
    fn list(&self, request: ListRequest) -> Answer<'_, Page>;

    /// Creates `key` with `value`. The key must not exist. Returns the revision of the write.
    ///
    /// # Errors
    /// [`Error::Conflict`] with the current value if the key exists.
    fn create(&self, key: Vec<u8>, value: Vec<u8>) -> Answer<'_, u64>;

    /// Replaces the value of `key`, whose `mod_revision` must be `expected`. Returns the revision
    /// of the write.
    ///
    /// # Errors
    /// [`Error::Conflict`] with the current value, if any, if the key is not at `expected`.
    fn update(&self, key: Vec<u8>, value: Vec<u8>, expected: u64) -> Answer<'_, u64>;

    /// Deletes `key`, whose `mod_revision` must be `expected`. Returns the revision of the
    /// deletion.
    ///
    /// # Errors
    /// [`Error::Conflict`] with the current value, if any, if the key is not at `expected`.
    fn delete(&self, key: Vec<u8>, expected: u64) -> Answer<'_, u64>;

    /// Makes changes, each as the method of its name does, in as few transactions as the store can. Returns what became of each,
    /// in the same order. By default they are made one after the other.
    fn write_all(&self, changes: Vec<Change>) -> Answer<'_, Vec<Result<u64, Error>>> {
        Box::pin(async move {
            let mut written = Vec::with_capacity(changes.len());
            for change in changes {
                written.push(match change {
                    Change::Create { key, value } => self.create(key, value).await,
                    Change::Update { key, value, expected } => self.update(key, value, expected).await,
                    Change::Delete { key, expected } => self.delete(key, expected).await,
                });
            }
            Ok(written)
        })
    }

    /// Watches the events after revision `after` on keys with `prefix`: first past events, then new
    /// ones as they happen.
    ///
    /// # Errors
    /// [`Error::Compacted`] and [`Error::FutureRevision`] if `after` is not available.
    fn watch(&self, prefix: Vec<u8>, after: u64) -> Answer<'_, Box<dyn Watch>>;

    /// Removes every value that was replaced or deleted at or before `revision`. The values that
    /// are current at `revision` remain, so `revision` itself can still be listed and watched;
    /// older revisions cannot. Compacting a compacted revision is no error.
    ///
    /// # Errors
    /// [`Error::FutureRevision`] if the store has not reached `revision`.
    fn compact(&self, revision: u64) -> Answer<'_, ()>;

    /// Checks whether the store is usable now.
    ///
    /// # Errors
    /// The reason why it is not. [`Error::Closed`] is permanent; other errors may be temporary.
    fn check(&self) -> Answer<'_, ()>;
}

/// Reads all values with a prefix as they are at one revision, that many at a time. Returns them with that revision, after which
/// a watch misses nothing.
///
/// # Errors
/// Those of [`Store::list`].
pub(crate) async fn read_all(
    store: &dyn Store,
    prefix: &str,
    page: usize,
) -> Result<(Vec<KeyValue>, u64), Error> {
    let mut found = Vec::new();
    let prefix = prefix.as_bytes().to_vec();
    let mut request = ListRequest { prefix, limit: Some(page), ..ListRequest::default() };
    loop {
        let page = store.list(request.clone()).await?;
        found.extend(page.items);
        let Some(next) = page.next else { return Ok((found, page.revision)) };
        request = ListRequest { start: Some(next), revision: Some(page.revision), ..request };
    }
}

/// A running watch. Dropping it stops it.
pub trait Watch: Send {
    /// Returns the next events, at least one, in the order of their revisions, without gaps or
    /// duplicates.
    ///
    /// Dropping the future before it is ready loses no event.
    ///
    /// # Errors
    /// [`Error::Compacted`] if the watch is so far behind that events it has not returned are
    /// compacted. [`Error::Closed`] after all events if the store is closed.
    fn next(&mut self) -> Answer<'_, Vec<Event>>;

    /// The revision up to which all events on the watched keys have been returned. A bookmark may
    /// report it.
    fn revision(&self) -> u64;

    /// Returns the next events, as [`next`](Self::next), or no events as soon as those up to a revision have been returned. The store
    /// must have been read at that revision: a write can be read a moment before watches know of it.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    fn next_until(&mut self, revision: u64) -> Answer<'_, Vec<Event>>;
}
