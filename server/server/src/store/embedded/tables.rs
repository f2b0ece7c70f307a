//! The tables of the database file, and the operations on them.

use std::cell::Cell;
use std::ops::ControlFlow;

use redb::{ReadTransaction, ReadableTable, StorageError, Table, TableDefinition, WriteTransaction};

use super::super::{Change, Error, Event, KeyValue, ListRequest, Page};

/// The version of the layout below. Increase it if a program that only knows the old layout must
/// not open the file.
pub(super) const FORMAT: u64 = 1;

/// The revision of an empty store, as in etcd.
const FIRST_REVISION: u64 = 1;

/// Maps a revision to: key, revision that created the key, revision of the previous write to the
/// key (0 if the key did not exist), value (`None`: deleted).
type EventRow = (&'static [u8], u64, u64, Option<&'static [u8]>);
const EVENTS: TableDefinition<u64, EventRow> = TableDefinition::new("events");

/// Maps a key and a revision to whether the key exists from that revision on. The last entry of a
/// key is its current state; the last entry up to some revision is its state at that revision.
const KEYS: TableDefinition<(&[u8], u64), bool> = TableDefinition::new("keys");

/// Contains one entry for each of the three names below.
const META: TableDefinition<&str, u64> = TableDefinition::new("meta");
const META_FORMAT: &str = "format";
/// The store's revision.
const META_REVISION: &str = "revision";
/// The oldest revision that can be listed or watched.
const META_COMPACTED: &str = "compacted";

/// The number of entries of one key after which a list seeks its last entry instead of visiting
/// all.
const LONG_HISTORY: u32 = 8;

/// The limits of one read of a watch: the events to visit, and the bytes of values to return.
const WATCH_EVENTS: usize = 1_000;
const WATCH_BYTES: usize = 1 << 20;

/// Initialises a new database. Returns the format of one that is already initialised.
pub(super) fn initialise(transaction: &WriteTransaction) -> Result<Option<u64>, redb::Error> {
    let mut meta = transaction.open_table(META)?;
    if let Some(format) = meta.get(META_FORMAT)? {
        return Ok(Some(format.value()));
    }
    meta.insert(META_FORMAT, FORMAT)?;
    meta.insert(META_REVISION, FIRST_REVISION)?;
    meta.insert(META_COMPACTED, FIRST_REVISION)?;
    transaction.open_table(EVENTS)?;
    transaction.open_table(KEYS)?;
    Ok(None)
}

/// Receives a key that exists and the revision of its last write. Returns whether to continue.
type VisitKey<'v> = dyn FnMut(&[u8], u64) -> Result<ControlFlow<()>, redb::Error> + 'v;

/// The store in one read transaction.
pub(super) struct Snapshot {
    events: redb::ReadOnlyTable<u64, EventRow>,
    keys: redb::ReadOnlyTable<(&'static [u8], u64), bool>,
    /// The newest revision.
    pub(super) revision: u64,
    /// The oldest available revision.
    compacted: u64,
    /// The number of entries of `keys` that lists have visited.
    pub(super) visited: Cell<u64>,
}

impl Snapshot {
    pub(super) fn new(transaction: &ReadTransaction) -> Result<Self, redb::Error> {
        let meta = transaction.open_table(META)?;
        Ok(Snapshot {
            events: transaction.open_table(EVENTS)?,
            keys: transaction.open_table(KEYS)?,
            revision: number(&meta, META_REVISION)?,
            compacted: number(&meta, META_COMPACTED)?,
            visited: Cell::new(0),
        })
    }

    /// Fails unless `revision` can be listed and watched.
    pub(super) fn check(&self, revision: u64) -> Result<(), Error> {
        if revision > self.revision {
            return Err(Error::FutureRevision { requested: revision, current: self.revision });
        }
        if revision < self.compacted {
            return Err(Error::Compacted { requested: revision, oldest: self.compacted });
        }
        Ok(())
    }

