//! The operations of the store on each library. There are two tables: revision → event, and (key,
//! revision) → nothing. A write looks up the current revision, adds to both tables, and is synced
//! with the rest of its transaction.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode, Readable, Snapshot};
use hubgen_server::store::{Embedded, ListRequest, Options, Store};
use redb::{ReadableDatabase, ReadableTable, TableDefinition};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

/// Memory for each library's own cache.
const CACHE_BYTES: usize = 128 << 20;

#[derive(Clone)]
pub struct Write {
    pub key: Vec<u8>,
    pub value: Vec<u8>,
}

pub trait Engine: Sync {
    fn open(dir: &Path) -> Self;
    /// Commits one transaction, which is on disk when this returns.
    fn commit(&self, writes: &[Write]);
    /// The current value of a key that exists.
    fn get(&self, key: &[u8]) -> Vec<u8>;
    /// The current values of the keys with a prefix.
    fn list(&self, prefix: &[u8]) -> Vec<Vec<u8>>;
    /// Removes all values that are not current.
    fn drop_history(&self);
    /// Commits writes from many clients. Each waits for its write before it sends the next. Returns
    /// the total time.
    fn commit_from_many(&self, clients: usize, writes: Vec<Write>) -> Duration {
        super::commit_in_groups(self, clients, writes)
    }
}

const EVENTS: TableDefinition<u64, (&[u8], u64, &[u8])> = TableDefinition::new("events");
const KEYS: TableDefinition<(&[u8], u64), ()> = TableDefinition::new("keys");

pub struct Redb {
    database: redb::Database,
    quick_repair: bool,
}

impl Redb {
    fn with(dir: &Path, quick_repair: bool) -> Self {
        std::fs::create_dir_all(dir).unwrap();
        let mut builder = redb::Builder::new();
        let database = builder.set_cache_size(CACHE_BYTES).create(dir.join("redb")).unwrap();
        Redb { database, quick_repair }
    }

    fn latest(keys: &impl ReadableTable<(&'static [u8], u64), ()>, key: &[u8]) -> Option<u64> {
        let entry = keys.range((key, 0)..=(key, u64::MAX)).unwrap().next_back()?;
        Some(entry.unwrap().0.value().1)
    }
}

impl Engine for Redb {
    fn open(dir: &Path) -> Self {
        Redb::with(dir, false)
    }

    fn commit(&self, writes: &[Write]) {
        let mut transaction = self.database.begin_write().unwrap();
        transaction.set_quick_repair(self.quick_repair);
        {
            let mut events = transaction.open_table(EVENTS).unwrap();
            let mut keys = transaction.open_table(KEYS).unwrap();
            let mut revision = events.last().unwrap().map_or(1, |(revision, _)| revision.value());
            for Write { key, value } in writes {
                let previous = Redb::latest(&keys, key).unwrap_or_default();
                revision += 1;
                events.insert(revision, (&key[..], previous, &value[..])).unwrap();
                keys.insert((&key[..], revision), ()).unwrap();
            }
        }
        transaction.commit().unwrap();
    }

    fn get(&self, key: &[u8]) -> Vec<u8> {
        let transaction = self.database.begin_read().unwrap();
        let revision = Redb::latest(&transaction.open_table(KEYS).unwrap(), key).unwrap();
        let events = transaction.open_table(EVENTS).unwrap();
        events.get(revision).unwrap().unwrap().value().2.to_vec()
    }

    fn list(&self, prefix: &[u8]) -> Vec<Vec<u8>> {
        let transaction = self.database.begin_read().unwrap();
        let keys = transaction.open_table(KEYS).unwrap();
        let events = transaction.open_table(EVENTS).unwrap();
        let mut current = Current::default();
        for entry in keys.range((prefix, 0)..).unwrap() {
            let (entry, ()) = entry.map(|(key, value)| (key, value.value())).unwrap();
            let (key, revision) = entry.value();
            if !key.starts_with(prefix) {
                break;
            }
            current.see(key, revision);
        }
        let value = |revision| events.get(revision).unwrap().unwrap().value().2.to_vec();
        current.revisions().map(value).collect()
    }

