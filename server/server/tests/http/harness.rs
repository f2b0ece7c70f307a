//! Starts a server on a free port, and reads its store.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hubgen_machinery::scalar::Time;
use hubgen_machinery::scheme::Scheme;
use hubgen_server::admission::Chain;
use hubgen_server::environment::Environment;
use hubgen_server::store::{Embedded, KeyValue, ListRequest, Options, Store};
use hubgen_server::validation::Schemas;
use hubgen_server::{Limits, Server, Settings, StorageVersions};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::client::Client;
use crate::scheme::scheme;

/// A fixed clock, and predictable uids and name suffixes.
#[derive(Default)]
pub struct Fixed {
    uids: AtomicUsize,
    suffixes: AtomicUsize,
}

impl Environment for Fixed {
    fn now(&self) -> Time {
        "2026-01-02T03:04:05Z".parse().unwrap()
    }

    fn uid(&self) -> String {
        format!("uid-{}", self.uids.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Returns each suffix twice, so that every second name exists already.
    fn name_suffix(&self) -> String {
        format!("{:05}", self.suffixes.fetch_add(1, Ordering::Relaxed) / 2)
    }
}

/// A server that runs until it is dropped.
pub struct Harness {
    pub client: Client,
    store: Arc<dyn Store>,
    runtime: Runtime,
    stop: oneshot::Sender<()>,
    running: JoinHandle<()>,
}

impl Harness {
    /// Starts a server with an empty store in memory.
    pub fn new() -> Self {
        let runtime = Runtime::new().unwrap();
        let store = runtime.block_on(async { Embedded::in_memory(Options::default()).unwrap() });
        Self::start(runtime, Arc::new(store), "", Chain::default())
    }

    /// Starts a server with admission steps.
    pub fn with_admission(admission: Chain) -> Self {
        let Self { store, runtime, .. } = Self::new();
        Self::start(runtime, store, "", admission)
    }

    /// Starts a server with other limits.
    pub fn with_limits(limits: Limits) -> Self {
        Self::with_limits_and_admission(limits, Chain::default())
    }

    /// Starts a server with other limits and admission steps.
    pub fn with_limits_and_admission(limits: Limits, admission: Chain) -> Self {
        let Self { store, runtime, .. } = Self::new();
        Self::start_with(runtime, store, scheme(), "", admission, limits)
    }

    /// Restarts the server on the same store, with other storage versions.
    pub fn restarted(self, storage_versions: &str) -> Self {
        Self::start(self.runtime, self.store, storage_versions, Chain::default())
    }

    /// Restarts the server on the same store with other kinds, like an older or newer release.
    pub fn restarted_with(self, scheme: Scheme) -> Self {
        Self::start_with(self.runtime, self.store, scheme, "", Chain::default(), Limits::default())
    }

    /// Starts a server on the store of a test.
    pub fn with_store(make: impl FnOnce() -> Arc<dyn Store>) -> Self {
        let runtime = Runtime::new().unwrap();
        let store = runtime.block_on(async { make() });
        Self::start(runtime, store, "", Chain::default())
    }

    /// Restarts the server on the same store with schemas of kinds.
    pub fn restarted_with_schemas(self, schemas: Schemas) -> Self {
        let settings = Settings { schemas, ..Settings::new(Arc::new(scheme()), self.store.clone()) };
        Self::serve(self.runtime, self.store, settings)
    }

    /// Restarts the server on the same store, so that lists omit unreadable values.
    pub fn restarted_omitting_unreadable(self) -> Self {
        let settings =
            Settings { omit_unreadable: true, ..Settings::new(Arc::new(scheme()), self.store.clone()) };
        Self::serve(self.runtime, self.store, settings)
    }

    fn start(runtime: Runtime, store: Arc<dyn Store>, storage_versions: &str, admission: Chain) -> Self {
        Self::start_with(runtime, store, scheme(), storage_versions, admission, Limits::default())
    }

    fn start_with(
        runtime: Runtime,
        store: Arc<dyn Store>,
        scheme: Scheme,
        storage_versions: &str,
        admission: Chain,
        limits: Limits,
    ) -> Self {
        let scheme = Arc::new(scheme);
        let storage_versions = StorageVersions::parse(storage_versions, &scheme).unwrap();
        let environment = Arc::new(Fixed::default());
        let settings = Settings {
            storage_versions,
            admission,
            environment,
            limits,
            ..Settings::new(scheme, store.clone())
        };
        Self::serve(runtime, store, settings)
    }

    /// Starts a server with settings, on the store that they name.
    pub fn serve(runtime: Runtime, store: Arc<dyn Store>, settings: Settings) -> Self {
        let server = runtime.block_on(Server::bind(0, settings)).unwrap();
        let client = Client(server.address());
        let (stop, stopped) = oneshot::channel();
        let running = runtime.spawn(server.run(async {
            // Dropping the harness must not stop the server.
            if stopped.await.is_err() {
                std::future::pending::<()>().await;
            }
        }));
        Self { client, store, runtime, stop, running }
    }

    /// Asks the server to stop, and waits until it has stopped.
    pub fn stop(self) {
        self.stop.send(()).unwrap();
        self.runtime.block_on(self.running).unwrap();
        // Work may continue, as at the end of a process.
        self.runtime.shutdown_background();
    }

    /// Compacts all revisions before the newest one.
    pub fn compact(&self) {
        let (revision, _) = self.stored();
        self.runtime.block_on(self.store.compact(revision)).unwrap();
    }

    /// The revision of the store, and all keys with their values.
    pub fn stored(&self) -> (u64, Vec<KeyValue>) {
        let page = self.runtime.block_on(self.store.list(ListRequest::default())).unwrap();
        (page.revision, page.items)
    }

    /// The stored value of a key, as JSON.
    pub fn stored_at(&self, key: &str) -> Value {
        let found = self.runtime.block_on(self.store.get(key.as_bytes())).unwrap();
        let found = found.unwrap_or_else(|| panic!("the store has no key {key}"));
        serde_json::from_slice(&found.value).unwrap()
    }

    /// Writes a value into the store without the server.
    pub fn put(&self, key: &str, value: &str) {
        self.runtime.block_on(self.store.create(key.into(), value.into())).unwrap();
    }
}
