//! Makes the cluster as a Cache asks for.

use std::sync::Arc;
use std::time::Duration;

use hubgen_apps::v1::Deployment;
use hubgen_kube::v5::Kube;
use hubgen_machinery::reflect::Kind;
use hubgen_machinery::scalar::Time;
use kube::api::{Patch, PatchParams};
use kube::runtime::controller::Action;
use kube::{Api, Client, ResourceExt};
use serde_json::json;

use crate::api::v1::Cache;
use crate::{deployment, status};

/// The field manager of all that this operator writes.
pub const MANAGER: &str = "cache-operator";

/// How long after an error an object has its next turn.
const PAUSE: Duration = Duration::from_secs(10);
/// How long an object waits if nothing happens: whatever was missed is mended then.
const PATIENCE: Duration = Duration::from_secs(600);

/// What [`reconcile`] needs besides the object.
pub struct Context {
    /// For the API server.
    pub client: Client,
}

/// Why an object could not be reconciled.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is a Deployment that this Cache does not own. It is left alone.
    #[error("there is a Deployment {0} that does not belong to this Cache: delete it, or rename the Cache")]
    Taken(String),
    /// The API server refuses the Deployment, or cannot be reached.
    #[error("the Deployment cannot be applied: {0}")]
    Deployment(#[source] kube::Error),
    /// The API server refuses the status, or cannot be reached.
    #[error("the status cannot be written: {0}")]
    Status(#[source] kube::Error),
}

impl Error {
    /// The reason in the condition `Ready`.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Taken(_) => "NameTaken",
            Self::Deployment(_) => "DeploymentFailed",
            Self::Status(_) => "StatusFailed",
        }
    }
}

/// Applies the Deployment of a Cache, and writes what became of it to the status.
///
/// It may run at any time, any number of times. A Cache needs no finalizer: Kubernetes deletes its Deployment, because
/// that names the Cache as its owner.
///
/// # Errors
/// Whatever went wrong is in the status, too, unless that is what went wrong.
pub async fn reconcile(cache: Arc<Kube<Cache>>, context: Arc<Context>) -> Result<Action, Error> {
    // Somebody waits until the Deployment is gone (`kubectl delete --cascade=foreground`): it must not come back.
    if cache.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let applied = apply(&cache, &context.client).await;
    let status = status::of(&cache, applied.as_deref(), Time::now());
    if cache.status.as_ref() != Some(&status) {
        let caches: Api<Kube<Cache>> = Api::namespaced(context.client.clone(), &cache.metadata.namespace);
        // Another Cache of the same name has another uid: the API server refuses this status for it.
        let object = json!({
            "apiVersion": Cache::API_VERSION, "kind": Cache::KIND,
            "metadata": {"uid": cache.metadata.uid},
            "status": status,
        });
        let parameters = PatchParams::apply(MANAGER).force();
        let written = caches.patch_status(&cache.metadata.name, &parameters, &Patch::Apply(object)).await;
        written.map_err(Error::Status)?;
    }
    applied.map(|_| Action::requeue(PATIENCE))
}

/// Applies the Deployment: fields of other managers stay, such as annotations, and what somebody has changed of ours
/// becomes as it was.
async fn apply(cache: &Kube<Cache>, client: &Client) -> Result<Kube<Deployment>, Error> {
    let deployments: Api<Kube<Deployment>> = Api::namespaced(client.clone(), &cache.metadata.namespace);
    let existing = deployments.get_opt(&cache.metadata.name).await.map_err(Error::Deployment)?;
    if existing.is_some_and(|existing| !deployment::belongs_to(&existing, cache)) {
        return Err(Error::Taken(cache.name_any()));
    }
    let wanted = deployment::of(cache);
    let parameters = PatchParams::apply(MANAGER).force();
    deployments
        .patch(&cache.metadata.name, &parameters, &Patch::Apply(&wanted))
        .await
        .map_err(Error::Deployment)
}

/// What happens after an error.
pub fn again(cache: Arc<Kube<Cache>>, error: &Error, _: Arc<Context>) -> Action {
    tracing::warn!("Cache {}/{}: {error}", cache.metadata.namespace, cache.metadata.name);
    Action::requeue(PAUSE)
}
