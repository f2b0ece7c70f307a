//! Assembles a server from its settings and runs it.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use hubgen_definitions::{Conversions, SchemeConversions};
use hubgen_machinery::crd::Crd;
use hubgen_machinery::scheme::Scheme;
use hubgen_serve::metrics::Registry;
use hubgen_serve::{Door, Tls};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::access::{Access, Authorize, ServiceAccountTokens, WithServiceAccounts};
use crate::admission;
use crate::catalog::{Kinds, Served};
use crate::chain::{Chain, router};
use crate::conversion::{ServiceUrl, Webhooks};
use crate::definitions;
use crate::environment::{Environment, System};
use crate::faults::Faults;
use crate::feed::Feeds;
use crate::follow::Followers;
use crate::initial::How;
use crate::limits::Limits;
use crate::loops::{self, Controller, Loops};
use crate::media::Media;
use crate::objects::{Backing, StoredObjects, Whole};
use crate::rbac::{Rbac, Starting};
use crate::store::Store;

/// The settings of a server.
pub struct Settings {
    /// The kinds to serve at first. [`Server::served`] can replace them while the server runs.
    pub kinds: Kinds,
    /// The store of the objects.
    pub store: Arc<dyn Store>,
    /// The media type of stored objects. Existing objects in other media types stay readable.
    pub storage_media: Media,
    /// Who decides who asks, and who may. By default everybody is anonymous and may do everything.
    pub access: Access,
    /// The roles and bindings that decide, if [`access`](Self::access) asks them. By default there are none, and nobody checks
    /// what a role grants.
    pub rbac: Option<Rbac>,
    /// The tokens of service accounts: who asks for one, and who sends one. By default the server signs with a key of its
    /// own, and the tokens are valid until it stops.
    pub service_accounts: Arc<ServiceAccountTokens>,
    /// The admission steps, in this order.
    pub admission: admission::Chain,
    /// The clock and the source of random identities.
    pub environment: Arc<dyn Environment>,
    /// The limits on connections and requests.
    pub limits: Limits,
    /// The address to listen on, by default that of the loopback interface. Another one needs [`tls`](Self::tls).
    pub address: IpAddr,
    /// The certificate of the server, which then serves over TLS only. Without it, which is the default, it serves over
    /// plain TCP.
    pub tls: Option<Tls>,
    /// Whether lists omit stored values that cannot be read, with a warning. Otherwise such a list
    /// fails and names them, because a client that caches the list takes a missing object for a
    /// deleted one.
    pub omit_unreadable: bool,
    /// Where the services are reached that definitions name for their conversion webhooks. By default each is looked up by its
    /// name in the cluster, `NAME.NAMESPACE.svc`.
    pub service_urls: Vec<ServiceUrl>,
    /// Objects that are stored as they are before the first request is answered, in JSON: with their uid, times, status and
    /// whatever else a server manages, and without admission and validation. One of the same name is left as it is. What a
    /// server has to know of an object and it does not say, its uid and when it was created, is as of a new one. By default there
    /// are none.
    pub state: Vec<Value>,
    /// Objects that exist from the start, in JSON, such as the namespace `default`: those that are not stored are
    /// created before the first request is answered. By default there are none.
    pub initial: Vec<Value>,
    /// Objects that are as these when the first request is answered, in JSON: they are applied as a client does, and take
    /// fields from others. Kinds of CustomResourceDefinitions among them are served then. By default there are none.
    pub applied: Vec<Value>,
    /// Who converts the objects of CustomResourceDefinitions instead of the strategies that these have, such as by rules. By
    /// default nobody does.
    pub conversions: Option<Arc<dyn Conversions>>,
    /// Which requests fail on purpose, in tests of clients. By default none.
    pub faults: Option<Arc<dyn Faults>>,
    /// What the server does besides answering requests: it collects garbage, removes the objects of namespaces, and so on. By
    /// default it does all of that for which the Scheme has the kinds.
    pub loops: loops::Settings,
}

impl Settings {
    /// Settings for some kinds (a Scheme is enough), with the default storage versions and limits, protobuf in storage,
    /// no admission, and the system's clock.
    pub fn new(kinds: impl Into<Kinds>, store: Arc<dyn Store>) -> Self {
        Self {
            kinds: kinds.into(),
            store,
            storage_media: Media::default(),
            access: Access::default(),
            rbac: None,
            service_accounts: Arc::default(),
            admission: admission::Chain::default(),
            environment: Arc::new(System),
            limits: Limits::default(),
            address: Ipv4Addr::LOCALHOST.into(),
            tls: None,
            omit_unreadable: false,
            service_urls: Vec::new(),
            state: Vec::new(),
            initial: Vec::new(),
            applied: Vec::new(),
            conversions: None,
            faults: None,
            loops: loops::Settings::default(),
        }
    }
}

/// A server that is bound to a port, and answers requests once it [runs](Server::run).
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    chain: Arc<Chain>,
    served: Served,
    loops: Loops,
    limits: Limits,
    tls: Option<Tls>,
    /// What the server does besides requests; it ends with it.
    _tasks: JoinSet<()>,
}

