//! The writer. Its thread combines all waiting requests into one transaction and one fsync. A write that comes while
//! nothing else is written is committed by who asks for it: then it waits for the disk, and for no other thread.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use tokio::runtime::{self, RuntimeFlavor};
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{mpsc, oneshot};

use super::super::Error;
use super::handle::{Handle, ends_database};
use super::tables::{Draft, Row};
use super::watchers::Watchers;

/// The maximum number of requests in one transaction, and of waiting requests.
pub(super) const BATCH: usize = 256;

/// The pause between attempts to reopen a failed database.
const RETRY: Duration = Duration::from_millis(500);

/// The maximum number of events that one request compacts, so that concurrent writes need not wait
/// long.
const COMPACT_STEP: u64 = 1_000;

/// A request to the writer, with the channel for its result.
pub(super) enum Request {
    /// A write. The result is its revision.
    Write(Row, oneshot::Sender<Result<u64, Error>>),
    /// A step of compaction up to a revision. The result is the compacted revision so far.
    Compact(u64, oneshot::Sender<Result<u64, Error>>),
    /// A reader found that the database has failed.
    Reopen,
}

/// The writer of a store.
pub(super) struct Writer {
    pub(super) handle: Arc<Handle>,
    /// Whom it tells of commits.
    pub(super) watchers: Arc<Watchers>,
    /// The minimum number of events to keep.
    pub(super) history: u64,
    /// Who has it writes.
    turn: Mutex<()>,
    /// How many requests wait for the thread.
    waiting: AtomicUsize,
}

impl Writer {
    pub(super) fn new(handle: Arc<Handle>, revision: u64, history: u64) -> Self {
        let watchers = Arc::new(Watchers::at(revision));
        Self { handle, watchers, history, turn: Mutex::new(()), waiting: AtomicUsize::new(0) }
    }

    /// Commits a write on this thread if nobody writes or waits to write; `Err` gives it back otherwise.
    pub(super) fn commit_alone(&self, row: Row) -> Result<Result<u64, Error>, Row> {
        // A write that passed the waiting ones again and again would keep the thread from its turn. Only the thread
        // reopens a failed database.
        if self.waiting.load(Ordering::Acquire) > 0 || self.handle.is_failed() {
            return Err(row);
        }
        let turn = match self.turn.try_lock() {
            Ok(turn) => turn,
            Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(row),
        };
        let request = Request::Write(row, oneshot::channel().0);
        let outcome = beside_others(|| self.commit(std::slice::from_ref(&request)));
        drop(turn);
        Ok(outcome.and_then(|mut outcomes| outcomes.remove(0)))
    }

