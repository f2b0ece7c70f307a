//! The server, put together.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use hubgen_machinery::scheme::Scheme;
use tokio::net::TcpListener;

use crate::admission::Chain;
use crate::connection;
use crate::environment::{Environment, System};
use crate::http::{Api, router};
use crate::limits::Limits;
use crate::media::{Coverage, Media};
use crate::registry::Registry;
use crate::storage_path::StoragePath;
use crate::storage_versions::StorageVersions;
use crate::store::Store;

/// What a server is made of.
pub struct Settings {
    /// The kinds that it serves.
    pub scheme: Arc<Scheme>,
    /// Where it keeps objects.
    pub store: Arc<dyn Store>,
    /// At which versions.
    pub storage_versions: StorageVersions,
    /// What objects are stored in. What is stored already stays readable.
    pub storage_media: Media,
    /// What may change or refuse requests, in this order.
    pub admission: Chain,
    /// The clock and chance.
    pub environment: Arc<dyn Environment>,
    /// What one client may take from the others.
    pub limits: Limits,
    /// Whether stored values that cannot be read are left out of lists, with a warning. Otherwise
    /// such a list fails and names them, because to clients that keep a copy of the list, an object
    /// that is missing is one that was deleted.
    pub omit_unreadable: bool,
}

impl Settings {
    /// Default versions and limits, protobuf in storage, no admission, the system's clock.
    pub fn new(scheme: Arc<Scheme>, store: Arc<dyn Store>) -> Self {
        Self {
            scheme,
            store,
            storage_versions: StorageVersions::default(),
            storage_media: Media::default(),
            admission: Chain::default(),
            environment: Arc::new(System),
            limits: Limits::default(),
            omit_unreadable: false,
        }
    }
}

/// A server that listens, and answers once it [runs](Server::run).
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    api: Arc<Api>,
    limits: Limits,
}

impl Server {
    /// Listens on a port of the loopback interface; 0 picks a free one.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn bind(port: u16, settings: Settings) -> io::Result<Self> {
        let Settings {
            scheme,
            store,
            storage_versions,
            storage_media,
            admission,
            environment,
            limits,
            omit_unreadable,
        } = settings;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        let coverage = Coverage::of(&scheme);
        let path =
            StoragePath { scheme, versions: storage_versions, media: storage_media, coverage, admission };
        let registry = Registry { path, store, environment, omit_unreadable };
        Ok(Self { listener, address, api: Arc::new(Api::new(registry, address.to_string(), limits)), limits })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until `shutdown` is ready, then finishes those under way, at most for
    /// [`Limits::grace`]. What has not come to its end by then is left behind: work on a request that
    /// nobody waits for any more can go on for a while, so whoever ends the process must not wait for
    /// the runtime.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        connection::serve(self.listener, router(self.api), self.limits, shutdown).await;
    }
}
