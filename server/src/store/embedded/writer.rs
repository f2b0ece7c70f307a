//! The one thread that writes: whatever is waiting becomes one transaction and one fsync.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{mpsc, oneshot, watch};

use super::super::Error;
use super::handle::{Handle, ends_database};
use super::tables::{Change, Draft};

/// Most requests in one transaction, and most waiting for one.
pub(super) const BATCH: usize = 256;

/// How long to wait before a database that failed is opened again once more.
const RETRY: Duration = Duration::from_millis(500);

/// Most events that one request compacts, so that the writes around it need not wait long.
const COMPACT_STEP: u64 = 1_000;

/// Something for the writer to do, and where its answer goes.
pub(super) enum Request {
    /// Answers the revision of the write.
    Write(Change, oneshot::Sender<Result<u64, Error>>),
    /// Compacts towards a revision. Answers how far it got.
    Compact(u64, oneshot::Sender<Result<u64, Error>>),
    /// Somebody found that the database has failed.
    Reopen,
}

/// The writing half of a store.
pub(super) struct Writer {
    pub(super) handle: Arc<Handle>,
    /// Tells watches the newest revision that is committed.
    pub(super) committed: watch::Sender<u64>,
    /// How many events to keep at least.
    pub(super) history: u64,
}

impl Writer {
    /// Serves requests until every sender is gone.
    pub(super) fn run(self, mut requests: mpsc::Receiver<Request>) {
        let mut batch = Vec::with_capacity(BATCH);
        while requests.blocking_recv_many(&mut batch, BATCH) > 0 {
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
        }
    }

    /// Opens the database again, however often that takes, and fails what is asked meanwhile. Says
    /// whether it is open: it is not when every sender is gone before.
    fn reopen(&self, requests: &mut mpsc::Receiver<Request>) -> bool {
        let mut told = String::new();
        let mut tell = |text: String| {
            // Once for each reason, however often it is tried.
            if told != text {
                eprintln!("{text}");
                told = text;
            }
        };
        if let Err(error) = self.handle.database() {
            tell(format!("{error}; nothing can be read or written until the store is open again"));
        }
        loop {
            let acknowledged = *self.committed.borrow();
            match self.handle.reopen(acknowledged) {
                Ok(revision) => {
                    // What was not acknowledged may be there all the same.
                    self.committed.send_replace(revision);
                    tell(format!("the store is open again, at revision {revision}"));
                    return true;
                }
                Err(error) => {
                    tell(format!("the store cannot be opened again, still trying: {error}"));
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

    /// Carries out a batch in one transaction. On an error none of it is known to be written.
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
        self.committed.send_replace(after.0);
        Ok(outcomes)
    }
}

impl Request {
    /// Tells the outcome to whoever asked.
    fn answer(self, outcome: Result<u64, Error>) {
        match self {
            // Nobody waits if the caller gave up: the write stands all the same.
            Self::Write(_, reply) | Self::Compact(_, reply) => drop(reply.send(outcome)),
            Self::Reopen => {}
        }
    }
}

impl Draft<'_> {
    /// The outer error is the storage's and takes the whole batch down.
    fn request(&mut self, request: &Request) -> Result<Result<u64, Error>, redb::Error> {
        match request {
            Request::Write(change, _) => {
                let outcome = self.apply(change)?;
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

    /// Compacts what `history` does not cover, about as much as was just written, so that no
    /// batch pays for many before it.
    fn bound_history(&mut self, history: u64, written: u64) -> Result<(), redb::Error> {
        let oldest = self.revision.saturating_sub(history);
        self.compact((self.compacted + 2 * written).min(oldest))
    }
}
