//! Writes of the server itself: the roles and bindings that it makes when it starts, and those that it keeps.

use std::sync::Arc;
use std::time::Duration;

use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::Object;
use hubgen_serve::queue::{Lane, Turn};
use serde_json::Value;
use tokio::task::JoinSet;

use super::bootstrap::Bootstrap;
use super::follow::{GROUP, VERSION};
use super::reconcile::{Reconcile, Reconciled};
use crate::access::{PRIVILEGED, User};
use crate::catalog::Served;
use crate::objects::{Backing, Error, Objects, Outcome, Write};
use crate::status::Failure;

/// Under which name the server writes roles and bindings. It is that of upstream, which clients know.
const MANAGER: &str = "kube-apiserver";
/// How many of them are written at a time, so that a store can write them together.
const AT_A_TIME: usize = 32;

/// Writes of the server itself.
#[derive(Clone)]
pub(super) struct Work {
    served: Served,
    backing: Arc<Backing>,
    lane: Lane,
}

impl Work {
    pub(super) fn new(served: &Served, backing: &Arc<Backing>) -> Self {
        let lane = Lane::new(AT_A_TIME, Duration::MAX);
        Self { served: served.clone(), backing: Arc::clone(backing), lane }
    }

    /// Makes the objects that are missing.
    pub(super) async fn make(&self, bootstrap: Bootstrap) -> Result<(), String> {
        let Bootstrap { others, roles, cluster_roles, bindings, cluster_bindings } = bootstrap;
        let mut writes = JoinSet::new();
        for other in others {
            let work = self.clone();
            writes.spawn(async move { work.other(&other).await });
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

    /// Creates an object of another kind, if the server has that kind.
    async fn other(&self, document: &Value) -> Result<(), String> {
        let catalog = self.served.current();
        let text = |field: &str| document[field].as_str().unwrap_or_default();
        let Some(entry) = catalog.scheme.named(text("apiVersion"), text("kind")) else { return Ok(()) };
        let document = document.to_string();
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
