//! Assembles a server from its settings and runs it.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use hubgen_machinery::scheme::Scheme;
use hubgen_serve::{Door, Tls};
use tokio::net::TcpListener;

use crate::admission::Chain;
use crate::environment::{Environment, System};
use crate::http::{Api, router};
use crate::limits::Limits;
use crate::media::{Coverage, Media};
use crate::registry::Registry;
use crate::storage_path::StoragePath;
use crate::storage_versions::StorageVersions;
use crate::store::Store;
use crate::validation::Schemas;

/// The settings of a server.
pub struct Settings {
    /// The kinds to serve.
    pub scheme: Arc<Scheme>,
    /// The store of the objects.
    pub store: Arc<dyn Store>,
    /// The version at which each kind is stored.
    pub storage_versions: StorageVersions,
    /// The media type of stored objects. Existing objects in other media types stay readable.
    pub storage_media: Media,
    /// The admission steps, in this order.
    pub admission: Chain,
    /// Schemas of kinds that come from CustomResourceDefinitions, which validate their objects.
    pub schemas: Schemas,
    /// The clock and the source of random identities.
    pub environment: Arc<dyn Environment>,
    /// The limits on connections and requests.
    pub limits: Limits,
    /// The certificate of the server, which then serves over TLS only. Without it, which is the default, it serves over
    /// plain TCP.
    pub tls: Option<Tls>,
    /// Whether lists omit stored values that cannot be read, with a warning. Otherwise such a list
    /// fails and names them, because a client that caches the list takes a missing object for a
    /// deleted one.
    pub omit_unreadable: bool,
}

impl Settings {
    /// Settings with the default storage versions and limits, protobuf in storage, no admission,
    /// and the system's clock.
    pub fn new(scheme: Arc<Scheme>, store: Arc<dyn Store>) -> Self {
        Self {
            scheme,
            store,
            storage_versions: StorageVersions::default(),
            storage_media: Media::default(),
            admission: Chain::default(),
            schemas: Schemas::default(),
            environment: Arc::new(System),
            limits: Limits::default(),
            tls: None,
            omit_unreadable: false,
        }
    }
}

/// A server that is bound to a port, and answers requests once it [runs](Server::run).
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    api: Arc<Api>,
    limits: Limits,
    tls: Option<Tls>,
}

impl Server {
    /// Binds a port of the loopback interface; 0 picks a free port.
    ///
    /// # Errors
    /// If the port cannot be bound, for example because it is in use.
    pub async fn bind(port: u16, settings: Settings) -> io::Result<Self> {
        let Settings {
            scheme,
            store,
            storage_versions,
            storage_media,
            admission,
            schemas,
            environment,
            limits,
            tls,
            omit_unreadable,
        } = settings;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        let coverage = Coverage::of(&scheme);
        let path = StoragePath {
            scheme,
            versions: storage_versions,
            media: storage_media,
            coverage,
            admission,
            schemas,
        };
        let registry = Registry { path, store, environment, omit_unreadable };
        let api = Arc::new(Api::new(registry, address.to_string(), &limits));
        Ok(Self { listener, address, api, limits, tls })
    }

    /// The address and port of the server.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until `shutdown` is ready. Then it finishes running requests, for at most
    /// [`Limits::grace`], and abandons the rest. The work of an abandoned request can continue for
    /// a while, so whoever ends the process must not wait for the runtime.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let door = Door::new(router(self.api)).limits(self.limits.door());
        let door = match self.tls {
            Some(tls) => door.tls(tls),
            None => door,
        };
        door.serve_on(self.listener, shutdown).await;
    }
}
