//! The state of a connection and of its streams, by which the door decides whether a client has exceeded a deadline.
//!
//! A stream is a request and its answer. HTTP/1.1 has one at a time, HTTP/2 many.

mod heads;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;
use tokio::task::AbortHandle;

use self::heads::Heads;
use crate::limits::Limits;
use crate::memory::SMALL;

/// The state of a connection. Its transport and its service update it; the accept loop reads it.
#[derive(Clone)]
pub(crate) struct Activity(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    /// Notified when the connection should end as soon as its streams have.
    finish: Notify,
}

struct State {
    /// Set for HTTP/2.
    heads: Option<Heads>,
    /// Since when the connection has no stream, if it has none.
    idle: Instant,
    /// Since when part of the head of a request is there.
    head: Option<Instant>,
    /// Since when the connection is asked to end because it is idle.
    finishing: Option<Instant>,
    /// Set while the client takes no bytes at all.
    blocked: Option<Blocked>,
    streams: Vec<Entry>,
    next: u64,
}

struct Blocked {
    since: Instant,
    taken: usize,
}

struct Entry {
    id: u64,
    /// Since when a piece of the answer waits for the client.
    waits: Option<Instant>,
    /// The task of the stream. HTTP/1.1 has none: its connection is the stream.
    task: Option<AbortHandle>,
}

/// What a check of deadlines demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing.
    Fine,
    /// The connection should be closed.
    Close,
}

