//! Limits how many requests are accepted and processed at a time, and how much memory they take.
//!
//! Heavy requests wait for each other; light requests never wait for heavy ones.

use std::time::Duration;

use hubgen_serve::body::BodyLimits;
use hubgen_serve::memory::{Memory, SMALL, Share};
use hubgen_serve::queue::{InFlight, Lane, Permit, TooMany, Turn, WorkError};

use crate::limits::Limits;
use crate::request::Weight;

/// The queues of each sort of request, and the memory.
pub(crate) struct Turns {
    pub(crate) reads: InFlight,
    pub(crate) writes: InFlight,
    pub(crate) watches: InFlight,
    light: Lane,
    pub(crate) heavy: Lane,
    pub(crate) body: BodyLimits,
    pub(crate) bodies: Memory,
    answers: Memory,
    patience: Duration,
}

impl Turns {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            reads: InFlight::new(limits.reads),
            writes: InFlight::new(limits.writes),
            watches: InFlight::new(limits.watches),
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
    /// If there are too many requests.
    pub(crate) fn enter(&self, is_write: bool) -> Result<Permit, TooMany> {
        let requests = if is_write { &self.writes } else { &self.reads };
        requests.enter()
    }

    /// Processes a request when its turn comes, on a separate thread unless it is small. Returns the result together
    /// with the turn, which the caller can keep for further work.
    ///
    /// # Errors
    /// If the turn does not come in time, or the work panics.
    pub(crate) async fn work<T, W>(
        &self,
        weight: Weight,
        work: impl FnOnce(Turn) -> W,
    ) -> Result<(T, Turn), WorkError>
    where
        T: Send + 'static,
        W: Future<Output = T> + Send + 'static,
    {
        match weight {
            Weight::Small => self.light.small(work).await,
            Weight::Light => self.light.work(work).await,
            Weight::Heavy => self.heavy.work(work).await,
        }
    }

    /// Acquires memory for a response until its client has read it; small responses need none.
    ///
    /// # Errors
    /// If clients read earlier responses too slowly.
    pub(crate) async fn memory_for_response(&self, bytes: usize) -> Result<Option<Share>, TooMany> {
        if bytes <= SMALL {
            return Ok(None);
        }
        Ok(Some(self.answers.take(bytes, self.patience).await?))
    }
}
