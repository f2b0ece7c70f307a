//! The state of a connection, by which the server decides whether its client has exceeded a
//! deadline.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::limits::Limits;

/// The minimum number of bytes of a waiting response that a client must read in [`Limits::stall`].
const MIN_BYTES_READ: usize = 64 << 10;

/// The state of a connection. Its transport and its service update it; the accept loop reads it.
#[derive(Clone)]
pub(super) struct Activity(Arc<Mutex<State>>);

struct State {
    phase: Phase,
    /// Set while the client reads a response more slowly than the server sends it.
    blocked: Option<Blocked>,
}

enum Phase {
    /// The connection waits for a request.
    Idle(Instant),
    /// Part of the head of a request has arrived.
    Head(Instant),
    /// The server is answering a request.
    Busy,
}

struct Blocked {
    since: Instant,
    taken: usize,
}

impl Activity {
    /// The state of a new connection.
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(State { phase: Phase::Idle(Instant::now()), blocked: None })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is a single assignment, so a panic leaves nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that bytes have arrived.
    pub(super) fn received(&self) {
        let mut state = self.state();
        if matches!(state.phase, Phase::Idle(_)) {
            state.phase = Phase::Head(Instant::now());
        }
    }

    /// Records that the head of a request is complete.
    pub(super) fn request_begins(&self) {
        self.state().phase = Phase::Busy;
    }

    /// Records that the whole response is passed to the transport.
    pub(super) fn request_ends(&self) {
        self.state().phase = Phase::Idle(Instant::now());
    }

    /// Records that the client has read some bytes of a response.
    pub(super) fn sent(&self, bytes: usize) {
        let mut state = self.state();
        if let Phase::Idle(since) = &mut state.phase {
            *since = Instant::now();
        }
        if let Some(blocked) = &mut state.blocked {
            blocked.taken += bytes;
        }
    }

    /// Records that the client currently does not read the response.
    pub(super) fn blocked(&self) {
        self.state().blocked.get_or_insert_with(|| Blocked { since: Instant::now(), taken: 0 });
    }

    /// Records that all written bytes are sent.
    pub(super) fn flushed(&self) {
        self.state().blocked = None;
    }

    /// Whether the client has exceeded a deadline.
    pub(super) fn is_overdue(&self, limits: &Limits, now: Instant) -> bool {
        let mut state = self.state();
        if let Some(blocked) = &mut state.blocked {
            if now.duration_since(blocked.since) < limits.stall {
                return false;
            }
            let stalled = blocked.taken < MIN_BYTES_READ;
            *blocked = Blocked { since: now, taken: 0 };
            return stalled;
        }
        match state.phase {
            Phase::Idle(since) => now.duration_since(since) >= limits.idle,
            Phase::Head(since) => now.duration_since(since) >= limits.head,
            Phase::Busy => false,
        }
    }

    /// The time since which the server waits for a request; `None` while it answers one.
    pub(super) fn waits_since(&self) -> Option<Instant> {
        let state = self.state();
        match state.phase {
            Phase::Idle(since) | Phase::Head(since) if state.blocked.is_none() => Some(since),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn limits() -> Limits {
        Limits { head: SECOND * 10, idle: SECOND * 90, stall: SECOND * 30, ..Limits::default() }
    }

    /// Whether the connection would be overdue in some seconds.
    fn overdue(activity: &Activity, seconds: u32) -> bool {
        activity.is_overdue(&limits(), Instant::now() + SECOND * seconds)
    }

    #[test]
    fn each_phase_has_its_deadline() {
        let activity = Activity::new();
        assert!(!overdue(&activity, 89));
        assert!(overdue(&activity, 91));
        activity.received();
        assert!(!overdue(&activity, 9));
        assert!(overdue(&activity, 11));
        assert!(activity.waits_since().is_some());
        activity.request_begins();
        assert!(!overdue(&activity, 10_000), "processing a request has no deadline here");
        assert!(activity.waits_since().is_none());
        // The next request arrives before this one is answered.
        activity.received();
        assert!(!overdue(&activity, 10_000));
        activity.request_ends();
        assert!(!overdue(&activity, 89));
        assert!(overdue(&activity, 91));
    }

    /// Further bytes of the head do not extend its deadline.
    #[test]
    fn a_head_has_one_deadline() {
        let activity = Activity::new();
        activity.received();
        let since = activity.waits_since();
        activity.received();
        assert_eq!(activity.waits_since(), since);
    }

    #[test]
    fn a_client_that_reads_too_slowly_is_overdue() {
        let activity = Activity::new();
        activity.request_begins();
        activity.blocked();
        assert!(!overdue(&activity, 29));
        activity.sent(MIN_BYTES_READ - 1);
        assert!(overdue(&activity, 31));
    }

    #[test]
    fn a_client_that_reads_slowly_but_enough_is_not_overdue() {
        let activity = Activity::new();
        activity.request_begins();
        activity.blocked();
        activity.sent(MIN_BYTES_READ);
        assert!(!overdue(&activity, 31));
        // A new period has started, in which the client has read nothing yet.
        assert!(!overdue(&activity, 60));
        assert!(overdue(&activity, 62));
    }

    /// The end of a response can stay in the transport long after the service has finished.
    #[test]
    fn a_connection_is_not_idle_before_its_response_is_read() {
        let activity = Activity::new();
        activity.blocked();
        activity.request_ends();
        assert!(activity.waits_since().is_none());
        activity.flushed();
        assert!(activity.waits_since().is_some());
        assert!(!overdue(&activity, 31));
    }
}
