//! What a server does for roles and bindings when it starts, and as long as it runs.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::Object;
use hubgen_serve::queue::{Lane, Turn};
use serde_json::json;
use tokio::task::JoinSet;

use super::bootstrap::Bootstrap;
use super::escalation::Escalation;
use super::follow::{Followed, GROUP, VERSION};
use super::reconcile::{Reconcile, Reconciled};
use super::told::Told;
use super::{Rbac, aggregate};
use crate::access::{Authorize, PRIVILEGED, User};
use crate::admission;
use crate::catalog::Served;
use crate::objects::{Backing, Error, Objects, Outcome, Write};
use crate::status::Failure;
use crate::store::Store;

/// Under which name the server writes roles and bindings. It is that of upstream, which clients know.
const MANAGER: &str = "kube-apiserver";
/// How many of them are written at a time, so that a store can write them together.
const AT_A_TIME: usize = 32;

/// Roles and bindings, between the start of the policy and that of the server.
pub(crate) struct Starting {
    policy: Arc<Followed>,
    bootstrap: Option<Bootstrap>,
    /// The tasks that follow the store; they end when this is dropped.
    tasks: JoinSet<()>,
}

impl Starting {
    /// Reads the policy. From then on the store tells it of writes, and admission refuses those that grant too much.
    ///
    /// # Errors
    /// If the kinds are not served, or the store cannot be read.
    pub(crate) async fn new(
        rbac: &Rbac,
        served: &Served,
        store: &mut Arc<dyn Store>,
        steps: &mut admission::Chain,
        authorize: &Arc<dyn Authorize>,
    ) -> io::Result<Self> {
        let unserved = || {
            let message = format!("roles and bindings decide who may, and {GROUP}/{VERSION} is not served");
            io::Error::new(io::ErrorKind::InvalidInput, message)
        };
        let policy = Followed::new(served).ok_or_else(unserved)?;
        let mut tasks = JoinSet::new();
        policy.start(store, &mut tasks).await.map_err(io::Error::other)?;
        if rbac.0.policy.set(Arc::clone(&policy)).is_err() {
            let message = "the roles and bindings of a server cannot decide for another one";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        *store = Arc::new(Told { store: Arc::clone(store), policy: Arc::clone(&policy) });
        // After all that may change the object.
        steps.mutating.push(Box::new(Escalation { rbac: rbac.clone(), authorize: Arc::clone(authorize) }));
        Ok(Self { policy, bootstrap: rbac.0.bootstrap.clone(), tasks })
    }

    /// Makes the roles and bindings that are missing, and keeps aggregated ones from then on, until the result is dropped.
    ///
    /// # Errors
    /// If one cannot be written.
    pub(crate) async fn finish(self, served: &Served, backing: &Arc<Backing>) -> io::Result<JoinSet<()>> {
        let Self { policy, bootstrap, mut tasks } = self;
        let work = Work {
            served: served.clone(),
            backing: Arc::clone(backing),
            lane: Lane::new(AT_A_TIME, Duration::MAX),
        };
        let aggregate = aggregate::Aggregate { policy, work: work.clone() };
        if let Some(bootstrap) = bootstrap {
            work.make(bootstrap).await.map_err(io::Error::other)?;
            aggregate.all().await;
        }
        tasks.spawn(aggregate.run());
        Ok(tasks)
    }
}

/// Writes of the server itself.
#[derive(Clone)]
pub(super) struct Work {
    served: Served,
    backing: Arc<Backing>,
    lane: Lane,
}

impl Work {
    /// Makes the objects that are missing.
    async fn make(&self, bootstrap: Bootstrap) -> Result<(), String> {
        let Bootstrap { namespaces, roles, cluster_roles, bindings, cluster_bindings } = bootstrap;
        let mut writes = JoinSet::new();
        for namespace in namespaces {
            let work = self.clone();
            writes.spawn(async move { work.namespace(&namespace).await });
        }
        self.ensure_all("Role", roles, &mut writes);
        self.ensure_all("ClusterRole", cluster_roles, &mut writes);
        self.ensure_all("RoleBinding", bindings, &mut writes);
        self.ensure_all("ClusterRoleBinding", cluster_bindings, &mut writes);
        while let Some(written) = writes.join_next().await {
            written.map_err(|error| error.to_string())??;
        }
        Ok(())
    }

