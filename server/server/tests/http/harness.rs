//! Starts a server on a free port, and reads its store.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hubgen_machinery::scalar::Time;
use hubgen_machinery::scheme::Scheme;
use hubgen_server::access::Access;
use hubgen_server::admission::Chain;
use hubgen_server::catalog::{Kinds, Served};
use hubgen_server::environment::Environment;
use hubgen_server::loops::{self, Controllers, Loops};
use hubgen_server::openapi::Sources;
use hubgen_server::rbac::Rbac;
use hubgen_server::store::{Embedded, KeyValue, ListRequest, Options, Store};
use hubgen_server::validation::Schemas;
use hubgen_server::{Conversions, Limits, Server, ServiceUrl, Settings, StorageVersions, Tls};
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

/// What a test wants of its server. Everything else is as in a server with a fixed clock and a few kinds.
pub struct Setup {
    kinds: Kinds,
    access: Access,
    rbac: Option<Rbac>,
    admission: Chain,
    limits: Limits,
    tls: Option<Tls>,
    omit_unreadable: bool,
    service_urls: Vec<ServiceUrl>,
    initial: Vec<Value>,
    applied: Vec<Value>,
    conversions: Option<Arc<dyn Conversions>>,
    controllers: Controllers,
}

impl Setup {
    pub fn new() -> Self {
        Self {
            kinds: Kinds::new(Arc::new(scheme())),
            access: Access::default(),
            rbac: None,
            admission: Chain::default(),
            limits: Limits::default(),
            tls: None,
            omit_unreadable: false,
            service_urls: Vec::new(),
            initial: Vec::new(),
            applied: Vec::new(),
            conversions: None,
            // What a server does by itself changes revisions and uids.
            controllers: Controllers::none(),
        }
    }

    /// With other kinds, like an older or newer release.
    pub fn scheme(self, scheme: Scheme) -> Self {
        Self { kinds: Kinds::new(Arc::new(scheme)), ..self }
    }

    /// With storage versions, in the format of the command.
    pub fn storage_versions(mut self, text: &str) -> Self {
        self.kinds.storage_versions = StorageVersions::parse(text, &self.kinds.scheme).unwrap();
        self
    }

    /// With schemas of kinds.
    pub fn schemas(mut self, schemas: Schemas) -> Self {
        self.kinds.schemas = schemas;
        self
    }

    /// With what is published of the schemas of kinds.
    pub fn published(mut self, sources: Sources) -> Self {
        self.kinds.published = sources;
        self
    }

    /// With admission steps.
    pub fn admission(self, admission: Chain) -> Self {
        Self { admission, ..self }
    }

    /// With somebody who decides who may.
    pub fn access(self, access: Access) -> Self {
        Self { access, ..self }
    }

    /// With roles and bindings.
    pub fn rbac(self, rbac: Rbac) -> Self {
        Self { rbac: Some(rbac), ..self }
    }

    /// With other limits.
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// With a certificate.
    pub fn tls(self, tls: Tls) -> Self {
        Self { tls: Some(tls), ..self }
    }

    /// So that lists omit unreadable values.
    pub fn omit_unreadable(self) -> Self {
        Self { omit_unreadable: true, ..self }
    }

    /// With addresses of services.
    pub fn service_urls(self, service_urls: Vec<ServiceUrl>) -> Self {
        Self { service_urls, ..self }
    }

    /// With objects that exist from the start.
    pub fn initial(self, initial: Vec<Value>) -> Self {
        Self { initial, ..self }
    }

    /// With objects that are as these from the start.
    pub fn applied(self, applied: Vec<Value>) -> Self {
        Self { applied, ..self }
    }

    /// With somebody who converts the objects of definitions.
    pub fn conversions(self, conversions: impl Conversions + 'static) -> Self {
        Self { conversions: Some(Arc::new(conversions)), ..self }
    }

    /// With what a server does by itself.
    pub fn controllers(self, controllers: Controllers) -> Self {
        Self { controllers, ..self }
    }

    /// Starts the server with an empty store in memory.
    pub fn start(self) -> Harness {
        self.start_on(|| Arc::new(Embedded::in_memory(Options::default()).unwrap()))
    }

    /// Starts the server on the store of a test.
    pub fn start_on(self, store: impl FnOnce() -> Arc<dyn Store>) -> Harness {
        let runtime = Runtime::new().unwrap();
        let store = runtime.block_on(async { store() });
        self.run(runtime, store)
    }

    /// Starts the server on the store of another one.
    pub fn restart(self, Harness { runtime, store, .. }: Harness) -> Harness {
        self.run(runtime, store)
    }

    fn run(self, runtime: Runtime, store: Arc<dyn Store>) -> Harness {
        let Self {
            kinds,
            access,
            rbac,
            admission,
            limits,
            tls,
            omit_unreadable,
            service_urls,
            initial,
            applied,
            conversions,
            controllers,
        } = self;
        let environment = Arc::new(Fixed::default());
        let settings = Settings {
            access,
            rbac,
            admission,
            environment,
            limits,
            tls,
            omit_unreadable,
            service_urls,
            initial,
            applied,
            conversions,
            loops: loops::Settings { controllers, ..loops::Settings::default() },
            ..Settings::new(kinds, store.clone())
        };
        let server = runtime.block_on(Server::bind(0, settings)).unwrap();
        let (client, served, loops) = (Client(server.address()), server.served(), server.loops());
        let (stop, stopped) = oneshot::channel();
        let running = runtime.spawn(server.run(async {
            // Dropping the harness must not stop the server.
            if stopped.await.is_err() {
                std::future::pending::<()>().await;
            }
        }));
        Harness { client, served, loops, store, runtime, stop, running }
    }
}

/// A server that runs until it is dropped.
pub struct Harness {
    pub client: Client,
    /// The kinds that it serves.
    pub served: Served,
    loops: Loops,
    store: Arc<dyn Store>,
    runtime: Runtime,
    stop: oneshot::Sender<()>,
    running: JoinHandle<()>,
}

impl Harness {
    /// Starts a server with an empty store in memory.
    pub fn new() -> Self {
        Setup::new().start()
    }

    /// Asks the server to stop, and waits until it has stopped.
    pub fn stop(self) {
        self.stop.send(()).unwrap();
        self.runtime.block_on(self.running).unwrap();
        // Work may continue, as at the end of a process.
        self.runtime.shutdown_background();
    }

    /// Waits until the server has done what it does by itself.
    pub fn settle(&self) {
        self.runtime.block_on(self.loops.settled());
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

    /// Deletes a key of the store without the server.
    pub fn remove(&self, key: &str) {
        self.runtime.block_on(async {
            let found = self.store.get(key.as_bytes()).await.unwrap().expect("the store has the key");
            self.store.delete(key.into(), found.mod_revision).await.unwrap();
        });
    }

    /// Writes a value into the store without the server.
    pub fn put(&self, key: &str, value: &str) {
        self.runtime.block_on(self.store.create(key.into(), value.into())).unwrap();
    }
}
