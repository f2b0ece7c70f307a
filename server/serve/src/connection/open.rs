//! The open connections.

use std::collections::HashMap;
use std::time::Instant;

use tokio::task::{AbortHandle, Id, JoinSet};

use crate::activity::{Activity, Verdict};
use crate::limits::Limits;

/// All open connections. Each is a task; dropping this value aborts them.
pub(super) struct Open {
    limits: Limits,
    tasks: JoinSet<()>,
    /// The connections that have not been aborted.
    connections: HashMap<Id, (Activity, AbortHandle)>,
}

impl Open {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, tasks: JoinSet::new(), connections: HashMap::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    pub(super) fn add(&mut self, activity: Activity, connection: impl Future<Output = ()> + Send + 'static) {
        let handle = self.tasks.spawn(connection);
        self.connections.insert(handle.id(), (activity, handle));
    }

    /// Whether another connection can be accepted, if necessary by closing waiting ones.
    pub(super) fn has_room(&self) -> bool {
        self.connections.len() < self.limits.connections
            || self.connections.values().any(|(activity, _)| activity.waits_since().is_some())
    }

    /// Closes waiting connections if the maximum is reached. Returns whether there is room then: those that waited a
    /// moment ago may have a request now.
    pub(super) fn make_room(&mut self) -> bool {
        if self.connections.len() >= self.limits.connections {
            self.close_longest_waiting();
        }
        self.connections.len() < self.limits.connections
    }

    /// Closes the connections that have waited longest for a request: a sixteenth of the maximum
    /// number, so that the search is not repeated for every new connection.
    pub(super) fn close_longest_waiting(&mut self) {
        let waiting = self.connections.iter();
        let waiting = waiting.filter_map(|(id, (activity, _))| Some((activity.waits_since()?, *id)));
        let mut waiting: Vec<_> = waiting.collect();
        waiting.sort_by_key(|(since, _)| *since);
        for (_, id) in waiting.into_iter().take((self.limits.connections / 16).max(1)) {
            if let Some((_, handle)) = self.connections.remove(&id) {
                handle.abort();
            }
        }
    }

    /// Closes the connections whose clients have exceeded a deadline.
    pub(super) fn close_overdue(&mut self) {
        let now = Instant::now();
        self.connections.retain(|_, (activity, handle)| {
            let overdue = activity.check(&self.limits, now) == Verdict::Close;
            if overdue {
                handle.abort();
            }
            !overdue
        });
        if self.connections.is_empty() {
            // Releases the memory of a peak with many connections.
            self.connections.shrink_to_fit();
        }
    }

    /// Waits until a connection has ended; forever if there is none.
    pub(super) async fn one_ended(&mut self) {
        match self.tasks.join_next_with_id().await {
            Some(Ok((id, ()))) => drop(self.connections.remove(&id)),
            Some(Err(error)) => drop(self.connections.remove(&error.id())),
            None => std::future::pending().await,
        }
    }
}
