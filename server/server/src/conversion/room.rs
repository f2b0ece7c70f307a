//! How many requests may wait for webhooks at a time.
//!
//! They have no turn among others, and count apart from them, so that all other kinds are served while a webhook hangs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hubgen_serve::queue::{InFlight, Lane, Permit, TooMany, Turn, WorkError};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// How many requests for a kind at one version are worked on at a time.
const AT_A_TIME: usize = 32;
/// How many are under way at a time, those that wait included. For one more there is no room.
const UNDER_WAY: usize = 200;
/// How many requests for all such kinds are worked on at a time. The threads for work that waits are 512 by default.
const IN_ALL: usize = 256;

/// The room for all webhooks of a server.
pub(super) struct Rooms {
    lane: Lane,
    patience: Duration,
}

impl Rooms {
    pub(super) fn new(patience: Duration) -> Self {
        Self { lane: Lane::new(IN_ALL, patience), patience }
    }

    /// The room for requests at each of some versions.
    pub(super) fn of<'v>(&self, versions: impl Iterator<Item = &'v str>) -> BTreeMap<String, Room> {
        let room = || Room {
            requests: InFlight::new(UNDER_WAY),
            free: Arc::new(Semaphore::new(AT_A_TIME)),
            lane: self.lane.clone(),
            patience: self.patience,
        };
        versions.map(|version| (version.to_owned(), room())).collect()
    }
}

/// The room for requests for a kind at one version, whose objects a webhook converts.
#[derive(Clone)]
pub(crate) struct Room {
    requests: InFlight,
    free: Arc<Semaphore>,
    lane: Lane,
    patience: Duration,
}

impl Room {
    /// Acquires a permit for a request, which is kept until the response is ready.
    ///
    /// # Errors
    /// If there are too many requests.
    pub(crate) fn enter(&self) -> Result<Permit, TooMany> {
        self.requests.enter()
    }

    /// Works when there is room, on a thread that may wait. Returns the result together with the turn.
    ///
    /// # Errors
    /// If there is no room in time, or the work panics.
    pub(crate) async fn work<T, W>(&self, work: impl FnOnce(Turn) -> W) -> Result<(T, Turn), WorkError>
    where
        T: Send + 'static,
        W: Future<Output = T> + Send + 'static,
    {
        let Ok(Ok(place)) = timeout(self.patience, Arc::clone(&self.free).acquire_owned()).await else {
            return Err(TooMany.into());
        };
        let with_place = |turn| {
            let work = work(turn);
            async move {
                let done = work.await;
                // Who asked may be gone; the place is taken until the thread is free.
                drop(place);
                done
            }
        };
        self.lane.work(with_place).await
    }
}
