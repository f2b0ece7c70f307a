//! What clients may demand.

use std::time::Duration;

/// What clients may demand. An API server waits for at most 30 seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of a review, in bytes; 64 MiB unless set. A larger one is refused with status 413.
    pub body: usize,
    /// The maximum size of all reviews together that are received, converted or answered at a time, in bytes; 128 MiB
    /// unless set. Their answers, and the objects that are converted just now, take memory besides. Reviews of up to
    /// 64 KiB do not count: `connections` bounds them.
    pub together: usize,
    /// The time that a review waits for room among the others; 2 seconds unless set. Then it is refused with status
    /// 429, and API servers try again after a second, up to ten times.
    pub turn: Duration,
    /// The time for a TLS handshake, for the body of a request, and for a client to read more of an answer that waits
    /// for it, each; 10 seconds unless set. A connection that exceeds it is closed.
    pub patience: Duration,
    /// The time until the head of the next request is there; 120 seconds unless set. Clients in Go, such as API servers,
    /// close a connection after 90 idle seconds. A server that closes it first may do so under a request.
    pub idle: Duration,
    /// The time for the running requests when the server stops; 20 seconds unless set.
    pub grace: Duration,
    /// The maximum number of connections; 1,024 unless set. More wait until one is closed.
    pub connections: usize,
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
        }
    }
}
