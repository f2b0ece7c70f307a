//! Limits on the time, memory and connections that one client can take from the others.

use std::time::Duration;

pub use hubgen_serve::Limits as DoorLimits;

/// The limits of a server. [`Limits::default`] suits a server on a developer's machine.
///
/// ```
/// use std::time::Duration;
///
/// use hubgen_server::{DoorLimits, Limits};
///
/// let door = DoorLimits { idle: Duration::from_secs(20), ..DoorLimits::default() };
/// let limits = Limits { door, writes: 50, ..Limits::default() };
/// # drop(limits);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The limits on connections, and on what is not yet a request for objects.
    pub door: DoorLimits,
    /// The maximum time to receive the body of a request; a slower one is answered with 408.
    /// Default 30 seconds.
    pub body: Duration,
    /// The maximum size of the body of a request, in bytes; a larger one is answered with 413.
    /// Default 3 MiB.
    pub body_bytes: usize,
    /// The total bytes of all request bodies over 64 KiB that are being received or processed.
    /// Further bodies wait, at most for [`Limits::turn`]. Default 64 MiB.
    pub bodies_bytes: usize,
    /// The total bytes of all answers over 64 KiB that clients have not read yet. Further answers wait for their turn.
    /// Default 256 MiB.
    pub answers_bytes: usize,
    /// The maximum number of concurrent requests that read, including those that wait for their
    /// turn. One more is answered with 429. Default 400.
    pub reads: usize,
    /// The maximum number of concurrent requests that write, including those that wait for their
    /// turn. One more is answered with 429. Default 200.
    pub writes: usize,
    /// The maximum number of concurrent watches, which do not count as requests that read. One more is answered with
    /// 429. Default 20,000.
    pub watches: usize,
    /// The shortest time after which the server ends a watch without `timeoutSeconds`; the longest is twice this, so
    /// that watches which began together do not end together. Default 30 minutes.
    pub watch: Duration,
    /// The bytes of changes that are kept in memory for the watches of one kind, with what is made of them to show them.
    /// A watch whose client is further behind than that ends. Default 16 MiB.
    pub feed_bytes: usize,
    /// The number of heavy requests that are processed at a time: lists of more than 500 objects,
    /// deletions of collections, bodies over 256 KiB. The others wait for their turn. Default 2.
    pub heavy: usize,
    /// The number of other requests that are processed at a time, without reads of an object that takes at most 16 KiB
    /// of the store, which need no turn. They never wait for heavy ones. Default 64.
    pub light: usize,
    /// The maximum time for the answer of a conversion webhook. Default 30 seconds, as upstream.
    pub conversion: Duration,
    /// The maximum time that a request waits for its turn; then it is answered with 429. Default 30
    /// seconds.
    pub turn: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            door: DoorLimits::default(),
            body: Duration::from_secs(30),
            body_bytes: 3 << 20,
            bodies_bytes: 64 << 20,
            answers_bytes: 256 << 20,
            reads: 400,
            writes: 200,
            watches: 20_000,
            watch: Duration::from_secs(30 * 60),
            feed_bytes: 16 << 20,
            heavy: 2,
            light: 64,
            conversion: Duration::from_secs(30),
            turn: Duration::from_secs(30),
        }
    }
}
