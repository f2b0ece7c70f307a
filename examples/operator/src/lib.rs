//! An operator for the kind Cache of `cache.example.com`: servers of memcached.
//!
//! [`api`] is the kind at its two versions, [`reconcile`] makes a Deployment of each object, [`run`] starts the
//! controller and the conversion webhook, and [`development`] is for an operator outside of the cluster.

pub mod api;
pub mod deployment;
pub mod development;
pub mod reconcile;
pub mod status;

use std::sync::Arc;

use futures::StreamExt;
use hubgen_apps::v1::Deployment;
use hubgen_kube::v5::Kube;
use hubgen_webhook::{Server, Tls, Webhook};
use kube::runtime::{Controller, controller, watcher};
use kube::{Api, Client};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use self::api::v1::Cache;
use self::reconcile::{Context, MANAGER, again, reconcile};

/// Runs the controller and the webhook until SIGTERM or Ctrl-C.
///
/// The webhook ends after the controller, because what the controller still writes may have to be converted.
pub async fn run(client: Client, tls: Tls, listener: TcpListener) {
    let (ended, controller_has_ended) = oneshot::channel::<()>();
    let controller = async {
        control(client).await;
        drop(ended);
    };
    let webhook = Server::new(Webhook::new(api::scheme())).tls(tls);
    let webhook = webhook.serve_on(listener, async { drop(controller_has_ended.await) });
    tokio::join!(controller, webhook);
}

/// Reconciles all objects, whenever they or their Deployments change.
async fn control(client: Client) {
    let caches: Api<Kube<Cache>> = Api::all(client.clone());
    let deployments: Api<Kube<Deployment>> = Api::all(client.clone());
    let ours = watcher::Config::default().labels(&format!("{}={MANAGER}", deployment::MANAGED_BY));
    Controller::new(caches, watcher::Config::default())
        .owns(deployments, ours)
        .shutdown_on_signal()
        .run(reconcile, again, Arc::new(Context { client }))
        .for_each(|result| async {
            match result {
                // `again` has told about it.
                Ok(_) | Err(controller::Error::ReconcilerFailed(..)) => {}
                // Deleted before its turn.
                Err(controller::Error::ObjectNotFound(_)) => {}
                Err(error) => tracing::warn!("{error}"),
            }
        })
        .await;
}
