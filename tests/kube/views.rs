//! kube's clients with views: structs of a program's own with some of the fields of a kind.

mod deployments;

use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use hubgen_kube::v5::Kube;
use hubgen_machinery::{ApiType, Str};
use kube::api::{ListParams, Patch, PatchParams};
use kube::runtime::controller::Action;
use kube::runtime::reflector::ObjectRef;
use kube::runtime::{Controller, WatchStreamExt, reflector, watcher};
use kube::{Api, Client, Resource, ResourceExt};
use serde_json::json;

use deployments::server;

#[derive(ApiType)]
#[view(hubgen_apps::v1::Deployment)]
struct DeploymentView {
    metadata: MetadataView,
    spec: DeploymentSpecView,
}

#[derive(ApiType)]
#[view(hubgen_meta::v1::ObjectMeta)]
struct MetadataView {
    name: Str,
    namespace: Str,
    resource_version: Str,
}

#[derive(ApiType)]
#[view(hubgen_apps::v1::DeploymentSpec)]
struct DeploymentSpecView {
    replicas: Option<i32>,
}

#[tokio::test]
async fn an_api_lists_views() {
    let (client, _) = server();
    let api: Api<Kube<DeploymentView>> = Api::default_namespaced(client);
    let list = api.list(&ListParams::default()).await.unwrap();
    assert_eq!(list.metadata.resource_version.as_deref(), Some("10"));
    let seen = list.iter().map(|object| (object.name_any(), object.spec.replicas)).collect::<Vec<_>>();
    assert_eq!(seen, [("web".to_owned(), Some(1)), ("old".to_owned(), Some(1))]);
    assert_eq!(list.items[0].namespace().as_deref(), Some("default"));
    assert_eq!(list.items[0].uid(), None, "the view does not have it");
}

#[tokio::test]
async fn a_reflector_keeps_views() {
    let (client, _) = server();
    let api: Api<Kube<DeploymentView>> = Api::default_namespaced(client);
    let (reader, writer) = reflector::store();
    let events = watcher(api, watcher::Config::default()).reflect(writer);
    let events = events.take(6).try_collect::<Vec<_>>().await.unwrap();
    assert_eq!(events.len(), 6);
    let web = reader.get(&ObjectRef::new("web").within("default")).expect("it is kept");
    assert_eq!((web.spec.replicas, &*web.metadata.resource_version), (Some(5), "11"));
    assert_eq!(reader.state().len(), 1, "the other one is deleted");
}

#[tokio::test]
async fn a_controller_reconciles_views() {
    let (client, patches) = server();
    let api: Api<Kube<DeploymentView>> = Api::default_namespaced(client.clone());
    let reconcile = |object: Arc<Kube<DeploymentView>>, client: Arc<Client>| async move {
        let api: Api<Kube<DeploymentView>> = Api::default_namespaced(Client::clone(&client));
        let status = json!({"status": {"replicas": object.spec.replicas}});
        api.patch_status(&object.name_any(), &PatchParams::default(), &Patch::Merge(status)).await?;
        Ok::<_, kube::Error>(Action::await_change())
    };
    let failed = |_: Arc<Kube<DeploymentView>>, error: &kube::Error, _: Arc<Client>| panic!("{error}");
    let results = Controller::new(api, watcher::Config::default()).run(reconcile, failed, Arc::new(client));
    // `old` may be deleted before its turn, which is an error.
    let web = async {
        results.filter_map(async |result| result.ok()).any(async |(found, _)| found.name == "web").await
    };
    assert!(tokio::time::timeout(Duration::from_secs(60), web).await.unwrap());
    let patches = patches.lock().unwrap();
    let (path, body) = patches.iter().find(|(path, _)| path.contains("/web/")).unwrap();
    assert_eq!(path, "/apis/apps/v1/namespaces/default/deployments/web/status");
    assert!(body["status"]["replicas"].is_number(), "{body}");
}

/// A view has the path of its whole.
#[test]
fn a_view_is_the_resource_of_its_whole() {
    assert_eq!(
        Kube::<DeploymentView>::url_path(&(), Some("default")),
        "/apis/apps/v1/namespaces/default/deployments"
    );
    assert_eq!(Kube::<DeploymentView>::kind(&()), "Deployment");
}
