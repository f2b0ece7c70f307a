//! The store inside the process: redb, one writer thread, one transaction per batch of writes.

#[cfg(test)]
mod power_cut;
mod tables;
mod watch;
mod writer;

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use redb::{Builder, Database, DatabaseError, ReadableDatabase, backends};
use tokio::sync::{mpsc, oneshot};

use super::{Answer, Error, KeyValue, ListRequest, Page, Store, Watch};
use tables::{Change, FORMAT, Snapshot};
use writer::{BATCH, Request, Writer};

/// The file inside the data directory.
const FILE: &str = "store.redb";

/// What an operator may want to choose.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many events to keep at least, replaced values and deletions included: how far back a
    /// list can be continued and a watch resumed. Older ones are compacted as new ones come.
    pub history: u64,
    /// How many bytes of the file to hold in memory at most.
    pub cache_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { history: 50_000, cache_bytes: 128 << 20 }
    }
}

/// A [`Store`] in a file of its own, or in memory.
///
/// It needs a tokio runtime around its callers. Dropping it finishes the writes that it was asked
/// for; the file is released once its watches are dropped too.
pub struct Embedded {
    database: Arc<Database>,
    /// `Some` until dropped.
    requests: Option<mpsc::Sender<Request>>,
    committed: tokio::sync::watch::Receiver<u64>,
    /// `Some` until dropped.
    writer: Option<JoinHandle<()>>,
}

impl Embedded {
    /// Opens the store in a directory, which is made if it is missing, readable by its owner only.
    ///
    /// # Errors
    /// [`Error::InUse`] if another process has it open, [`Error::Format`] if another version of
    /// this program wrote it, [`Error::Open`] for whatever else stands in the way.
    pub fn open(data_dir: &Path, options: Options) -> Result<Self, Error> {
        let path = data_dir.join(FILE);
        let cannot_open =
            |source: Arc<dyn std::error::Error + Send + Sync>| Error::Open { path: path.clone(), source };
        let file = open_file(data_dir, &path).map_err(|error| cannot_open(Arc::new(error)))?;
        let database = match builder(options).create_file(file) {
            Ok(database) => database,
            Err(DatabaseError::DatabaseAlreadyOpen) => return Err(Error::InUse { path }),
            Err(error) => return Err(cannot_open(Arc::new(error))),
        };
        let store = Self::over(database, options, &path)?;
        // The file is durable only when the directory's entry for it is.
        sync_directory(data_dir).map_err(|error| cannot_open(Arc::new(error)))?;
        Ok(store)
    }

    /// A new store that lives as long as the process.
    ///
    /// # Errors
    /// [`Error::Open`] if the thread that writes cannot be started.
    pub fn in_memory(options: Options) -> Result<Self, Error> {
        // What is in memory already needs no cache.
        let options = Options { cache_bytes: 1 << 20, ..options };
        Self::over_backend(backends::InMemoryBackend::new(), options)
    }

    fn over_backend(backend: impl redb::StorageBackend, options: Options) -> Result<Self, Error> {
        let path = Path::new("memory");
        let database = builder(options)
            .create_with_backend(backend)
            .map_err(|error| Error::Open { path: path.into(), source: Arc::new(error) })?;
        Self::over(database, options, path)
    }

    fn over(database: Database, options: Options, path: &Path) -> Result<Self, Error> {
        let transaction = database.begin_write().map_err(redb::Error::from)?;
        match tables::initialise(&transaction)? {
            None => transaction.commit().map_err(redb::Error::from)?,
            Some(FORMAT) => transaction.abort().map_err(redb::Error::from)?,
            Some(found) => {
                return Err(Error::Format { path: path.into(), found, expected: FORMAT });
            }
        }

        let database = Arc::new(database);
        let revision = snapshot(&database)?.revision;
        let (requests, receiver) = mpsc::channel(BATCH);
        let (sender, committed) = tokio::sync::watch::channel(revision);
        let writer = Writer { database: database.clone(), committed: sender, history: options.history };
        let writer = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || writer.run(receiver))
            .map_err(|error| Error::Open { path: path.into(), source: Arc::new(error) })?;
        Ok(Embedded { database, requests: Some(requests), committed, writer: Some(writer) })
    }

    async fn ask(
        &self,
        request: impl FnOnce(oneshot::Sender<Result<u64, Error>>) -> Request,
    ) -> Result<u64, Error> {
        let (reply, answer) = oneshot::channel();
        let requests = self.requests.as_ref().ok_or(Error::Closed)?;
        requests.send(request(reply)).await.map_err(|_| Error::Closed)?;
        answer.await.map_err(|_| Error::Closed)?
    }

    fn write(&self, key: Vec<u8>, value: Option<Vec<u8>>, expected: Option<u64>) -> Answer<'_, u64> {
        let change = Change { key, value, expected };
        Box::pin(self.ask(|reply| Request::Write(change, reply)))
    }
}

impl Store for Embedded {
    fn get<'a>(&'a self, key: &'a [u8]) -> Answer<'a, Option<KeyValue>> {
        Box::pin(async move { snapshot(&self.database)?.get(key) })
    }

    fn list(&self, request: ListRequest) -> Answer<'_, Page> {
        let database = self.database.clone();
        Box::pin(async move {
            let list = move || snapshot(&database)?.list(&request);
            tokio::task::spawn_blocking(list).await.map_err(|error| Error::Failed(Arc::new(error)))?
        })
    }

    fn create(&self, key: Vec<u8>, value: Vec<u8>) -> Answer<'_, u64> {
        self.write(key, Some(value), None)
    }

    fn update(&self, key: Vec<u8>, value: Vec<u8>, expected: u64) -> Answer<'_, u64> {
        self.write(key, Some(value), Some(expected))
    }

    fn delete(&self, key: Vec<u8>, expected: u64) -> Answer<'_, u64> {
        self.write(key, None, Some(expected))
    }

    fn watch(&self, prefix: Vec<u8>, after: u64) -> Answer<'_, Box<dyn Watch>> {
        Box::pin(async move {
            snapshot(&self.database)?.check(after)?;
            let watch: Box<dyn Watch> = Box::new(watch::EventReader {
                database: self.database.clone(),
                prefix,
                seen: after,
                committed: self.committed.clone(),
            });
            Ok(watch)
        })
    }

    fn compact(&self, revision: u64) -> Answer<'_, ()> {
        Box::pin(async move {
            while self.ask(|reply| Request::Compact(revision, reply)).await? < revision {}
            Ok(())
        })
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        // The writer ends when the last sender is gone, and the file is released after that.
        self.requests = None;
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

fn builder(options: Options) -> Builder {
    let mut builder = Builder::new();
    builder.set_cache_size(options.cache_bytes);
    builder
}

fn snapshot(database: &Database) -> Result<Snapshot, Error> {
    let transaction = database.begin_read().map_err(redb::Error::from)?;
    Ok(Snapshot::new(&transaction)?)
}

/// Opens the file or makes it. Only its owner may read it: secrets are in it.
fn open_file(data_dir: &Path, path: &Path) -> io::Result<File> {
    let mut directories = fs::DirBuilder::new();
    directories.recursive(true);
    let mut file = fs::OpenOptions::new();
    file.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        directories.mode(0o700);
        file.mode(0o600);
    }
    directories.create(data_dir)?;
    file.open(path)
}

#[cfg(unix)]
fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Elsewhere a directory cannot be opened, and its entries are the file system's business.
#[cfg(not(unix))]
fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}
