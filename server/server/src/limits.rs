//! Limits on the time, memory and connections that one client can take from the others.

use std::time::Duration;

/// The limits of a server. [`Limits::default`] suits a server on a developer's machine.
///
/// The deadlines of connections are checked about every quarter of the shortest deadline, and at
/// least once a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of connections. If one more arrives, the server closes those that have
    /// waited longest for a request, a sixteenth of all; if all of them are busy, the new
    /// connection waits until one ends. Default 4,096.
    pub connections: usize,
    /// The maximum number of requests at a time on all connections together, of which HTTP/2 can have many on one.
    /// One more is answered with 429. Default 8,192.
    pub requests: usize,
    /// The maximum number of requests at a time on one connection of HTTP/2. Default 100.
    pub streams: u32,
    /// The maximum time of a TLS handshake. Default 10 seconds.
    pub handshake: Duration,
    /// The maximum time to receive the head of a request, from its first byte. Default 10 seconds.
    pub head: Duration,
    /// The maximum size of the head of a request, in bytes; a larger one is answered with 431.
    /// Default 64 KiB.
    pub head_bytes: usize,
    /// The maximum time that a connection may be idle before its first or next request. Default 90
    /// seconds.
    pub idle: Duration,
    /// The maximum time to receive the body of a request; a slower one is answered with 408.
    /// Default 30 seconds.
    pub body: Duration,
    /// The maximum size of the body of a request, in bytes; a larger one is answered with 413.
    /// Default 3 MiB.
    pub body_bytes: usize,
    /// The total bytes of all request bodies over 64 KiB that are being received or processed.
    /// Further bodies wait, at most for [`Limits::turn`]. Default 64 MiB.
    pub bodies_bytes: usize,
    /// The time after which a client loses its response if it reads less than 64 KiB of it although
    /// that much waits for it. Default 30 seconds.
    pub stall: Duration,
    /// The total bytes of all responses over 64 KiB that clients have not read yet. Further
    /// responses wait for their turn. Default 256 MiB.
    pub answers_bytes: usize,
    /// The maximum number of concurrent requests that read, including those that wait for their
    /// turn. One more is answered with 429. Default 400.
    pub reads: usize,
    /// The maximum number of concurrent requests that write, including those that wait for their
    /// turn. One more is answered with 429. Default 200.
    pub writes: usize,
    /// The number of heavy requests that are processed at a time: lists of more than 500 objects,
    /// deletions of collections, bodies over 256 KiB. The others wait for their turn. Default 2.
    pub heavy: usize,
    /// The number of other requests that are processed at a time. They never wait for heavy ones.
    /// Default 64.
    pub light: usize,
    /// The maximum time that a request waits for its turn; then it is answered with 429. Default 30
    /// seconds.
    pub turn: Duration,
    /// The maximum time for running requests to finish after the server is asked to stop. Default 8
    /// seconds, so that a process ends within 10.
    pub grace: Duration,
}

impl Limits {
    /// The limits of connections.
    pub(crate) fn door(&self) -> hubgen_serve::Limits {
        let Self { connections, requests, streams, handshake, head, head_bytes, idle, stall, grace, .. } =
            *self;
        hubgen_serve::Limits {
            connections,
            requests,
            streams,
            handshake,
            head,
            head_bytes,
            idle,
            stall,
            grace,
            ..hubgen_serve::Limits::default()
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        let door = hubgen_serve::Limits::default();
        Self {
            connections: door.connections,
            requests: door.requests,
            streams: door.streams,
            handshake: door.handshake,
            head: door.head,
            head_bytes: door.head_bytes,
            idle: door.idle,
            body: Duration::from_secs(30),
            body_bytes: 3 << 20,
            bodies_bytes: 64 << 20,
            stall: door.stall,
            answers_bytes: 256 << 20,
            reads: 400,
            writes: 200,
            heavy: 2,
            light: 64,
            turn: Duration::from_secs(30),
            grace: door.grace,
        }
    }
}
