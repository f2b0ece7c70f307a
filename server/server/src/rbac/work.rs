//! Writes of the server itself: the roles and bindings that it makes when it starts, and those that it keeps.

use std::sync::Arc;

use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::{Object, Scheme};
use serde_json::Value;

use super::bootstrap::Bootstrap;
use super::follow::{GROUP, VERSION};
use super::reconcile::{Reconcile, Reconciled};
use crate::catalog::Served;
use crate::objects::{Backing, Outcome};
use crate::own::Own;

/// Under which name the server writes roles and bindings. It is that of upstream, which clients know.
const MANAGER: &str = "kube-apiserver";

/// Writes of the server itself.
#[derive(Clone)]
pub(super) struct Work(Own);

impl Work {
    pub(super) fn new(served: &Served, backing: &Arc<Backing>) -> Self {
        Self(Own::new(served, backing))
    }

    /// Makes the objects that are missing, and gives the others what they lack.
    pub(super) async fn make(&self, bootstrap: Bootstrap) -> Result<(), String> {
        let Bootstrap { others, roles, cluster_roles, bindings, cluster_bindings } = bootstrap;
        let mut wanted = Wanted { scheme: Arc::clone(&self.0.served.current().scheme), all: Vec::new() };
        for other in &others {
            wanted.other(other)?;
        }
        wanted.roles("Role", roles)?;
        wanted.roles("ClusterRole", cluster_roles)?;
        wanted.roles("RoleBinding", bindings)?;
        wanted.roles("ClusterRoleBinding", cluster_bindings)?;
        self.0
            .work(MANAGER, move |objects, write| async move {
                let (all, changes): (Vec<_>, Vec<_>) = wanted.all.into_iter().unzip();
                for index in objects.create_missing(&all, &write).await? {
                    objects.ensure(&all[index], &*changes[index], &write).await?;
                }
                Ok(())
            })
            .await
    }

    /// Changes a role of the cluster, if it exists.
    pub(super) async fn amend(
        &self,
        name: &str,
        change: impl Fn(&dyn Reflect) -> Outcome + Send + Sync + 'static,
        manager: &str,
    ) -> Result<(), String> {
        let catalog = self.0.served.current();
        let Some(entry) = catalog.scheme.kind(GROUP, VERSION, "ClusterRole").cloned() else { return Ok(()) };
        let name = name.to_owned();
        self.0
            .work(manager, move |objects, write| async move {
                objects.amend(&entry, &name, &change, &write).await
            })
            .await
    }
}

/// What becomes of an object that exists.
type Change = dyn Fn(&dyn Reflect) -> Outcome + Send + Sync;

/// The objects that there should be, each with what becomes of it if it exists already.
struct Wanted {
    scheme: Arc<Scheme>,
    all: Vec<(Object, Box<Change>)>,
}

impl Wanted {
    /// Adds objects of one of the four kinds.
    fn roles<T: Reconcile + Reflect + Sync + 'static>(
        &mut self,
        kind: &str,
        all: Vec<T>,
    ) -> Result<(), String> {
        let Some(entry) = self.scheme.kind(GROUP, VERSION, kind) else {
            return Err(format!("{GROUP}/{VERSION} {kind} is not served any more"));
        };
        for wanted in all {
            let object = Object { entry: Arc::clone(entry), value: Box::new(wanted.clone()) };
            let change = move |stored: &dyn Reflect| match stored.downcast_ref::<T>() {
                None => Outcome::Keep,
                Some(stored) => match wanted.reconcile(stored) {
                    Reconciled::Same => Outcome::Keep,
                    Reconciled::Changed(new) => Outcome::Replace(Box::new(new)),
                    Reconciled::Recreated => Outcome::Recreate,
                },
            };
            self.all.push((object, Box::new(change)));
        }
        Ok(())
    }

    /// Adds an object of another kind, if the server has that kind.
    fn other(&mut self, document: &Value) -> Result<(), String> {
        let text = |field: &str| document[field].as_str().unwrap_or_default();
        let Some(entry) = self.scheme.named(text("apiVersion"), text("kind")) else { return Ok(()) };
        let document = document.to_string();
        let (object, _) = Object::decode(entry, document.as_bytes()).map_err(|error| error.to_string())?;
        self.all.push((object, Box::new(|_| Outcome::Keep)));
        Ok(())
    }
}
