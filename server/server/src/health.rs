//! The health checks `/livez`, `/readyz` and `/healthz`.
//!
//! A server is live unless a restart would help more than waiting. It is ready if it can read and
//! write its store. `/healthz` is the older name of `/readyz`.

use crate::answer::Answer;
use crate::request::{Probe, Query};
use crate::store::{self, Store};

/// Answers a probe in upstream's format: `ok`, or one line for each check if a check fails or
/// `verbose` is set. Checks in `exclude` are skipped.
pub(crate) async fn answer(probe: Probe, query: &Query, store: &dyn Store) -> Answer {
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
        (true, false) => Answer::text(200, "ok"),
        (true, true) => Answer::text(200, &format!("{lines}{} check passed\n", probe.name())),
        (false, _) => Answer::text(500, &format!("{lines}{} check failed\n", probe.name())),
    }
}
