//! What a connection is doing, so that it can be told whether it has waited for too long.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::limits::Limits;

/// A client that takes its answer slowly takes at least so many bytes in [`Limits::stall`].
const LEAST_TAKEN: usize = 64 << 10;

/// What a connection is doing. Its transport and its service note it down, the accept loop looks
/// at it.
#[derive(Clone)]
pub(super) struct Activity(Arc<Mutex<State>>);

struct State {
    phase: Phase,
    /// An answer that the client does not take as fast as it could be sent.
    blocked: Option<Blocked>,
}

enum Phase {
    /// Waiting for a request.
    Idle(Instant),
    /// Part of the head of a request has arrived.
    Head(Instant),
    /// A request is being answered.
    Busy,
}

struct Blocked {
    since: Instant,
    taken: usize,
}

impl Activity {
    /// A connection that was just made.
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(State { phase: Phase::Idle(Instant::now()), blocked: None })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is a single assignment, so a panic leaves nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes arrived.
    pub(super) fn received(&self) {
        let mut state = self.state();
        if matches!(state.phase, Phase::Idle(_)) {
            state.phase = Phase::Head(Instant::now());
        }
    }

    /// The head of a request is complete.
    pub(super) fn request_begins(&self) {
        self.state().phase = Phase::Busy;
    }

    /// All of the answer is handed to the transport.
    pub(super) fn request_ends(&self) {
        self.state().phase = Phase::Idle(Instant::now());
    }

    /// The client took some bytes of an answer.
    pub(super) fn sent(&self, bytes: usize) {
        let mut state = self.state();
        if let Phase::Idle(since) = &mut state.phase {
            *since = Instant::now();
        }
        if let Some(blocked) = &mut state.blocked {
            blocked.taken += bytes;
        }
    }

    /// There are bytes of an answer that the client does not take now.
    pub(super) fn blocked(&self) {
        self.state().blocked.get_or_insert_with(|| Blocked { since: Instant::now(), taken: 0 });
    }

    /// Everything that was written so far is on its way.
    pub(super) fn flushed(&self) {
        self.state().blocked = None;
    }

    /// Whether the client has used up its time.
    pub(super) fn is_overdue(&self, limits: &Limits, now: Instant) -> bool {
        let mut state = self.state();
        if let Some(blocked) = &mut state.blocked {
            if now.duration_since(blocked.since) < limits.stall {
                return false;
            }
            let stalled = blocked.taken < LEAST_TAKEN;
            *blocked = Blocked { since: now, taken: 0 };
            return stalled;
        }
        match state.phase {
            Phase::Idle(since) => now.duration_since(since) >= limits.idle,
            Phase::Head(since) => now.duration_since(since) >= limits.head,
            Phase::Busy => false,
        }
    }

    /// Since when the client has kept the server waiting for a request; `None` while one is
    /// answered.
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

    /// Whether a connection is overdue some seconds from now.
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
        assert!(!overdue(&activity, 10_000), "work has no deadline here");
        assert!(activity.waits_since().is_none());
        // The next request arrives before this one is answered.
        activity.received();
        assert!(!overdue(&activity, 10_000));
        activity.request_ends();
        assert!(!overdue(&activity, 89));
        assert!(overdue(&activity, 91));
    }

    /// More bytes of the head do not buy more time.
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
        activity.sent(LEAST_TAKEN - 1);
        assert!(overdue(&activity, 31));
    }

    #[test]
    fn a_client_that_reads_slowly_but_enough_is_not() {
        let activity = Activity::new();
        activity.request_begins();
        activity.blocked();
        activity.sent(LEAST_TAKEN);
        assert!(!overdue(&activity, 31));
        // A new period has begun, in which nothing was taken so far.
        assert!(!overdue(&activity, 60));
        assert!(overdue(&activity, 62));
    }

    /// The end of an answer can be in the transport for long after it was handed over.
    #[test]
    fn an_answer_that_is_not_taken_yet_is_no_idle_time() {
        let activity = Activity::new();
        activity.blocked();
        activity.request_ends();
        assert!(activity.waits_since().is_none());
        activity.flushed();
        assert!(activity.waits_since().is_some());
        assert!(!overdue(&activity, 31));
    }
}
