//! The embedded store: redb, one writer, and one transaction per batch of writes.

#[cfg(test)]
mod faults;
mod file;
mod handle;
mod memory;
#[cfg(test)]
mod power_cut;
mod tables;
mod watch;
mod watchers;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use futures_util::future::join_all;
use redb::Builder;
use tokio::sync::{mpsc, oneshot};

use super::{Answer, Change, Error, KeyValue, ListRequest, Page, Store, Watch};
use handle::{Handle, Open};
use memory::Memory;
use tables::{Row, Snapshot};
use watch::EventReader;
use writer::{BATCH, Request, Writer};

/// The file inside the data directory.
const FILE: &str = "store.redb";

/// The options of an embedded store.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The minimum number of events to keep, replaced values and deletions included. It limits how
    /// old a continued list or a resumed watch can be. Older events are compacted as new ones are
    /// written.
    pub history: u64,
    /// The maximum number of bytes of the file to cache in memory.
    pub cache_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { history: 50_000, cache_bytes: 128 << 20 }
    }
}

/// A [`Store`] in a file, or in memory.
///
/// Callers must run on a tokio runtime. Dropping the store finishes the writes that were requested;
/// the file is released when its watches are also dropped. After an I/O error the store fails
/// requests and reopens its file until that succeeds; it reports both on standard error.
pub struct Embedded {
    handle: Arc<Handle>,
    /// `Some` until dropped.
    requests: Option<mpsc::Sender<Request>>,
    writer: Arc<Writer>,
    /// The thread of the writer; `Some` until dropped.
    thread: Option<JoinHandle<()>>,
}

impl Embedded {
    /// Opens the store in a directory. A missing directory is created, readable by its owner only.
    ///
    /// # Errors
    /// [`Error::InUse`] if another process has the store open, [`Error::Format`] if another version
    /// of this program wrote it, [`Error::Open`] for all other reasons.
    pub fn open(data_dir: &Path, options: Options) -> Result<Self, Error> {
        let path = data_dir.join(FILE);
        let directory = data_dir.to_owned();
        let opened = path.clone();
        let open = move |is_first: bool| {
            let database = file::open(&directory, &opened, &builder(options), is_first)?;
            if is_first {
                // The file is durable only when its directory entry is.
                file::sync_directory(&directory).map_err(|error| cannot_open(&opened, error))?;
            }
            Ok(database)
        };
        Self::over(Box::new(open), options, &path)
    }

    /// Creates a store in memory.
    ///
    /// # Errors
    /// [`Error::Open`] if the writer thread cannot be started.
    pub fn in_memory(options: Options) -> Result<Self, Error> {
        // Data in memory needs no cache.
        let options = Options { cache_bytes: 1 << 20, ..options };
        // A store in memory does not fail and cannot be reopened.
        Self::over_backend(options, |is_first| is_first.then(Memory::default))
    }

    /// Creates a store on the backend that `open` returns; `None` if it cannot be reopened.
    fn over_backend<B: redb::StorageBackend>(
        options: Options,
        open: impl Fn(bool) -> Option<B> + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let path = Path::new("memory");
        let open = move |is_first: bool| {
            let backend = open(is_first).ok_or(Error::Closed)?;
            builder(options).create_with_backend(backend).map_err(|error| cannot_open(path, error))
        };
        Self::over(Box::new(open), options, path)
    }

