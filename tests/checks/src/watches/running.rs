//! A server with a store in a folder, on threads of its own, so that it can end like a process.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use hubgen_kubernetes::machinery::scheme::Scheme;
use hubgen_server::store::{Embedded, ListRequest, Options, Store};
use hubgen_server::{DoorLimits, Limits, Server, Settings};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// How long a store may stay open after its server has ended.
const PATIENCE: Duration = Duration::from_secs(30);

/// What all clients are told.
#[derive(Default)]
pub struct Flags {
    /// Nobody writes any more, and no watch is killed.
    pub ends: AtomicBool,
}

pub struct Running {
    pub address: SocketAddr,
    pub store: Arc<dyn Store>,
    runtime: Runtime,
    stop: oneshot::Sender<()>,
    running: JoinHandle<()>,
}

impl Running {
    /// Starts a server. It must not be called where others wait.
    ///
    /// # Errors
    /// If the store cannot be opened, or the port is not free.
    pub fn start(folder: &Path, scheme: Arc<Scheme>, port: u16) -> Result<Self, String> {
        let runtime = Runtime::new().map_err(|error| error.to_string())?;
        let (server, store) = runtime.block_on(async {
            let begin = Instant::now();
            // Without a limit of its own: what is compacted is decided here.
            let options = Options { history: u64::MAX >> 1, ..Options::default() };
            let store = loop {
                match Embedded::open(folder, options) {
                    Ok(store) => break store,
                    Err(error) if begin.elapsed() > PATIENCE => return Err(error.to_string()),
                    Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
                }
            };
            let store: Arc<dyn Store> = Arc::new(store);
            let door = DoorLimits { connections: 1 << 14, ..DoorLimits::default() };
            let limits = Limits { door, ..Limits::default() };
            let settings = Settings { limits, ..Settings::new(scheme, Arc::clone(&store)) };
            let server = Server::bind(port, settings).await.map_err(|error| error.to_string())?;
            Ok::<_, String>((server, store))
        })?;
        let address = server.address();
        let (stop, stopped) = oneshot::channel();
        let running = runtime.spawn(server.run(async {
            let _ = stopped.await;
        }));
        Ok(Self { address, store, runtime, stop, running })
    }

    /// The revision of the store.
    pub async fn revision(&self) -> Result<u64, String> {
        let nothing = ListRequest { limit: Some(0), ..ListRequest::default() };
        Ok(self.store.list(nothing).await.map_err(|error| error.to_string())?.revision)
    }

    /// Ends the server as a process that is asked to.
    pub async fn stop(self) -> Result<(), String> {
        let Self { store, runtime, stop, running, .. } = self;
        let _ = stop.send(());
        running.await.map_err(|error| error.to_string())?;
        drop(store);
        let ended = tokio::task::spawn_blocking(move || runtime.shutdown_timeout(PATIENCE));
        ended.await.map_err(|error| error.to_string())
    }
}