    fn drop_history(&self) {
        let mut transaction = self.database.begin_write().unwrap();
        transaction.set_quick_repair(self.quick_repair);
        {
            let mut events = transaction.open_table(EVENTS).unwrap();
            let mut keys = transaction.open_table(KEYS).unwrap();
            let mut replaced = Vec::new();
            for event in events.iter().unwrap() {
                let event = event.unwrap().1;
                let (key, previous, _) = event.value();
                if previous != 0 {
                    replaced.push((key.to_vec(), previous));
                }
            }
            for (key, revision) in replaced {
                events.remove(revision).unwrap();
                keys.remove((&key[..], revision)).unwrap();
            }
        }
        transaction.commit().unwrap();
    }
}

/// redb with quick repair: every commit also writes the data that it needs to open at once after a
/// crash.
pub struct RedbQuickRepair(Redb);

impl Engine for RedbQuickRepair {
    fn open(dir: &Path) -> Self {
        RedbQuickRepair(Redb::with(dir, true))
    }

    fn commit(&self, writes: &[Write]) {
        self.0.commit(writes);
    }

    fn get(&self, key: &[u8]) -> Vec<u8> {
        self.0.get(key)
    }

    fn list(&self, prefix: &[u8]) -> Vec<Vec<u8>> {
        self.0.list(prefix)
    }

    fn drop_history(&self) {
        self.0.drop_history();
    }
}

pub struct Fjall {
    database: Database,
    events: Keyspace,
    keys: Keyspace,
    revision: AtomicU64,
}

impl Fjall {
    fn latest(&self, snapshot: &Snapshot, key: &[u8]) -> Option<u64> {
        let range = suffixed(key, 0)..=suffixed(key, u64::MAX);
        let entry = snapshot.range(&self.keys, range).next_back()?;
        Some(revision_of(&entry.key().unwrap()))
    }

    /// The event's value, after the previous revision, and its key, after its length.
    fn event(key: &[u8], previous: u64, value: &[u8]) -> Vec<u8> {
        let length = (key.len() as u32).to_be_bytes();
        [&previous.to_be_bytes(), &length[..], key, value].concat()
    }

    fn split(event: &[u8]) -> (u64, &[u8], &[u8]) {
        let length = u32::from_be_bytes(event[8..12].try_into().unwrap()) as usize;
        let previous = u64::from_be_bytes(event[..8].try_into().unwrap());
        (previous, &event[12..12 + length], &event[12 + length..])
    }
}

impl Engine for Fjall {
    fn open(dir: &Path) -> Self {
        let database = Database::builder(dir).cache_size(CACHE_BYTES as u64).open().unwrap();
        let events = database.keyspace("events", KeyspaceCreateOptions::default).unwrap();
        let keys = database.keyspace("keys", KeyspaceCreateOptions::default).unwrap();
        let last = events.last_key_value().map(|entry| revision_of(&entry.key().unwrap()));
        Fjall { database, events, keys, revision: AtomicU64::new(last.unwrap_or(1)) }
    }

    fn commit(&self, writes: &[Write]) {
        let snapshot = self.database.snapshot();
        let mut batch = self.database.batch().durability(Some(PersistMode::SyncData));
        for Write { key, value } in writes {
            let previous = self.latest(&snapshot, key).unwrap_or_default();
            let revision = self.revision.fetch_add(1, Ordering::Relaxed) + 1;
            let event = Fjall::event(key, previous, value);
            batch.insert(&self.events, revision.to_be_bytes(), event);
            batch.insert(&self.keys, suffixed(key, revision), []);
        }
        batch.commit().unwrap();
    }

    fn get(&self, key: &[u8]) -> Vec<u8> {
        let snapshot = self.database.snapshot();
        let revision = self.latest(&snapshot, key).unwrap();
        let event = snapshot.get(&self.events, revision.to_be_bytes()).unwrap().unwrap();
        Fjall::split(&event).2.to_vec()
    }

