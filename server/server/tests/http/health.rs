//! `/livez`, `/readyz` and `/healthz`.

use std::io;
use std::sync::{Arc, Mutex};

use hubgen_server::store::{Answer, Embedded, Error, KeyValue, ListRequest, Options, Page, Store, Watch};

use crate::harness::Setup;

/// A store whose `check` returns a result that the test sets.
struct StoreWithState {
    store: Embedded,
    state: Arc<Mutex<Result<(), Error>>>,
}

impl Store for StoreWithState {
    fn get<'a>(&'a self, key: &'a [u8]) -> Answer<'a, Option<KeyValue>> {
        self.store.get(key)
    }

    fn list(&self, request: ListRequest) -> Answer<'_, Page> {
        self.store.list(request)
    }

    fn create(&self, key: Vec<u8>, value: Vec<u8>) -> Answer<'_, u64> {
        self.store.create(key, value)
    }

    fn update(&self, key: Vec<u8>, value: Vec<u8>, expected: u64) -> Answer<'_, u64> {
        self.store.update(key, value, expected)
    }

    fn delete(&self, key: Vec<u8>, expected: u64) -> Answer<'_, u64> {
        self.store.delete(key, expected)
    }

    fn watch(&self, prefix: Vec<u8>, after: u64) -> Answer<'_, Box<dyn Watch>> {
        self.store.watch(prefix, after)
    }

    fn compact(&self, revision: u64) -> Answer<'_, ()> {
        self.store.compact(revision)
    }

    fn check(&self) -> Answer<'_, ()> {
        let state = self.state.lock().unwrap().clone();
        Box::pin(async { state })
    }
}

#[test]
fn probes_report_the_state_of_the_store() {
    let state = Arc::new(Mutex::new(Ok(())));
    let state_of_store = state.clone();
    let server = Setup::new().start_on(|| {
        let store = Embedded::in_memory(Options::default()).unwrap();
        Arc::new(StoreWithState { store, state: state_of_store })
    });
    let set = |now: Result<(), Error>| *state.lock().unwrap() = now;
    let get = |path: &str| {
        let answer = server.client.get(path);
        (answer.code, answer.body)
    };
    let ok = || (200, "ok".to_owned());
    for path in ["/livez", "/readyz", "/healthz"] {
        assert_eq!(get(path), ok(), "{path}");
    }
    assert_eq!(get("/readyz?verbose"), (200, "[+]ping ok\n[+]store ok\nreadyz check passed\n".to_owned()));

    set(Err(Error::Failed(Arc::new(io::Error::other("no space left")))));
    let failed =
        |name: &str, why: &str| (500, format!("[+]ping ok\n[-]store failed: {why}\n{name} check failed\n"));
    assert_eq!(get("/readyz"), failed("readyz", "the store failed: no space left"));
    assert_eq!(get("/healthz"), failed("healthz", "the store failed: no space left"));
    // The store reopens itself, so the server need not be restarted.
    assert_eq!(get("/livez"), ok());
    assert_eq!(get("/readyz?exclude=store"), ok());

    set(Err(Error::Closed));
    for name in ["livez", "readyz", "healthz"] {
        assert_eq!(get(&format!("/{name}")), failed(name, "the store is closed"));
    }
    set(Ok(()));
    assert_eq!(get("/readyz"), ok());
}
