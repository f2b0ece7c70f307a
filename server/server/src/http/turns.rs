//! Limits how many requests are accepted and processed at a time, and how much memory they take.
//!
//! Requests are processed on separate threads, so that the few threads that serve connections are
//! always available. Heavy requests wait for each other; light requests never wait for heavy ones.

use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

use crate::limits::Limits;
use crate::wire::Status;

/// Bodies and responses up to this size need no memory permit: the limits on connections and
/// requests bound them.
pub(super) const SMALL: usize = 64 << 10;
/// The unit of memory permits, in bytes.
const UNIT: usize = 1 << 10;

/// How expensive a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    Light,
    Heavy,
}

/// The semaphores for requests, turns and memory.
pub(super) struct Turns {
    limits: Limits,
    reads: Arc<Semaphore>,
    writes: Arc<Semaphore>,
    light: Arc<Semaphore>,
    heavy: Arc<Semaphore>,
    bodies: Arc<Semaphore>,
    answers: Arc<Semaphore>,
}

/// A permit for a request, for its processing, or for memory. Dropping it releases it.
pub(super) type Permit = OwnedSemaphorePermit;

impl Turns {
    pub(super) fn new(limits: Limits) -> Self {
        let semaphore = |permits: usize| Arc::new(Semaphore::new(permits.clamp(1, Semaphore::MAX_PERMITS)));
        Self {
            limits,
            reads: semaphore(limits.reads),
            writes: semaphore(limits.writes),
            light: semaphore(limits.light),
            heavy: semaphore(limits.heavy),
            bodies: semaphore(units(limits.bodies_bytes)),
            answers: semaphore(units(limits.answers_bytes)),
        }
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Acquires a permit for a request. It is kept until the response is ready.
    ///
    /// # Errors
    /// 429 if there are too many requests.
    pub(super) fn enter(&self, is_write: bool) -> Result<Permit, Status> {
        let requests = if is_write { &self.writes } else { &self.reads };
        requests.clone().try_acquire_owned().map_err(|_| Status::too_many_requests())
    }

    /// Processes a request on a separate thread when its turn comes. Returns the result together
    /// with the permit for the turn, which the caller can keep for further work.
    ///
    /// If the caller stops waiting for the result, the work ends at its next `await`; it keeps its
    /// permit until then.
    ///
    /// # Errors
    /// 429 if the turn does not come in time, 500 if the work panics.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        weight: Weight,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<(T, Permit), Status> {
        let lane = match weight {
            Weight::Light => &self.light,
            Weight::Heavy => &self.heavy,
        };
        let turn = timeout(self.limits.turn, lane.clone().acquire_owned()).await;
        let Ok(Ok(turn)) = turn else { return Err(Status::too_many_requests()) };
        let (mut waiting, waits) = oneshot::channel::<()>();
        let runtime = Handle::current();
        let worked = tokio::task::spawn_blocking(move || {
            runtime.block_on(async move {
                tokio::select! {
                    biased;
                    () = waiting.closed() => None,
                    answer = work => Some((answer, turn)),
                }
            })
        });
        let worked = worked.await;
        drop(waits);
        match worked {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) | Err(_) => Err(Status::internal("the handler of the request panicked")),
        }
    }

    /// Acquires memory for the body of a request; small bodies need no permit.
    pub(super) async fn memory_for_body(&self, bytes: usize) -> Option<Permit> {
        if bytes <= SMALL {
            return None;
        }
        acquire_memory(&self.bodies, bytes, self.limits.bodies_bytes).await
    }

    /// Acquires memory for a response until its client has read it; small responses need no permit.
    ///
    /// # Errors
    /// 429 if clients read earlier responses too slowly.
    pub(super) async fn memory_for_response(&self, bytes: usize) -> Result<Option<Permit>, Status> {
        if bytes <= SMALL {
            return Ok(None);
        }
        let memory = acquire_memory(&self.answers, bytes, self.limits.answers_bytes);
        timeout(self.limits.turn, memory).await.map_err(|_| Status::too_many_requests())
    }
}

/// Acquires memory for some bytes, at most all of it.
async fn acquire_memory(semaphore: &Arc<Semaphore>, bytes: usize, most: usize) -> Option<Permit> {
    let units = u32::try_from(units(bytes.min(most))).unwrap_or(u32::MAX);
    // The semaphores are never closed.
    semaphore.clone().acquire_many_owned(units).await.ok()
}

fn units(bytes: usize) -> usize {
    bytes.div_ceil(UNIT).max(1)
}
