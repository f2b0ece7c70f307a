//! A server that runs.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use hubgen_server::loops::Loops;
use hubgen_server::store::{Embedded, Options, Store};
use hubgen_server::{Kubeconfig, Server, catalog};
use tokio::task::JoinHandle;

use crate::builder::Builder;
use crate::clock::Clock;
use crate::error::Error;
use crate::faults::Faults;
use crate::snapshot::{Bases, Snapshot};

/// A running server, with objects in memory. It is gone when this is dropped: its tasks, its port and its objects.
///
/// It runs on the runtime on which it was started, in tasks: a test with `#[tokio::test]` needs nothing else.
pub struct TestServer {
    url: String,
    builder: Builder,
    served: catalog::Served,
    loops: Loops,
    store: Arc<dyn Store>,
    bases: Bases,
    clock: Clock,
    faults: Faults,
    running: JoinHandle<()>,
}

impl TestServer {
    /// Starts a server with the kinds of Kubernetes, and the namespaces that a kube-apiserver makes.
    ///
    /// # Errors
    /// If it cannot listen.
    pub async fn start() -> Result<Self, Error> {
        Builder::default().start().await
    }

    /// What a server begins with, and what it serves.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Starts another server, with the kinds of the one whose snapshot this is and the objects that it had.
    ///
    /// # Errors
    /// If it cannot listen.
    pub async fn from_snapshot(snapshot: &Snapshot) -> Result<Self, Error> {
        snapshot.builder().start_from(snapshot).await
    }

    async fn run(builder: Builder, snapshot: Option<&Snapshot>) -> Result<Self, Error> {
        let (clock, faults) = (Clock::default(), Faults::default());
        if let Some(time) = builder.first_time() {
            clock.set(time);
        }
        let store: Arc<dyn Store> = Arc::new(Embedded::in_memory(Options::default())?);
        if let Some(snapshot) = snapshot {
            snapshot.fill(&*store).await?;
        }
        let mut settings = builder.apply(store)?;
        settings.environment = Arc::new(clock.clone());
        settings.faults = Some(Arc::new(faults.clone()));
        let scheme = if settings.tls.is_some() { "https" } else { "http" };
        let server = Server::bind(0, settings).await.map_err(Error::Start)?;
        let url = format!("{scheme}://{}", server.address());
        let (served, store, bases) = (server.served(), server.store(), Bases::default());
        let loops = server.loops();
        let running = tokio::spawn(server.run(std::future::pending()));
        loops.settled().await;
        Ok(Self { url, builder, served, loops, store, bases, clock, faults, running })
    }

    /// The URL of the server, without a slash at the end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A kubeconfig for clients, in YAML. It has no credentials: by default everybody may do everything.
    pub fn kubeconfig(&self) -> String {
        Kubeconfig { url: &self.url, authority: None, token: None }.to_string()
    }

    /// Writes the kubeconfig to a file, which is replaced.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_kubeconfig(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let written = fs::write(path, self.kubeconfig());
        written.map_err(|error| Error::File { path: path.to_owned(), error })
    }

    /// The clock of the server.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The faults of the server, of which there are none at first.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Forgets the history up to a revision, as a cluster does from time to time: lists and watches that begin before are answered
    /// with 410.
    ///
    /// # Errors
    /// If the store has not come to the revision, or has failed.
    pub async fn compact(&self, revision: u64) -> Result<(), Error> {
        Ok(self.store.compact(revision).await?)
    }

    /// Waits until the server has done what follows from all that was written: garbage is collected, namespaces that were deleted
    /// are empty, kinds of definitions are served. What waits for somebody else, such as for a finalizer, is not waited for.
    pub async fn settled(&self) {
        self.loops.settled().await;
    }

    /// The objects that there are when the server is [`settled`](Self::settled). [`restore`](Self::restore) brings them back.
    ///
    /// # Errors
    /// If the store has failed.
    pub async fn snapshot(&self) -> Result<Snapshot, Error> {
        self.settled().await;
        let builder = self.builder.without_objects();
        let (snapshot, revision) = Snapshot::take(&*self.store, builder).await?;
        self.bases.set(&snapshot, revision);
        Ok(snapshot)
    }

    /// Makes all objects what they were in a snapshot, of this server or of another one with the same kinds.
    ///
    /// What has changed is written back as ordinary writes, in as few transactions as the store can: who watches sees deletions, changes and creations,
    /// and revisions only grow. Objects have the uid, the times and the status that they had. It takes as long as there are
    /// changes since the snapshot, however many objects there are.
    ///
    /// Kinds of definitions are served, or not any more, when this returns. Clients that write meanwhile are undone, too;
    /// a controller that goes on writing has to be stopped before.
    ///
    /// # Errors
    /// If the store has failed, or somebody goes on writing.
    pub async fn restore(&self, snapshot: &Snapshot) -> Result<(), Error> {
        self.settled().await;
        let definitions = self.served.prefix_of_definitions();
        let last = snapshot.bring_back(&*self.store, &self.bases, definitions.as_deref()).await?;
        if let Some(last) = last {
            self.served.has_followed(last).await;
        }
        Ok(())
    }
}

impl Builder {
    /// Starts the server on the runtime of the caller.
    ///
    /// # Errors
    /// If a setting is not valid, a file cannot be read, an object cannot be created, or the server cannot listen.
    pub async fn start(self) -> Result<TestServer, Error> {
        TestServer::run(self, None).await
    }

    /// Starts the server with the objects of another one. Those that this builder has, and the snapshot does not, are made.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub async fn start_from(self, snapshot: &Snapshot) -> Result<TestServer, Error> {
        TestServer::run(self, Some(snapshot)).await
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.running.abort();
    }
}