    /// Counts a request that waits for the thread, until it has its answer.
    pub(super) fn wait(&self) -> Waiting<'_> {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        Waiting(self)
    }

    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Processes requests until every sender is dropped.
    pub(super) fn run(&self, mut requests: mpsc::Receiver<Request>) {
        let mut batch = Vec::with_capacity(BATCH);
        while requests.blocking_recv_many(&mut batch, BATCH) > 0 {
            let turn = self.turn();
            let outcomes = self.commit(&batch);
            for (i, request) in batch.drain(..).enumerate() {
                let outcome = match &outcomes {
                    Ok(outcomes) => outcomes[i].clone(),
                    Err(error) => Err(error.clone()),
                };
                request.answer(outcome);
            }
            if self.handle.is_failed() && !self.reopen(&mut requests) {
                return;
            }
            drop(turn);
        }
    }

    /// Retries to reopen the database until it succeeds, and fails all requests in the meantime.
    /// Returns `false` if every sender is dropped before.
    fn reopen(&self, requests: &mut mpsc::Receiver<Request>) -> bool {
        let mut last_message = String::new();
        let mut report = |text: String| {
            // Prints each reason once, not on every retry.
            if last_message != text {
                eprintln!("{text}");
                last_message = text;
            }
        };
        if let Err(error) = self.handle.database() {
            report(format!("{error}; all reads and writes fail until the store is reopened"));
        }
        loop {
            let acknowledged = self.watchers.committed();
            match self.handle.reopen(acknowledged) {
                Ok(revision) => {
                    // Writes that were not acknowledged may have taken effect.
                    self.watchers.tell_anything(revision);
                    report(format!("reopened the store at revision {revision}"));
                    return true;
                }
                Err(error) => {
                    report(format!("cannot reopen the store, retrying: {error}"));
                    std::thread::sleep(RETRY);
                    loop {
                        match requests.try_recv() {
                            Ok(request) => request.answer(Err(error.clone())),
                            Err(TryRecvError::Empty) => break,
                            Err(TryRecvError::Disconnected) => return false,
                        }
                    }
                }
            }
        }
    }

    /// Commits a batch in one transaction. After an error it is unknown whether the batch was
    /// written.
    pub(super) fn commit(&self, batch: &[Request]) -> Result<Vec<Result<u64, Error>>, Error> {
        let (database, generation) = self.handle.database()?;
        let outcomes = self.commit_to(&database, batch);
        drop(database);
        if let Err(error) = &outcomes
            && ends_database(error)
        {
            self.handle.fail(generation, error.clone());
        }
        outcomes
    }

    fn commit_to(
        &self,
        database: &redb::Database,
        batch: &[Request],
    ) -> Result<Vec<Result<u64, Error>>, Error> {
        let transaction = database.begin_write().map_err(redb::Error::from)?;
        let mut draft = Draft::new(&transaction)?;
        let before = (draft.revision, draft.compacted);
        let outcomes = batch.iter().map(|request| draft.request(request)).collect::<Result<Vec<_>, _>>()?;
        draft.bound_history(self.history, draft.revision - before.0)?;
        let after = (draft.revision, draft.compacted);
        if after == before {
            drop(draft);
            transaction.abort().map_err(redb::Error::from)?;
            return Ok(outcomes);
        }
        draft.finish()?;
        transaction.commit().map_err(redb::Error::from)?;
        let writes = batch.iter().zip(&outcomes).filter_map(|(request, outcome)| match (request, outcome) {
            (Request::Write(row, _), Ok(revision)) => Some((*revision, &*row.key)),
            _ => None,
        });
        self.watchers.tell(&writes.collect::<Vec<_>>(), after.0);
        Ok(outcomes)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.watchers.close();
    }
}

/// Waits for the disk, while other tasks of this thread go on.
fn beside_others<T>(work: impl FnOnce() -> T) -> T {
    match runtime::Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        // There is no other thread, or no runtime.
        _ => work(),
    }
}

/// A request that waits for the thread.
pub(super) struct Waiting<'a>(&'a Writer);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Request {
    /// Sends the result to the caller.
    fn answer(self, outcome: Result<u64, Error>) {
        match self {
            // The caller may have stopped waiting; its write takes effect anyway.
            Self::Write(_, reply) | Self::Compact(_, reply) => drop(reply.send(outcome)),
            Self::Reopen => {}
        }
    }
}

impl Draft<'_> {
    /// Applies a request. The outer error is a storage error, which fails the whole batch.
    fn request(&mut self, request: &Request) -> Result<Result<u64, Error>, redb::Error> {
        match request {
            Request::Write(row, _) => {
                let outcome = self.apply(row)?;
                Ok(outcome.map_err(|current| Error::Conflict { current }))
            }
            Request::Reopen => Ok(Ok(self.revision)),
            Request::Compact(oldest, _) if *oldest > self.revision => {
                Ok(Err(Error::FutureRevision { requested: *oldest, current: self.revision }))
            }
            Request::Compact(oldest, _) => {
                self.compact((self.compacted + COMPACT_STEP).min(*oldest))?;
                Ok(Ok(self.compacted))
            }
        }
    }

    /// Compacts events beyond `history`, about as many as were just written, so that no batch has
    /// to compact the events of many earlier ones.
    fn bound_history(&mut self, history: u64, written: u64) -> Result<(), redb::Error> {
        let oldest = self.revision.saturating_sub(history);
        self.compact((self.compacted + 2 * written).min(oldest))
    }
}
