//! What clients may demand.

use std::time::Duration;

pub use hubgen_serve::Limits as DoorLimits;
use hubgen_serve::body::BodyLimits;

/// What clients may demand. An API server waits for at most 30 seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The limits on connections, which do not concern a [`Service`](crate::Service) behind another server. Unless set,
    /// at most 1,024 connections and 2,048 requests at a time; 10 seconds for a client to take more of an answer; 20
    /// seconds for the running requests when the server stops; 120 seconds for a connection to be without a request.
    /// Clients in Go, such as API servers, close a connection after 90 idle seconds, and a server that closes it first
    /// may do so under a request.
    pub door: DoorLimits,
    /// The maximum size of a review, in bytes; 64 MiB unless set. A larger one is refused with status 413.
    pub body: usize,
    /// The maximum time to receive a review; 10 seconds unless set. A slower one is refused with status 408.
    pub body_time: Duration,
    /// The maximum size of all reviews together that are received, converted or answered at a time, in bytes; 128 MiB
    /// unless set. Their answers, and the objects that are converted just now, take memory besides. Reviews of up to
    /// 64 KiB do not count: the number of requests bounds them.
    pub together: usize,
    /// The time that a review waits for room among the others; 2 seconds unless set. Then it is refused with status
    /// 429, and API servers try again after a second, up to ten times.
    pub turn: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let door = DoorLimits {
            connections: 1024,
            requests: 2048,
            idle: Duration::from_secs(120),
            stall: Duration::from_secs(10),
            grace: Duration::from_secs(20),
            ..DoorLimits::default()
        };
        Self {
            door,
            body: 64 << 20,
            body_time: Duration::from_secs(10),
            together: 128 << 20,
            turn: Duration::from_secs(2),
        }
    }
}

impl Limits {
    /// The limits of the bodies of reviews.
    pub(crate) fn bodies(&self) -> BodyLimits {
        BodyLimits { bytes: self.body, time: self.body_time, patience: self.turn }
    }
}
