//! Where objects are kept: an ordered map from keys to values with one revision for all of it.
//!
//! A [`Store`] knows nothing of kinds or encodings. Every write raises the revision of the whole
//! store by one and is an [`Event`]; a value carries the revision that wrote it, and the next
//! write must name that revision (compare-and-swap). Lists are snapshots at one revision and
//! watches replay the events after one, as far back as the history reaches. These are etcd's
//! semantics, on which the Kubernetes API rests: the first write to an empty store has revision 2.

mod embedded;
mod error;
#[cfg(test)]
mod tests;

use std::pin::Pin;

pub use embedded::{Embedded, Options};
pub use error::Error;

/// The answer of a store, awaited.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// A key with its value, as one write left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyValue {
    /// The key.
    pub key: Vec<u8>,
    /// The value.
    pub value: Vec<u8>,
    /// The revision of the write that created the key (for the last time, if it was deleted).
    pub create_revision: u64,
    /// The revision of the write that left this value.
    pub mod_revision: u64,
}

/// One write, as a watch reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The revision that the write gave the store. No two events share one.
    pub revision: u64,
    /// The key written.
    pub key: Vec<u8>,
    /// What the write left under the key; `None` if it deleted the key.
    pub current: Option<KeyValue>,
    /// What was there before; `None` if the write created the key.
    pub previous: Option<KeyValue>,
}

/// Which part of the store to list, and as of when.
#[derive(Clone, Debug, Default)]
pub struct ListRequest {
    /// Only keys that start with these bytes. Empty: every key.
    pub prefix: Vec<u8>,
    /// Only keys from this one on: the [`Page::next`] of the page before.
    pub start: Option<Vec<u8>>,
    /// The revision to look at; `None`: the newest.
    pub revision: Option<u64>,
    /// At most so many items; `None`: all of them.
    pub limit: Option<usize>,
    /// Whether to count what is left after them: that visits all keys that are left.
    pub count: bool,
}

/// A part of the store as it was at one revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The revision of the snapshot. The next page must ask for it, and a watch after it misses
    /// nothing.
    pub revision: u64,
    /// The items, ascending by the bytes of their keys.
    pub items: Vec<KeyValue>,
    /// Where the next page starts; `None` if this was the last one.
    pub next: Option<Vec<u8>>,
    /// How many items are left after this page, if that was asked for.
    pub remaining: Option<u64>,
}

/// A transactional store of keys and values.
///
/// A write that was answered with `Ok` is durable and visible to every read that starts after the
/// answer. Dropping an unfinished write's future does not take the write back.
pub trait Store: Send + Sync {
    /// What is under `key` now.
    fn get<'a>(&'a self, key: &'a [u8]) -> Answer<'a, Option<KeyValue>>;

    /// A snapshot of the keys under a prefix.
    ///
    /// # Errors
    /// [`Error::Compacted`] and [`Error::FutureRevision`] if the revision asked for is not at hand.
    fn list(&self, request: ListRequest) -> Answer<'_, Page>;

    /// Puts `value` under `key`, which must not exist. Answers the revision of the write.
    ///
    /// # Errors
    /// [`Error::Conflict`] with what is there if the key exists.
    fn create(&self, key: Vec<u8>, value: Vec<u8>) -> Answer<'_, u64>;

    /// Replaces the value under `key`, whose `mod_revision` must be `expected`. Answers the
    /// revision of the write.
    ///
    /// # Errors
    /// [`Error::Conflict`] with what is there, if anything, when it is not at `expected`.
    fn update(&self, key: Vec<u8>, value: Vec<u8>, expected: u64) -> Answer<'_, u64>;

    /// Deletes `key`, whose `mod_revision` must be `expected`. Answers the revision of the
    /// deletion.
    ///
    /// # Errors
    /// [`Error::Conflict`] with what is there, if anything, when it is not at `expected`.
    fn delete(&self, key: Vec<u8>, expected: u64) -> Answer<'_, u64>;

    /// The events on keys under `prefix` with revisions greater than `after`: first those that
    /// happened already, then new ones as they happen.
    ///
    /// # Errors
    /// [`Error::Compacted`] and [`Error::FutureRevision`] if `after` is not at hand.
    fn watch(&self, prefix: Vec<u8>, after: u64) -> Answer<'_, Box<dyn Watch>>;

    /// Forgets every value that was replaced or deleted at or before `revision`. What is current
    /// then stays, so that `revision` itself can still be listed and watched from; older ones
    /// cannot. A revision that is compacted already is no error.
    ///
    /// # Errors
    /// [`Error::FutureRevision`] if the store has not reached `revision`.
    fn compact(&self, revision: u64) -> Answer<'_, ()>;

    /// Whether the store can be used at the moment.
    ///
    /// # Errors
    /// Why not. [`Error::Closed`] if it never can again; other reasons may pass.
    fn check(&self) -> Answer<'_, ()>;
}

/// A running watch. Dropping it ends it.
pub trait Watch: Send {
    /// The next events, at least one, in the order of their revisions: none missing, none twice.
    ///
    /// Dropping the future before it is ready loses no event.
    ///
    /// # Errors
    /// [`Error::Compacted`] if the watch fell so far behind that events it has not delivered are
    /// forgotten, [`Error::Closed`] when the store closed and all its events are delivered.
    fn next(&mut self) -> Answer<'_, Vec<Event>>;

    /// Every event up to this revision has been delivered, or was on other keys: what a bookmark
    /// may promise.
    fn revision(&self) -> u64;
}