    fn list(&self, prefix: &[u8]) -> Vec<Vec<u8>> {
        let snapshot = self.database.snapshot();
        let mut current = Current::default();
        for entry in snapshot.prefix(&self.keys, prefix) {
            let entry = entry.key().unwrap();
            current.see(&entry[..entry.len() - 9], revision_of(&entry));
        }
        let value = |revision: u64| {
            let event = snapshot.get(&self.events, revision.to_be_bytes()).unwrap().unwrap();
            Fjall::split(&event).2.to_vec()
        };
        current.revisions().map(value).collect()
    }

    fn drop_history(&self) {
        let mut batch = self.database.batch().durability(Some(PersistMode::SyncData));
        for entry in self.database.snapshot().iter(&self.events) {
            let event = entry.value().unwrap();
            let (previous, key, _) = Fjall::split(&event);
            if previous != 0 {
                batch.remove(&self.events, previous.to_be_bytes());
                batch.remove(&self.keys, suffixed(key, previous));
            }
        }
        batch.commit().unwrap();
    }
}

pub struct Sqlite {
    writer: Mutex<Connection>,
    reader: Mutex<Connection>,
}

impl Sqlite {
    const LATEST: &str = "SELECT revision FROM keys WHERE key = ? ORDER BY revision DESC LIMIT 1";

    fn connect(dir: &Path) -> Mutex<Connection> {
        let connection = Connection::open(dir.join("sqlite")).unwrap();
        let pragmas = format!(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -{}",
            CACHE_BYTES >> 10
        );
        connection.execute_batch(&pragmas).unwrap();
        Mutex::new(connection)
    }

    fn in_transaction(&self, work: impl FnOnce(&Transaction)) {
        let mut connection = self.writer.lock().unwrap();
        let transaction = connection.transaction().unwrap();
        work(&transaction);
        transaction.commit().unwrap();
    }
}

impl Engine for Sqlite {
    fn open(dir: &Path) -> Self {
        std::fs::create_dir_all(dir).unwrap();
        let writer = Sqlite::connect(dir);
        let tables = "
            CREATE TABLE IF NOT EXISTS events
                (revision INTEGER PRIMARY KEY, key BLOB, previous INTEGER, value BLOB);
            CREATE TABLE IF NOT EXISTS keys
                (key BLOB, revision INTEGER, PRIMARY KEY (key, revision)) WITHOUT ROWID;";
        writer.lock().unwrap().execute_batch(tables).unwrap();
        Sqlite { writer, reader: Sqlite::connect(dir) }
    }

    fn commit(&self, writes: &[Write]) {
        self.in_transaction(|transaction| {
            let mut latest = transaction.prepare_cached(Sqlite::LATEST).unwrap();
            let event = "INSERT INTO events (key, previous, value) VALUES (?, ?, ?)";
            let mut event = transaction.prepare_cached(event).unwrap();
            let mut entry = transaction.prepare_cached("INSERT INTO keys VALUES (?, ?)").unwrap();
            for Write { key, value } in writes {
                let previous = latest.query_row([key], |row| row.get(0)).optional().unwrap();
                let previous: i64 = previous.unwrap_or_default();
                let revision = event.insert(params![key, previous, value]).unwrap();
                entry.execute(params![key, revision]).unwrap();
            }
        });
    }

    fn get(&self, key: &[u8]) -> Vec<u8> {
        let connection = self.reader.lock().unwrap();
        let sql = format!("SELECT value FROM events WHERE revision = ({})", Sqlite::LATEST);
        let mut value = connection.prepare_cached(&sql).unwrap();
        value.query_row([key], |row| row.get(0)).unwrap()
    }