    fn over(open: Open, options: Options, path: &Path) -> Result<Self, Error> {
        let (handle, revision) = Handle::new(open, path)?;
        let handle = Arc::new(handle);
        let (requests, receiver) = mpsc::channel(BATCH);
        let writer = Arc::new(Writer::new(handle.clone(), revision, options.history));
        let of_thread = Arc::clone(&writer);
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || of_thread.run(receiver))
            .map_err(|error| cannot_open(path, error))?;
        Ok(Embedded { handle, requests: Some(requests), writer, thread: Some(thread) })
    }

    /// Reads the current store. If the database fails, it is abandoned and the writer reopens it.
    fn read<T>(
        handle: &Handle,
        requests: Option<&mpsc::Sender<Request>>,
        read: impl FnOnce(&Snapshot) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (database, generation) = handle.database()?;
        let outcome = handle::snapshot(&database).and_then(|snapshot| read(&snapshot));
        drop(database);
        if let Err(error) = &outcome
            && handle::ends_database(error)
        {
            handle.fail(generation, error.clone());
            // If the queue is full, the writer finds the failure with its next request; without a
            // writer the store is closed.
            let _ = requests.map(|requests| requests.try_send(Request::Reopen));
        }
        outcome
    }

    async fn ask(
        &self,
        request: impl FnOnce(oneshot::Sender<Result<u64, Error>>) -> Request,
    ) -> Result<u64, Error> {
        let (reply, answer) = oneshot::channel();
        let requests = self.requests.as_ref().ok_or(Error::Closed)?;
        let _waiting = self.writer.wait();
        requests.send(request(reply)).await.map_err(|_| Error::Closed)?;
        answer.await.map_err(|_| Error::Closed)?
    }

    fn write(&self, key: Vec<u8>, value: Option<Vec<u8>>, expected: Option<u64>) -> Answer<'_, u64> {
        let row = Row { key, value, expected };
        Box::pin(async move {
            let row = match self.writer.commit_alone(row) {
                Ok(outcome) => {
                    if self.handle.is_failed()
                        && let Some(requests) = &self.requests
                    {
                        // As when a reader finds it.
                        let _ = requests.try_send(Request::Reopen);
                    }
                    return outcome;
                }
                Err(row) => row,
            };
            self.ask(|reply| Request::Write(row, reply)).await
        })
    }
}

impl Store for Embedded {
    fn get<'a>(&'a self, key: &'a [u8]) -> Answer<'a, Option<KeyValue>> {
        Box::pin(async move { Self::read(&self.handle, self.requests.as_ref(), |now| now.get(key)) })
    }

    fn list(&self, request: ListRequest) -> Answer<'_, Page> {
        let (handle, requests) = (self.handle.clone(), self.requests.clone());
        Box::pin(async move {
            let list = move || Self::read(&handle, requests.as_ref(), |now| now.list(&request));
            tokio::task::spawn_blocking(list).await.map_err(|error| Error::Failed(Arc::new(error)))?
        })
    }

    fn create(&self, key: Vec<u8>, value: Vec<u8>) -> Answer<'_, u64> {
        self.write(key, Some(value), None)
    }

    fn write_all(&self, changes: Vec<Change>) -> Answer<'_, Vec<Result<u64, Error>>> {
        Box::pin(async move {
            // The thread takes all that wait for it into one transaction.
            let written =
                changes.into_iter().map(|change| self.ask(|reply| Request::Write(change.into(), reply)));
            Ok(join_all(written).await)
        })
    }

    fn update(&self, key: Vec<u8>, value: Vec<u8>, expected: u64) -> Answer<'_, u64> {
        self.write(key, Some(value), Some(expected))
    }

    fn delete(&self, key: Vec<u8>, expected: u64) -> Answer<'_, u64> {
        self.write(key, None, Some(expected))
    }

    fn watch(&self, prefix: Vec<u8>, after: u64) -> Answer<'_, Box<dyn Watch>> {
        Box::pin(async move {
            Self::read(&self.handle, self.requests.as_ref(), |now| now.check(after))?;
            let watchers = Arc::clone(&self.writer.watchers);
            let watch: Box<dyn Watch> =
                Box::new(EventReader::new(Arc::clone(&self.handle), watchers, prefix, after));
            Ok(watch)
        })
    }

    fn compact(&self, revision: u64) -> Answer<'_, ()> {
        Box::pin(async move {
            while self.ask(|reply| Request::Compact(revision, reply)).await? < revision {}
            Ok(())
        })
    }

    fn check(&self) -> Answer<'_, ()> {
        Box::pin(async move {
            if self.requests.as_ref().is_none_or(mpsc::Sender::is_closed) {
                return Err(Error::Closed);
            }
            Self::read(&self.handle, self.requests.as_ref(), |_| Ok(()))
        })
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        // The writer ends when the last sender is dropped; the file is released after that.
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn builder(options: Options) -> Builder {
    let mut builder = Builder::new();
    builder.set_cache_size(options.cache_bytes);
    builder
}

fn cannot_open(path: &Path, source: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Open { path: path.into(), source: Arc::new(source) }
}