    pub(super) fn get(&self, key: &[u8]) -> Result<Option<KeyValue>, Error> {
        match latest(&self.keys, key, u64::MAX)? {
            Some((revision, true)) => Ok(Some(stored(&self.events, revision)?)),
            _ => Ok(None),
        }
    }

    pub(super) fn list(&self, request: &ListRequest) -> Result<Page, Error> {
        let revision = request.revision.unwrap_or(self.revision);
        self.check(revision)?;
        let limit = request.limit.unwrap_or(usize::MAX);
        let mut bytes_left = request.bytes.unwrap_or(usize::MAX);
        let start = request.start.as_deref().unwrap_or_default().max(request.prefix.as_slice());

        let mut page = Page { revision, items: Vec::new(), next: None, remaining: None };
        let mut remaining = 0;
        self.live_keys(&request.prefix, start, revision, &mut |key, live_at| {
            if page.items.len() < limit && bytes_left > 0 {
                let stored = stored(&self.events, live_at)?;
                bytes_left = bytes_left.saturating_sub(stored.value.len());
                page.items.push(stored);
                return Ok(ControlFlow::Continue(()));
            }
            page.next.get_or_insert_with(|| key.to_vec());
            remaining += 1;
            Ok(if request.count { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        page.remaining = request.count.then_some(remaining);
        Ok(page)
    }

    /// Visits the keys with a prefix that exist at a revision, from `start` on, each with the
    /// revision of its last write. Past values of a key cost next to nothing.
    fn live_keys(
        &self,
        prefix: &[u8],
        start: &[u8],
        revision: u64,
        visit: &mut VisitKey<'_>,
    ) -> Result<(), redb::Error> {
        let mut start = (start.to_vec(), 0);
        'seek: loop {
            // The entries of one key are adjacent, in ascending order of revisions.
            let (mut key, mut entries, mut live_at) = (Vec::new(), 0, None);
            for entry in self.keys.range((start.0.as_slice(), start.1)..)? {
                self.visited.set(self.visited.get() + 1);
                let (entry, live) = entry?;
                let (entry_key, entry_revision) = entry.value();
                if !entry_key.starts_with(prefix) {
                    break;
                }
                if entry_key != key {
                    if let Some(live_at) = live_at.take()
                        && visit(&key, live_at)?.is_break()
                    {
                        return Ok(());
                    }
                    key.clear();
                    key.extend_from_slice(entry_key);
                    entries = 0;
                }
                entries += 1;
                if entries > LONG_HISTORY {
                    if let Some((live_at, true)) = latest(&self.keys, &key, revision)?
                        && visit(&key, live_at)?.is_break()
                    {
                        return Ok(());
                    }
                    start = (key, u64::MAX);
                    continue 'seek;
                }
                if entry_revision <= revision {
                    live_at = live.value().then_some(entry_revision);
                }
            }
            // This is the last key, so the visitor's result does not matter.
            return live_at.map_or(Ok(()), |live_at| visit(&key, live_at).map(|_| ()));
        }
    }

    /// Returns a batch of the events after `seen` on keys with `prefix`, and the revision up to
    /// which the batch is complete.
    pub(super) fn events_after(&self, prefix: &[u8], seen: u64) -> Result<(Vec<Event>, u64), Error> {
        self.check(seen)?;
        let (mut events, mut seen, mut bytes) = (Vec::new(), seen, 0);
        let rows = self.events.range(seen + 1..).map_err(redb::Error::from)?;
        for row in rows.take(WATCH_EVENTS) {
            let (revision, row) = row.map_err(redb::Error::from)?;
            let revision = revision.value();
            let (key, create_revision, previous, value) = row.value();
            if key.starts_with(prefix) {
                let current = value.map(|value| KeyValue {
                    key: key.to_vec(),
                    value: value.to_vec(),
                    create_revision,
                    mod_revision: revision,
                });
                let previous = match previous {
                    0 => None,
                    previous => Some(stored(&self.events, previous)?),
                };
                bytes += value.map_or(0, <[u8]>::len);
                bytes += previous.as_ref().map_or(0, |previous| previous.value.len());
                events.push(Event { revision, key: key.to_vec(), current, previous });
            }
            seen = revision;
            if bytes >= WATCH_BYTES {
                break;
            }
        }
        Ok((events, seen))
    }
}

/// A write: sets `key` to `value` (`None`: deletes it) if it is at revision `expected` (`None`: if
/// it does not exist).
pub(super) struct Row {
    pub(super) key: Vec<u8>,
    pub(super) value: Option<Vec<u8>>,
    pub(super) expected: Option<u64>,
}

impl From<Change> for Row {
    fn from(change: Change) -> Self {
        match change {
            Change::Create { key, value } => Self { key, value: Some(value), expected: None },
            Change::Update { key, value, expected } => {
                Self { key, value: Some(value), expected: Some(expected) }
            }
            Change::Delete { key, expected } => Self { key, value: None, expected: Some(expected) },
        }
    }
}

/// The store in one write transaction.
pub(super) struct Draft<'a> {
    events: Table<'a, u64, EventRow>,
    keys: Table<'a, (&'static [u8], u64), bool>,
    meta: Table<'a, &'static str, u64>,
    pub(super) revision: u64,
    pub(super) compacted: u64,
}

impl<'a> Draft<'a> {
    pub(super) fn new(transaction: &'a WriteTransaction) -> Result<Self, redb::Error> {
        let meta = transaction.open_table(META)?;
        Ok(Draft {
            events: transaction.open_table(EVENTS)?,
            keys: transaction.open_table(KEYS)?,
            revision: number(&meta, META_REVISION)?,
            compacted: number(&meta, META_COMPACTED)?,
            meta,
        })
    }

