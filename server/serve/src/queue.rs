//! Queues of requests: how many of a sort are under way, how many are worked on at a time, and how much memory they take.
//!
//! A handler sorts its requests, reading and writing ones for example, and has a queue for each sort, so that no sort takes
//! from the others. Dropping a permit makes room for the next request.

use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;
use tracing::{Instrument, Span};

/// There is no room for a request now. It should be answered with status 429 and the header
/// [`Retry-After`](TooMany::RETRY_AFTER), on which clients of Kubernetes try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("Too many requests, please try again later.")]
pub struct TooMany;

impl TooMany {
    /// The number of seconds after which a client should try again.
    pub const RETRY_AFTER: u16 = 1;
}

/// Why [`Lane::work`] has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WorkError {
    /// Its turn did not come in time.
    #[error(transparent)]
    TooMany(#[from] TooMany),
    /// The work panicked.
    #[error("the handler of the request panicked")]
    Panicked,
}

/// The room that one request has in an [`InFlight`] or a [`Lane`]. Dropping it makes room.
#[derive(Debug)]
pub struct Permit(#[expect(dead_code, reason = "dropping it makes room")] OwnedSemaphorePermit);

/// Limits how many requests of a sort are under way, those that wait for their turn included.
#[derive(Clone, Debug)]
pub struct InFlight {
    free: Arc<Semaphore>,
    most: usize,
}

impl InFlight {
    /// At most this many, and at least one.
    pub fn new(most: usize) -> Self {
        let most = permits(most);
        Self { free: Arc::new(Semaphore::new(most)), most }
    }

    /// Enters a request. It is under way until the permit is dropped.
    ///
    /// # Errors
    /// If there are too many already.
    pub fn enter(&self) -> Result<Permit, TooMany> {
        Arc::clone(&self.free).try_acquire_owned().map(Permit).map_err(|_| TooMany)
    }

    /// How many are under way now.
    pub fn count(&self) -> usize {
        self.most - self.free.available_permits()
    }
}

/// Limits how many requests of a sort are worked on at a time. The others wait for their turn, in the order in which they
/// ask.
///
/// Work is done on threads of its own, so that the few threads that serve connections are always available.
#[derive(Clone, Debug)]
pub struct Lane {
    free: Arc<Semaphore>,
    patience: Duration,
}

impl Lane {
    /// Works on at most this many at a time, at least one. The others wait for at most `patience`.
    pub fn new(at_a_time: usize, patience: Duration) -> Self {
        Self { free: Arc::new(Semaphore::new(permits(at_a_time))), patience }
    }

    /// Works on a separate thread when the turn comes. Returns the result together with the permit for the turn, which
    /// the caller can keep for further work.
    ///
    /// If the caller stops waiting for the result, the work ends at its next `await`; it keeps its turn until then.
    ///
    /// # Errors
    /// If the turn does not come in time, or if the work panics.
    pub async fn work<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<(T, Permit), WorkError> {
        let turn = timeout(self.patience, Arc::clone(&self.free).acquire_owned()).await;
        let Ok(Ok(turn)) = turn else { return Err(TooMany.into()) };
        let (mut waiting, waits) = oneshot::channel::<()>();
        let (runtime, work) = (Handle::current(), work.instrument(Span::current()));
        let worked = tokio::task::spawn_blocking(move || {
            runtime.block_on(async move {
                tokio::select! {
                    biased;
                    () = waiting.closed() => None,
                    answer = work => Some((answer, Permit(turn))),
                }
            })
        });
        let worked = worked.await;
        drop(waits);
        match worked {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) | Err(_) => Err(WorkError::Panicked),
        }
    }
}

fn permits(number: usize) -> usize {
    number.clamp(1, Semaphore::MAX_PERMITS)
}
