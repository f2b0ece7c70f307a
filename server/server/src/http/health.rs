//! The health checks `/livez`, `/readyz` and `/healthz`.
//!
//! A server is live unless a restart would help more than waiting. It is ready if it can read and
//! write its store. `/healthz` is the older name of `/readyz`.

use super::query::Query;
use super::reply::Reply;
use crate::store::{self, Store};

/// The kind of health check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Probe {
    /// `/healthz`.
    Health,
    /// `/livez`.
    Live,
    /// `/readyz`.
    Ready,
}

impl Probe {
    /// Its path.
    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Health => "/healthz",
            Self::Live => "/livez",
            Self::Ready => "/readyz",
        }
    }

    fn name(self) -> &'static str {
        &self.path()[1..]
    }
}

/// Answers a probe in upstream's format: `ok`, or one line for each check if a check fails or
/// `verbose` is set. Checks in `exclude` are skipped.
pub(super) async fn answer(probe: Probe, query: &Query, store: &dyn Store) -> Reply {
    let state = match store.check().await {
        // The store reopens itself; a restart would not do better.
        Err(error) if probe == Probe::Live && !matches!(error, store::Error::Closed) => Ok(()),
        state => state,
    };
    let mut lines = String::new();
    let mut passes = true;
    for (check, outcome) in [("ping", Ok(())), ("store", state)] {
        let line = match outcome {
            _ if query.exclude.iter().any(|name| name == check) => format!("[+]{check} excluded: ok\n"),
            Ok(()) => format!("[+]{check} ok\n"),
            Err(error) => {
                passes = false;
                format!("[-]{check} failed: {error}\n")
            }
        };
        lines.push_str(&line);
    }
    match (passes, query.verbose) {
        (true, false) => Reply::text(200, "ok"),
        (true, true) => Reply::text(200, &format!("{lines}{} check passed\n", probe.name())),
        (false, _) => Reply::text(500, &format!("{lines}{} check failed\n", probe.name())),
    }
}