    /// Applies one change and returns its revision, or returns the current value if the change
    /// conflicts.
    pub(super) fn apply(&mut self, row: &Row) -> Result<Result<u64, Option<Box<KeyValue>>>, redb::Error> {
        let latest = latest(&self.keys, &row.key, u64::MAX)?;
        let current = latest.and_then(|(revision, live)| live.then_some(revision));
        if current != row.expected {
            let current = current.map(|revision| stored(&self.events, revision)).transpose()?;
            return Ok(Err(current.map(Box::new)));
        }
        self.revision += 1;
        let key = row.key.as_slice();
        let (create_revision, previous) = match current {
            Some(previous) => (event(&self.events, previous)?.value().1, previous),
            None => (self.revision, 0),
        };
        let value = row.value.as_deref();
        self.events.insert(self.revision, (key, create_revision, previous, value))?;
        self.keys.insert((key, self.revision), value.is_some())?;
        Ok(Ok(self.revision))
    }

    /// Increases the oldest available revision to `oldest`, which must not be in the future.
    ///
    /// Visits only the events after the last compaction. It removes the value that each one
    /// replaced, and the event itself if it is a deletion.
    pub(super) fn compact(&mut self, oldest: u64) -> Result<(), redb::Error> {
        while self.compacted < oldest {
            self.compacted += 1;
            let row = event(&self.events, self.compacted)?;
            let (key, _, previous, value) = row.value();
            let (key, deleted) = (key.to_vec(), value.is_none());
            drop(row);
            if previous != 0 {
                self.forget(&key, previous)?;
            }
            if deleted {
                self.forget(&key, self.compacted)?;
            }
        }
        Ok(())
    }

    fn forget(&mut self, key: &[u8], revision: u64) -> Result<(), redb::Error> {
        self.events.remove(revision)?;
        self.keys.remove((key, revision))?;
        Ok(())
    }

