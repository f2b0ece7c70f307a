//! Whose turn it is: how many requests there may be, how many of them are worked on, and where.
//!
//! Requests are worked on in threads of their own, so that the few threads which speak to clients
//! are always free for that. Heavy requests wait for each other; light ones never wait for heavy
//! ones.

use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

use crate::limits::Limits;
use crate::wire::Status;

/// Bodies and answers up to this size are not counted one by one: the limits on connections and
/// requests bound them.
pub(super) const SMALL: usize = 64 << 10;
/// Bytes are counted in units of so many.
const UNIT: usize = 1 << 10;

/// How much a request takes to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    Light,
    Heavy,
}

/// Hands out turns.
pub(super) struct Turns {
    limits: Limits,
    reads: Arc<Semaphore>,
    writes: Arc<Semaphore>,
    light: Arc<Semaphore>,
    heavy: Arc<Semaphore>,
    bodies: Arc<Semaphore>,
    answers: Arc<Semaphore>,
}

/// A place among the requests, or room for bytes; given back when dropped.
pub(super) type Turn = OwnedSemaphorePermit;

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

    /// A place among the requests, until the answer is ready.
    ///
    /// # Errors
    /// 429 where there are too many.
    pub(super) fn enter(&self, is_write: bool) -> Result<Turn, Status> {
        let places = if is_write { &self.writes } else { &self.reads };
        places.clone().try_acquire_owned().map_err(|_| Status::too_many_requests())
    }

    /// Works on a request in a thread of its own, once it is its turn. What is returned with the
    /// answer is the turn, which may be kept for what is left to do.
    ///
    /// Where nobody waits for the answer any more, the work ends at its next `await`; it keeps its
    /// turn until then.
    ///
    /// # Errors
    /// 429 where the turn does not come, 500 where the work panics.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        weight: Weight,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<(T, Turn), Status> {
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

    /// Room for the body of a request; none is needed for a small one.
    pub(super) async fn room_for_body(&self, bytes: usize) -> Option<Turn> {
        if bytes <= SMALL {
            return None;
        }
        room(&self.bodies, bytes, self.limits.bodies_bytes).await
    }

    /// Room for an answer until its client has taken it; none is needed for a small one.
    ///
    /// # Errors
    /// 429 where clients are too slow in taking the answers that there are.
    pub(super) async fn room_for_answer(&self, bytes: usize) -> Result<Option<Turn>, Status> {
        if bytes <= SMALL {
            return Ok(None);
        }
        let room = room(&self.answers, bytes, self.limits.answers_bytes);
        timeout(self.limits.turn, room).await.map_err(|_| Status::too_many_requests())
    }
}

/// Room for some bytes; all there is where that would not be enough.
async fn room(semaphore: &Arc<Semaphore>, bytes: usize, most: usize) -> Option<Turn> {
    let units = u32::try_from(units(bytes.min(most))).unwrap_or(u32::MAX);
    // No semaphore here is ever closed.
    semaphore.clone().acquire_many_owned(units).await.ok()
}

fn units(bytes: usize) -> usize {
    bytes.div_ceil(UNIT).max(1)
}