    fn ensure_all<T: Reconcile + Reflect + Sync + 'static>(
        &self,
        kind: &'static str,
        all: Vec<T>,
        writes: &mut JoinSet<Result<(), String>>,
    ) {
        for wanted in all {
            let work = self.clone();
            writes.spawn(async move {
                let value = Box::new(wanted.clone());
                let change = move |stored: &dyn Reflect| match stored.downcast_ref::<T>() {
                    None => Outcome::Keep,
                    Some(stored) => match wanted.reconcile(stored) {
                        Reconciled::Same => Outcome::Keep,
                        Reconciled::Changed(new) => Outcome::Replace(Box::new(new)),
                        Reconciled::Recreated => Outcome::Recreate,
                    },
                };
                work.ensure(kind, value, change).await
            });
        }
    }

    /// Creates an object of one of the four kinds, or changes it.
    async fn ensure(
        &self,
        kind: &str,
        value: Box<dyn Reflect>,
        change: impl Fn(&dyn Reflect) -> Outcome + Send + Sync + 'static,
    ) -> Result<(), String> {
        let catalog = self.served.current();
        let Some(entry) = catalog.scheme.kind(GROUP, VERSION, kind).cloned() else {
            return Err(format!("{GROUP}/{VERSION} {kind} is not served any more"));
        };
        self.write(Object { entry, value }, change).await
    }

    /// Creates a namespace, if the server has such a kind.
    async fn namespace(&self, name: &str) -> Result<(), String> {
        let catalog = self.served.current();
        let Some(entry) = catalog.scheme.kind("", "v1", "Namespace") else { return Ok(()) };
        let document = json!({"metadata": {"name": name}}).to_string();
        let (object, _) = Object::decode(entry, document.as_bytes()).map_err(|error| error.to_string())?;
        self.write(object, |_| Outcome::Keep).await
    }

    /// Changes a role of the cluster, if it exists.
    pub(super) async fn amend(
        &self,
        name: &str,
        change: impl Fn(&dyn Reflect) -> Outcome + Send + Sync + 'static,
        manager: &str,
    ) -> Result<(), String> {
        let catalog = self.served.current();
        let Some(entry) = catalog.scheme.kind(GROUP, VERSION, "ClusterRole").cloned() else { return Ok(()) };
        let name = name.to_owned();
        self.work(manager, move |objects, write| async move {
            objects.amend(&entry, &name, &change, &write).await
        })
        .await
    }

    async fn write(
        &self,
        object: Object,
        change: impl Fn(&dyn Reflect) -> Outcome + Send + Sync + 'static,
    ) -> Result<(), String> {
        self.work(
            MANAGER,
            move |objects, write| async move { objects.ensure(&object, &change, &write).await },
        )
        .await
    }

    /// Writes when there is room for it.
    async fn work<W: Future<Output = Result<(), Error>> + Send>(
        &self,
        manager: &str,
        work: impl FnOnce(Objects, Write) -> W + Send + 'static,
    ) -> Result<(), String> {
        let objects = Objects { catalog: self.served.current(), backing: Arc::clone(&self.backing) };
        let user = User {
            name: "system:apiserver".to_owned(),
            groups: vec![PRIVILEGED.to_owned(), "system:authenticated".to_owned()],
            ..User::default()
        };
        let (user, manager) = (Arc::new(user), manager.to_owned());
        let work = |turn: Turn| async move {
            let failed = |error: Error| Failure::from(error).0.message.to_string();
            work(objects, Write { user, manager, dry_run: false, turn }).await.map_err(failed)
        };
        let (written, _) = self.lane.work(work).await.map_err(|error| error.to_string())?;
        written
    }
}
