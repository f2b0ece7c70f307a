//! What clients may demand.

use std::time::Duration;

use hubgen_serve::body::BodyLimits;

/// What clients may demand. An API server waits for at most 30 seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of a review, in bytes; 64 MiB unless set. A larger one is refused with status 413.
    pub body: usize,
    /// The maximum size of all reviews together that are received, converted or answered at a time, in bytes; 128 MiB
    /// unless set. Their answers, and the objects that are converted just now, take memory besides. Reviews of up to
    /// 64 KiB do not count: `requests` bounds them.
    pub together: usize,
    /// The time that a review waits for room among the others; 2 seconds unless set. Then it is refused with status
    /// 429, and API servers try again after a second, up to ten times.
    pub turn: Duration,
    /// The time for a TLS handshake, for the head of a request from its first byte, for its body, and for a client to
    /// take more of an answer that waits for it, each; 10 seconds unless set. A connection that exceeds it is closed.
    pub patience: Duration,
    /// The time that a connection may be without a request; 120 seconds unless set. Clients in Go, such as API servers,
    /// close a connection after 90 idle seconds. A server that closes it first may do so under a request.
    pub idle: Duration,
    /// The time for the running requests when the server stops; 20 seconds unless set.
    pub grace: Duration,
    /// The maximum number of connections; 1,024 unless set. For one more, those that have waited longest for a request
    /// are closed; if there are none, it waits.
    pub connections: usize,
    /// The maximum number of requests at a time on all connections together; 2,048 unless set. One more is refused with
    /// status 429.
    pub requests: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 64 << 20,
            together: 128 << 20,
            turn: Duration::from_secs(2),
            patience: Duration::from_secs(10),
            idle: Duration::from_secs(120),
            grace: Duration::from_secs(20),
            connections: 1024,
            requests: 2048,
        }
    }
}

impl Limits {
    /// The limits of connections.
    pub(crate) fn door(&self) -> hubgen_serve::Limits {
        let Self { patience, idle, grace, connections, requests, .. } = *self;
        hubgen_serve::Limits {
            connections,
            requests,
            handshake: patience,
            head: patience,
            idle,
            stall: patience,
            grace,
            ..hubgen_serve::Limits::default()
        }
    }

    /// The limits of the bodies of reviews.
    pub(crate) fn bodies(&self) -> BodyLimits {
        BodyLimits { bytes: self.body, time: self.patience, patience: self.turn }
    }
}