impl Activity {
    /// The state of a new connection.
    pub(crate) fn new() -> Self {
        let state = State {
            heads: None,
            idle: Instant::now(),
            head: None,
            finishing: None,
            blocked: None,
            streams: Vec::new(),
            next: 0,
        };
        Self(Arc::new(Shared { state: Mutex::new(state), finish: Notify::new() }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is whole when anything could panic.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that the client speaks HTTP/2, and that no byte after its preface has arrived yet.
    pub(crate) fn speaks_http2(&self) {
        let mut state = self.state();
        state.heads = Some(Heads::default());
        state.head = None;
        state.idle = Instant::now();
    }

    /// Records that bytes have arrived.
    pub(crate) fn received(&self, bytes: &[u8]) {
        let mut state = self.state();
        let is_in_head = match &mut state.heads {
            Some(heads) => heads.receive(bytes),
            // Between requests, every byte is of a head.
            None => state.streams.is_empty(),
        };
        match (is_in_head, state.head) {
            // Further bytes of a head do not extend its deadline.
            (true, None) => state.head = Some(Instant::now()),
            (false, Some(_)) => {
                state.head = None;
                state.idle = Instant::now();
            }
            _ => {}
        }
    }

    /// Records that the head of a request is complete.
    pub(crate) fn request_begins(&self) -> Stream {
        let mut state = self.state();
        let id = state.next;
        state.next += 1;
        if state.heads.is_none() {
            state.head = None;
        }
        state.finishing = None;
        state.streams.push(Entry { id, waits: None, task: None });
        Stream { activity: self.clone(), id }
    }

    /// Records the task of the request that has begun last.
    pub(crate) fn spawned(&self, task: AbortHandle) {
        if let Some(entry) = self.state().streams.last_mut().filter(|entry| entry.task.is_none()) {
            entry.task = Some(task);
        }
    }

    /// Ends the tasks of all streams.
    pub(crate) fn abort_streams(&self) {
        let tasks = self.state().streams.iter_mut().filter_map(|entry| entry.task.take()).collect::<Vec<_>>();
        tasks.iter().for_each(AbortHandle::abort);
    }

    /// Records that the client has taken some bytes.
    pub(crate) fn sent(&self, bytes: usize) {
        let mut state = self.state();
        // Over HTTP/2 these can be answers to pings, with which a client could stay for ever.
        if state.heads.is_none() {
            state.idle = Instant::now();
        }
        if let Some(blocked) = &mut state.blocked {
            blocked.taken += bytes;
        }
    }

    /// Records that the client currently takes no bytes.
    pub(crate) fn blocked(&self) {
        self.state().blocked.get_or_insert_with(|| Blocked { since: Instant::now(), taken: 0 });
    }

    /// Records that all written bytes are sent.
    pub(crate) fn flushed(&self) {
        self.state().blocked = None;
    }

    /// Waits until the connection should end as soon as its streams have.
    pub(crate) async fn finish(&self) {
        self.0.finish.notified().await;
    }

    /// Checks all deadlines. Streams that exceed theirs are ended.
    pub(crate) fn check(&self, limits: &Limits, now: Instant) -> Verdict {
        let mut state = self.state();
        let exceeds = |since: Instant, limit| now.saturating_duration_since(since) >= limit;
        if let Some(blocked) = &mut state.blocked {
            if !exceeds(blocked.since, limits.stall) {
                return Verdict::Fine;
            }
            let stalled = blocked.taken < SMALL;
            *blocked = Blocked { since: now, taken: 0 };
            return if stalled { Verdict::Close } else { Verdict::Fine };
        }
        if state.head.is_some_and(|since| exceeds(since, limits.head)) {
            return Verdict::Close;
        }
        for entry in &mut state.streams {
            if entry.waits.is_some_and(|since| exceeds(since, limits.stall)) {
                match entry.task.take() {
                    Some(task) => task.abort(),
                    None => return Verdict::Close,
                }
                entry.waits = None;
            }
        }
        if !state.streams.is_empty() || state.head.is_some() || !exceeds(state.idle, limits.idle) {
            return Verdict::Fine;
        }
        // Without a word, a client may send a request on a connection that is just being closed. HTTP/2 has that word.
        match state.finishing {
            None if state.heads.is_some() => {
                state.finishing = Some(now);
                self.0.finish.notify_one();
                Verdict::Fine
            }
            Some(since) if !exceeds(since, limits.head) => Verdict::Fine,
            _ => Verdict::Close,
        }
    }

    /// The time since which the server waits for a request; `None` while it has one.
    pub(crate) fn waits_since(&self) -> Option<Instant> {
        let state = self.state();
        let waits = state.streams.is_empty() && state.blocked.is_none();
        waits.then(|| state.head.unwrap_or(state.idle))
    }
}

/// A request and its answer. It ends when this is dropped.
pub(crate) struct Stream {
    activity: Activity,
    id: u64,
}

impl Stream {
    /// Records that a piece of the answer waits for the client.
    pub(crate) fn waits_for_client(&self) {
        self.set(Some(Instant::now()));
    }

    /// Records that the client is ready for the next piece.
    pub(crate) fn asks(&self) {
        self.set(None);
    }

    fn set(&self, waits: Option<Instant>) {
        let mut state = self.activity.state();
        if let Some(entry) = state.streams.iter_mut().find(|entry| entry.id == self.id) {
            entry.waits = waits;
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let mut state = self.activity.state();
        state.streams.retain(|entry| entry.id != self.id);
        state.idle = Instant::now();
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

    /// Whether the connection would be closed in some seconds.
    fn closed(activity: &Activity, seconds: u32) -> bool {
        activity.check(&limits(), Instant::now() + SECOND * seconds) == Verdict::Close
    }

    #[test]
    fn each_phase_has_its_deadline() {
        let activity = Activity::new();
        assert!(!closed(&activity, 89));
        assert!(closed(&activity, 91));
        activity.received(b"G");
        assert!(!closed(&activity, 9));
        assert!(closed(&activity, 11));
        let since = activity.waits_since();
        activity.received(b"E");
        assert_eq!(activity.waits_since(), since, "further bytes do not extend it");
        let stream = activity.request_begins();
        assert!(!closed(&activity, 10_000), "a request has no deadline here");
        assert!(activity.waits_since().is_none());
        // The next request arrives before this one is answered.
        activity.received(b"GET");
        assert!(!closed(&activity, 10_000));
        drop(stream);
        assert!(!closed(&activity, 89));
        assert!(closed(&activity, 91));
    }

    #[test]
    fn only_an_answer_that_waits_for_its_client_has_a_deadline() {
        let activity = Activity::new();
        let stream = activity.request_begins();
        stream.waits_for_client();
        assert!(!closed(&activity, 29));
        assert!(closed(&activity, 31));
        stream.asks();
        assert!(!closed(&activity, 10_000));
    }

    /// HTTP/2: the head of a request has its deadline beside others, and idle connections are asked to end first.
    #[test]
    fn a_connection_with_streams_is_told_before_it_ends() {
        let activity = Activity::new();
        activity.speaks_http2();
        let stream = activity.request_begins();
        // The frame of a head of which all is missing.
        activity.received(b"\0\0\x05\x01\x04\0\0\0\x03");
        assert!(closed(&activity, 11));
        activity.received(b"\x82\x82\x82\x82\x82");
        assert!(!closed(&activity, 10_000));
        drop(stream);
        activity.sent(100);
        assert!(!closed(&activity, 91), "it is asked");
        assert!(!closed(&activity, 100));
        assert!(closed(&activity, 102), "it does not end");
    }

    #[test]
    fn a_client_that_takes_too_little_is_closed() {
        let activity = Activity::new();
        let _stream = activity.request_begins();
        activity.blocked();
        assert!(!closed(&activity, 29));
        activity.sent(SMALL - 1);
        assert!(closed(&activity, 31));
        activity.sent(SMALL);
        assert!(!closed(&activity, 62));
        // A new period has begun, in which the client has taken nothing yet.
        assert!(!closed(&activity, 91));
        assert!(closed(&activity, 93));
    }

    /// The end of an answer can stay in the transport long after the handler has finished.
    #[test]
    fn a_connection_is_not_idle_before_its_answer_is_taken() {
        let activity = Activity::new();
        activity.blocked();
        drop(activity.request_begins());
        assert!(activity.waits_since().is_none());
        activity.flushed();
        assert!(activity.waits_since().is_some());
        assert!(!closed(&activity, 31));
    }
}