    /// Writes both revisions. A transaction must not be committed without this.
    pub(super) fn finish(mut self) -> Result<(), redb::Error> {
        self.meta.insert(META_REVISION, self.revision)?;
        self.meta.insert(META_COMPACTED, self.compacted)?;
        Ok(())
    }
}

fn number(meta: &impl ReadableTable<&'static str, u64>, name: &'static str) -> Result<u64, redb::Error> {
    match meta.get(name)? {
        Some(number) => Ok(number.value()),
        None => Err(redb::Error::Corrupted(format!("the store has no entry {name:?}"))),
    }
}

/// The revision of the last write to `key` up to `revision`, and whether the key exists after it.
fn latest(
    keys: &impl ReadableTable<(&'static [u8], u64), bool>,
    key: &[u8],
    revision: u64,
) -> Result<Option<(u64, bool)>, redb::Error> {
    let Some(entry) = keys.range((key, 0)..=(key, revision))?.next_back() else {
        return Ok(None);
    };
    let (entry, live) = entry?;
    Ok(Some((entry.value().1, live.value())))
}

fn event(
    events: &impl ReadableTable<u64, EventRow>,
    revision: u64,
) -> Result<redb::AccessGuard<'_, EventRow>, StorageError> {
    events
        .get(revision)?
        .ok_or_else(|| StorageError::Corrupted(format!("the store has no event at revision {revision}")))
}

/// The value that the write at `revision` wrote. The write must not be a deletion.
fn stored(events: &impl ReadableTable<u64, EventRow>, revision: u64) -> Result<KeyValue, redb::Error> {
    let row = event(events, revision)?;
    let (key, create_revision, _, value) = row.value();
    let Some(value) = value else {
        return Err(redb::Error::Corrupted(format!("the event at revision {revision} is a deletion")));
    };
    Ok(KeyValue { key: key.to_vec(), value: value.to_vec(), create_revision, mod_revision: revision })
}

#[cfg(test)]
mod tests {
    use super::super::super::Store;
    use super::super::{Embedded, Options};
    use super::*;

    /// The cost of a page depends on its own items only, not on the keys before and after it or on
    /// the history.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_page_visits_few_keys() {
        let store = Embedded::in_memory(Options::default()).unwrap();
        let mut revision = store.create(b"/a/0500".to_vec(), b"1".to_vec()).await.unwrap();
        let first = revision;
        for _ in 0..3_000 {
            revision = store.update(b"/a/0500".to_vec(), b"2".to_vec(), revision).await.unwrap();
        }
        for key in (0..1_000).filter(|key| *key != 500) {
            store.create(format!("/a/{key:04}").into(), b"1".to_vec()).await.unwrap();
        }
        let snapshot = store.handle.snapshot().unwrap();
        let list = |start: &str, revision, count| {
            let before = snapshot.visited.get();
            let start = Some(start.into());
            let request =
                ListRequest { prefix: b"/a/".to_vec(), start, revision, limit: Some(10), bytes: None, count };
            let page = snapshot.list(&request).unwrap();
            (page, snapshot.visited.get() - before)
        };
        let (page, visited) = list("/a/0495", None, false);
        assert_eq!((page.items.len(), page.next, page.remaining), (10, Some(b"/a/0505".to_vec()), None));
        assert_eq!((&*page.items[5].value, page.items[5].mod_revision), (&b"2"[..], revision));
        assert!(visited < 40, "{visited} entries for 10 keys");
        let (page, visited) = list("/a/0495", None, true);
        assert_eq!((page.items.len(), page.remaining), (10, Some(495)));
        assert!(visited < 600, "{visited} entries for 505 keys");
        // The same at an old revision, when only the first value of one key existed.
        let (page, visited) = list("", Some(first), true);
        assert_eq!((page.items.len(), &*page.items[0].value, page.remaining), (1, &b"1"[..], Some(0)));
        assert!(visited < 1_100, "{visited} entries for 1,000 keys");
    }
}
