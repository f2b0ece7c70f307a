//! An admission step that blocks requests until a test releases them.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use hubgen_server::admission::{AdmissionRequest, Chain, Mutate, Verdict};

/// The timeout of a test.
const PATIENCE: Duration = Duration::from_secs(60);

/// Blocks a thread for every object named `stuck…`, until it is opened.
#[derive(Clone, Default)]
pub struct Gate(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
struct State {
    open: bool,
    inside: usize,
}

impl Gate {
    /// A chain with the gate as the only step.
    pub fn chain(&self) -> Chain {
        Chain { mutating: vec![Box::new(self.clone())], ..Chain::default() }
    }

    /// Waits until this many requests are blocked.
    pub fn wait_for(&self, requests: usize) {
        let (state, changed) = &*self.0;
        let waiting =
            changed.wait_timeout_while(state.lock().unwrap(), PATIENCE, |state| state.inside < requests);
        assert!(!waiting.unwrap().1.timed_out(), "waited {PATIENCE:?} for {requests} requests");
    }

    /// Releases all requests, from now on.
    pub fn open(&self) {
        let (state, changed) = &*self.0;
        state.lock().unwrap().open = true;
        changed.notify_all();
    }
}

impl Mutate for Gate {
    /// Blocks before it returns a future, as a careless step would.
    fn admit<'a>(&'a self, request: &'a mut AdmissionRequest<'_>) -> Verdict<'a> {
        if request.name.starts_with("stuck") {
            let (state, changed) = &*self.0;
            let mut state = state.lock().unwrap();
            state.inside += 1;
            changed.notify_all();
            let mut state = changed.wait_while(state, |state| !state.open).unwrap();
            state.inside -= 1;
        }
        Box::pin(async { Ok(()) })
    }
}
