//! The one thread that writes: whatever is waiting becomes one transaction and one fsync.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot, watch};

use super::super::Error;
use super::tables::{Change, Draft};

/// Most requests in one transaction, and most waiting for one.
pub(super) const BATCH: usize = 256;

/// Most events that one request compacts, so that the writes around it need not wait long.
const COMPACT_STEP: u64 = 1_000;

/// Something for the writer to do, and where its answer goes.
pub(super) enum Request {
    /// Answers the revision of the write.
    Write(Change, oneshot::Sender<Result<u64, Error>>),
    /// Compacts towards a revision. Answers how far it got.
    Compact(u64, oneshot::Sender<Result<u64, Error>>),
}

/// The writing half of a store.
pub(super) struct Writer {
    pub(super) database: Arc<redb::Database>,
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
                let (Request::Write(_, reply) | Request::Compact(_, reply)) = request;
                let outcome = match &outcomes {
                    Ok(outcomes) => outcomes[i].clone(),
                    Err(error) => Err(error.clone()),
                };
                // Nobody waits if the caller gave up: the write stands all the same.
                let _ = reply.send(outcome);
            }
        }
    }

    /// Carries out a batch in one transaction. On an error none of it is known to be written.
    pub(super) fn commit(&self, batch: &[Request]) -> Result<Vec<Result<u64, Error>>, Error> {
        let transaction = self.database.begin_write().map_err(redb::Error::from)?;
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

impl Draft<'_> {
    /// The outer error is the storage's and takes the whole batch down.
    fn request(&mut self, request: &Request) -> Result<Result<u64, Error>, redb::Error> {
        match request {
            Request::Write(change, _) => {
                let outcome = self.apply(change)?;
                Ok(outcome.map_err(|current| Error::Conflict { current }))
            }
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
