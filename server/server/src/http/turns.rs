//! Limits how many requests are accepted and processed at a time, and how much memory they take.
//!
//! Heavy requests wait for each other; light requests never wait for heavy ones.

use std::time::Duration;

use hubgen_serve::TooMany;
use hubgen_serve::body::BodyLimits;
use hubgen_serve::memory::{Memory, SMALL, Share};
use hubgen_serve::queue::{InFlight, Lane, Permit, Turn, WorkError};

use crate::limits::Limits;
use crate::wire::Status;

/// How expensive a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    Light,
    Heavy,
}

/// The queues of each sort of request, and the memory.
pub(super) struct Turns {
    pub(super) reads: InFlight,
    pub(super) writes: InFlight,
    light: Lane,
    heavy: Lane,
    pub(super) body: BodyLimits,
    pub(super) bodies: Memory,
    answers: Memory,
    patience: Duration,
}

impl Turns {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            reads: InFlight::new(limits.reads),
            writes: InFlight::new(limits.writes),
            light: Lane::new(limits.light, limits.turn),
            heavy: Lane::new(limits.heavy, limits.turn),
            body: BodyLimits { bytes: limits.body_bytes, time: limits.body, patience: limits.turn },
            bodies: Memory::new(limits.bodies_bytes),
            answers: Memory::new(limits.answers_bytes),
            patience: limits.turn,
        }
    }

    /// Acquires a permit for a request. It is kept until the response is ready.
    ///
    /// # Errors
    /// 429 if there are too many requests.
    pub(super) fn enter(&self, is_write: bool) -> Result<Permit, Status> {
        let requests = if is_write { &self.writes } else { &self.reads };
        Ok(requests.enter()?)
    }

    /// Processes a request on a separate thread when its turn comes. Returns the result together with the turn, which
    /// the caller can keep for further work.
    ///
    /// # Errors
    /// 429 if the turn does not come in time, 500 if the work panics.
    pub(super) async fn work<T, W>(
        &self,
        weight: Weight,
        work: impl FnOnce(Turn) -> W,
    ) -> Result<(T, Turn), Status>
    where
        T: Send + 'static,
        W: Future<Output = T> + Send + 'static,
    {
        let lane = match weight {
            Weight::Light => &self.light,
            Weight::Heavy => &self.heavy,
        };
        lane.work(work).await.map_err(|error| match error {
            WorkError::TooMany(error) => error.into(),
            WorkError::Panicked => Status::internal(error),
        })
    }

    /// Acquires memory for a response until its client has read it; small responses need none.
    ///
    /// # Errors
    /// 429 if clients read earlier responses too slowly.
    pub(super) async fn memory_for_response(&self, bytes: usize) -> Result<Option<Share>, Status> {
        if bytes <= SMALL {
            return Ok(None);
        }
        Ok(Some(self.answers.take(bytes, self.patience).await?))
    }
}

impl From<TooMany> for Status {
    fn from(_: TooMany) -> Self {
        Self::too_many_requests()
    }
}