impl Server {
    /// Binds a port; 0 picks a free port.
    ///
    /// # Errors
    /// If the port cannot be bound, for example because it is in use, if others could reach it over plain HTTP, if an
    /// object of [`state`](Settings::state) cannot be stored, an [initial](Settings::initial) one cannot be created, or one
    /// cannot be [applied](Settings::applied).
    pub async fn bind(port: u16, settings: Settings) -> io::Result<Self> {
        let Settings {
            kinds,
            mut store,
            storage_media,
            access: Access { authenticate, authorize },
            rbac,
            service_accounts,
            mut admission,
            environment,
            limits,
            address,
            tls,
            omit_unreadable,
            service_urls,
            state,
            initial,
            applied,
            conversions,
            faults,
            mut loops,
        } = settings;
        if !address.is_loopback() && tls.is_none() {
            let message = format!("{address} can be reached from other machines, and needs a certificate");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let listener = TcpListener::bind((address, port)).await?;
        let address = listener.local_addr()?;
        let served = Served::new(kinds, address.to_string());
        let authorize: Arc<dyn Authorize> = authorize.into();
        let followers = Followers::default();
        let mut tasks = JoinSet::new();
        let starting = match &rbac {
            Some(rbac) => Some(
                Starting::new(rbac, &served, &mut store, &mut admission, &authorize, &followers, &mut tasks)
                    .await?,
            ),
            None => None,
        };
        let metrics = Registry::default();
        let patience = [limits.conversion, limits.turn];
        let webhooks = Webhooks::new(service_urls, patience, &metrics, Arc::clone(&environment));
        let feeds = Feeds::new(Arc::clone(&store), limits.feed_bytes);
        let whole = Whole::default();
        let authenticate = WithServiceAccounts {
            tokens: Arc::clone(&service_accounts),
            objects: Box::new(StoredObjects { served: served.clone(), store: Arc::clone(&store) }),
            environment: Arc::clone(&environment),
            others: authenticate,
        };
        let access = Access { authenticate: Box::new(authenticate), authorize: Box::new(authorize) };
        let backing = Arc::new(Backing {
            store,
            feeds,
            storage_media,
            access,
            service_accounts,
            admission,
            environment,
            omit_unreadable,
            whole,
            conversions: conversions.clone(),
            collects_garbage: loops.controllers.has(Controller::Garbage),
            empties_namespaces: loops.controllers.has(Controller::Namespaces),
            ends_pods: loops.controllers.has(Controller::Pods),
            followers: followers.clone(),
        });
        let followed =
            definitions::follow(&served, &backing.store, conversions, webhooks, &followers, &mut tasks).await;
        followed.map_err(io::Error::other)?;
        loops::definitions::start(&served, &backing, &mut tasks);
        let chain = Arc::new(Chain::new(
            served.clone(),
            Arc::clone(&backing),
            &limits,
            metrics,
            tls.is_none(),
            faults,
        ));
        let wrong = |why: String| io::Error::new(io::ErrorKind::InvalidInput, why);
        // Before the server makes objects of its own, which would be in the way of those.
        chain.prepare(state, How::AsTheyAre).await.map_err(wrong)?;
        loops::make_namespaces(&served, &backing).await.map_err(io::Error::other)?;
        if let Some(starting) = starting {
            starting.finish(&served, &backing, &mut tasks).await?;
        }
        if loops.root_certificates.is_none() {
            loops.root_certificates =
                tls.as_ref().map(|tls| String::from_utf8_lossy(tls.ca_bundle()).into_owned());
        }
        loops::start(&served, &backing, &loops, address.port(), &mut tasks);
        let loops = Loops::new(&served, &backing);
        for (objects, how) in [(initial, How::Created), (applied, How::Applied)] {
            chain.prepare(objects, how).await.map_err(wrong)?;
        }
        Ok(Self { listener, address, chain, served, loops, limits, tls, _tasks: tasks })
    }

    /// Binds a port, and serves the kinds of a program's own Scheme beside those in the settings.
    ///
    /// The kinds come from their definitions, which are [applied](Settings::applied), so that clients see them as everywhere,
    /// and the server prunes, defaults and validates their objects. These convert by the Scheme: by the program's own
    /// code, functions that rules name included. `hubgen generate` writes both, the Scheme and the definitions:
    /// `Server::with_scheme(0, api::scheme(), api::crds(), settings)`. The kinds in the settings need CustomResourceDefinitions
    /// among them, as Kubernetes' kinds have.
    ///
    /// # Errors
    /// As [`bind`](Self::bind), and if the definitions and the Scheme have other versions of a kind.
    pub async fn with_scheme(
        port: u16,
        own: Scheme,
        definitions: impl IntoIterator<Item = Crd>,
        mut settings: Settings,
    ) -> io::Result<Self> {
        settings.applied.extend(definitions.into_iter().map(|definition| definition.value()));
        let others = settings.conversions.take();
        settings.conversions = Some(Arc::new(SchemeConversions::new(Arc::new(own), others)));
        Self::bind(port, settings).await
    }

    /// The address and port of the server.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The kinds that the server serves, which can be replaced while it runs.
    pub fn served(&self) -> Served {
        self.served.clone()
    }

    /// The store, as the server uses it: it takes notice of what others write with this one. They bypass admission and
    /// validation.
    pub fn store(&self) -> Arc<dyn Store> {
        self.chain.store()
    }

    /// The loops of the server, to [wait](Loops::settled) for them, also while it runs.
    pub fn loops(&self) -> Loops {
        self.loops.clone()
    }

    /// Answers requests until `shutdown` is ready. Then it finishes running requests, for at most
    /// [`DoorLimits::grace`](crate::DoorLimits::grace), and abandons the rest. The work of an abandoned request can
    /// continue for a while, so whoever ends the process must not wait for the runtime.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let door = Door::new(router(self.chain)).limits(self.limits.door);
        let door = match self.tls {
            Some(tls) => door.tls(tls),
            None => door,
        };
        door.serve_on(self.listener, shutdown).await;
    }
}
