//! What one client may take from the others: time, memory, connections.

use std::time::Duration;

/// The limits of a server. [`Limits::default`] suits a server on a developer's machine.
///
/// Deadlines of connections are checked about every quarter of the shortest one, at least every
/// second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most connections at a time. One more closes those that have waited longest for a request,
    /// a sixteenth of all; where all of them are busy, it waits until one ends. Default 4,096.
    pub connections: usize,
    /// How long the head of a request may take, from its first byte on. Default 10 seconds.
    pub head: Duration,
    /// The largest head of a request, in bytes; a larger one is answered with 431. Default 64 KiB.
    pub head_bytes: usize,
    /// How long a connection may wait for a request, the first one or the next. Default 90 seconds.
    pub idle: Duration,
    /// How long the body of a request may take; a slower one is answered with 408. Default 30 seconds.
    pub body: Duration,
    /// The largest body of a request, in bytes; a larger one is answered with 413. Default 3 MiB.
    pub body_bytes: usize,
    /// Bytes of all bodies over 64 KiB that are being received or worked on. What does not fit
    /// waits, at most as long as a body may take. Default 64 MiB.
    pub bodies_bytes: usize,
    /// How long an answer may wait for a client that takes less than 64 KiB of it in this time; the
    /// connection is closed then. Default 30 seconds.
    pub stall: Duration,
    /// Bytes of all answers over 64 KiB that wait for clients to take them. What does not fit waits
    /// for its turn. Default 256 MiB.
    pub answers_bytes: usize,
    /// The most requests to read at a time, those that wait for their turn included. One more is
    /// answered with 429. Default 400.
    pub reads: usize,
    /// The same for requests that write. Default 200.
    pub writes: usize,
    /// How many heavy requests are worked on at a time: lists of more than 500 objects,
    /// deletions of collections, bodies over 256 KiB. The others wait for their turn. Default 2.
    pub heavy: usize,
    /// How many other requests are worked on at a time, which never wait for heavy ones.
    /// Default 64.
    pub light: usize,
    /// How long a request waits for its turn before it is answered with 429. Default 30 seconds.
    pub turn: Duration,
    /// How long requests under way may take once the server is asked to stop. Default 8 seconds, so
    /// that a process ends within 10.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 4096,
            head: Duration::from_secs(10),
            head_bytes: 64 << 10,
            idle: Duration::from_secs(90),
            body: Duration::from_secs(30),
            body_bytes: 3 << 20,
            bodies_bytes: 64 << 20,
            stall: Duration::from_secs(30),
            answers_bytes: 256 << 20,
            reads: 400,
            writes: 200,
            heavy: 2,
            light: 64,
            turn: Duration::from_secs(30),
            grace: Duration::from_secs(8),
        }
    }
}
