//! Limits on the time and the connections that one client can take from the others.

use std::time::Duration;

/// The limits of a [`Door`](crate::Door).
///
/// Deadlines are checked about every quarter of the shortest of `head`, `idle` and `stall`, and at least once a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of connections. If one more arrives, those that have waited longest for a request are closed,
    /// a sixteenth of all; if all of them are busy, the new connection waits until one ends. Default 4,096.
    pub connections: usize,
    /// The maximum number of requests at a time on all connections together, of which HTTP/2 can have many on one.
    /// Watches count, too. One more is answered with 429. Default 32,768.
    pub requests: usize,
    /// The maximum number of requests at a time on one connection of HTTP/2. Streams beyond it are refused by the
    /// protocol, and clients wait. Default 100.
    pub streams: u32,
    /// The maximum time of a TLS handshake. Default 10 seconds.
    pub handshake: Duration,
    /// The maximum time to receive the head of a request, from its first byte. Default 10 seconds.
    pub head: Duration,
    /// The maximum size of the head of a request, in bytes, at least 8 KiB; a larger one is answered with 431.
    /// Default 64 KiB.
    pub head_bytes: usize,
    /// The maximum time that a connection may be without a request. Default 90 seconds.
    pub idle: Duration,
    /// The time after which a client loses its answer if it takes less than 64 KiB of it although that much waits for
    /// it. Over HTTP/2 the stream is reset, over HTTP/1.1 the connection is closed. An answer that is merely quiet,
    /// because its handler has nothing to say, has no deadline. Default 30 seconds.
    pub stall: Duration,
    /// After how long a silence the client of an HTTP/2 connection is asked whether it is still there. It has half of
    /// this time to say so. Default 30 seconds.
    pub ping: Duration,
    /// The maximum time for running requests to finish after the server is asked to stop. Default 8 seconds, so that
    /// a process ends within 10.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 4096,
            requests: 1 << 15,
            streams: 100,
            handshake: Duration::from_secs(10),
            head: Duration::from_secs(10),
            head_bytes: 64 << 10,
            idle: Duration::from_secs(90),
            stall: Duration::from_secs(30),
            ping: Duration::from_secs(30),
            grace: Duration::from_secs(8),
        }
    }
}