    fn list(&self, prefix: &[u8]) -> Vec<Vec<u8>> {
        let connection = self.reader.lock().unwrap();
        let mut end = prefix.to_vec();
        *end.last_mut().unwrap() += 1;
        let sql = "SELECT value FROM events JOIN
            (SELECT max(revision) AS last FROM keys WHERE key >= ? AND key < ? GROUP BY key)
            ON revision = last";
        let mut values = connection.prepare_cached(sql).unwrap();
        let values = values.query_map([prefix, &end], |row| row.get(0)).unwrap();
        values.map(Result::unwrap).collect()
    }

    fn drop_history(&self) {
        self.in_transaction(|transaction| {
            let replaced = "
                DELETE FROM keys WHERE (key, revision) IN
                    (SELECT key, previous FROM events WHERE previous != 0);
                DELETE FROM events WHERE revision IN
                    (SELECT previous FROM events WHERE previous != 0);";
            transaction.execute_batch(replaced).unwrap();
        });
    }
}

/// hubgen's complete store, with its tasks, channels and checks.
pub struct Whole {
    runtime: tokio::runtime::Runtime,
    store: std::sync::Arc<Embedded>,
}

impl Whole {
    async fn put(store: &Embedded, Write { key, value }: Write) {
        let current = store.get(&key).await.unwrap();
        let written = match current {
            None => store.create(key, value).await,
            Some(current) => store.update(key, value, current.mod_revision).await,
        };
        written.unwrap();
    }
}

impl Engine for Whole {
    fn open(dir: &Path) -> Self {
        let options = Options { cache_bytes: CACHE_BYTES, ..Options::default() };
        Whole {
            runtime: tokio::runtime::Runtime::new().unwrap(),
            store: Embedded::open(dir, options).unwrap().into(),
        }
    }

    fn commit(&self, writes: &[Write]) {
        for write in writes {
            self.runtime.block_on(Whole::put(&self.store, write.clone()));
        }
    }

    fn get(&self, key: &[u8]) -> Vec<u8> {
        self.runtime.block_on(self.store.get(key)).unwrap().unwrap().value
    }

    fn list(&self, prefix: &[u8]) -> Vec<Vec<u8>> {
        let request = ListRequest { prefix: prefix.to_vec(), ..ListRequest::default() };
        let page = self.runtime.block_on(self.store.list(request)).unwrap();
        page.items.into_iter().map(|item| item.value).collect()
    }

    fn drop_history(&self) {
        self.runtime.block_on(async {
            let limit = ListRequest { limit: Some(0), ..ListRequest::default() };
            let revision = self.store.list(limit).await.unwrap().revision;
            self.store.compact(revision).await.unwrap();
        });
    }

    fn commit_from_many(&self, clients: usize, writes: Vec<Write>) -> Duration {
        let mut shares = vec![Vec::new(); clients];
        for (i, write) in writes.into_iter().enumerate() {
            shares[i % clients].push(write);
        }
        let start = Instant::now();
        self.runtime.block_on(async {
            let mut clients = tokio::task::JoinSet::new();
            for share in shares {
                let store = self.store.clone();
                clients.spawn(async move {
                    for write in share {
                        Whole::put(&store, write).await;
                    }
                });
            }
            clients.join_all().await;
        });
        start.elapsed()
    }
}

/// Selects the last entry of each key from entries in ascending order of key and revision.
#[derive(Default)]
struct Current {
    key: Vec<u8>,
    revisions: Vec<u64>,
}

impl Current {
    fn see(&mut self, key: &[u8], revision: u64) {
        if key == self.key {
            self.revisions.pop();
        } else {
            self.key = key.to_vec();
        }
        self.revisions.push(revision);
    }

    fn revisions(self) -> impl Iterator<Item = u64> {
        self.revisions.into_iter()
    }
}

/// Encodes a key followed by a revision, so that byte order is the order of both. No key here
/// contains a zero byte.
fn suffixed(key: &[u8], revision: u64) -> Vec<u8> {
    [key, &[0], &revision.to_be_bytes()].concat()
}

fn revision_of(entry: &[u8]) -> u64 {
    u64::from_be_bytes(entry[entry.len() - 8..].try_into().unwrap())
}
