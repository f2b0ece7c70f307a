//! kube's watcher, reflector and Controller with types of ours, and a server that answers as a test tells it to.

mod deployments;

use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use hubgen_apps::v1::Deployment;
use hubgen_kube::v5::Kube;
use kube::api::{Patch, PatchParams};
use kube::runtime::controller::Action;
use kube::runtime::reflector::ObjectRef;
use kube::runtime::{Controller, WatchStreamExt, predicates, reflector, watcher};
use kube::{Api, Client, ResourceExt};
use serde_json::json;

use deployments::server;

#[tokio::test]
async fn a_watcher_sees_objects() {
    let (client, _) = server();
    let api: Api<Kube<Deployment>> = Api::default_namespaced(client);
    let events = watcher(api, watcher::Config::default()).take(6).try_collect::<Vec<_>>().await.unwrap();
    let seen = |object: &Kube<Deployment>| (object.name_any(), object.spec.replicas);
    let seen: Vec<_> = events
        .iter()
        .map(|event| match event {
            watcher::Event::Init => "init".to_owned(),
            watcher::Event::InitApply(object) => format!("there {:?}", seen(object)),
            watcher::Event::InitDone => "done".to_owned(),
            watcher::Event::Apply(object) => format!("changed {:?}", seen(object)),
            watcher::Event::Delete(object) => format!("deleted {:?}", seen(object)),
        })
        .collect();
    let expected = [
        "init",
        r#"there ("web", Some(1))"#,
        r#"there ("old", Some(1))"#,
        "done",
        r#"changed ("web", Some(5))"#,
        r#"deleted ("old", Some(1))"#,
    ];
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn a_reflector_keeps_objects() {
    let (client, _) = server();
    let api: Api<Kube<Deployment>> = Api::default_namespaced(client);
    let (reader, writer) = reflector::store();
    let events = watcher(api, watcher::Config::default())
        .modify(|object: &mut Kube<Deployment>| object.managed_fields_mut().clear())
        .reflect(writer);
    let events = events.take(6).try_collect::<Vec<_>>().await.unwrap();
    assert_eq!(events.len(), 6);
    let web = reader.get(&ObjectRef::new("web").within("default")).expect("it is kept");
    assert_eq!((web.spec.replicas, &*web.metadata.resource_version), (Some(5), "11"));
    assert!(web.metadata.managed_fields.is_empty(), "kube's change is there");
    assert_eq!(reader.state().len(), 1, "the other one is deleted");
}

#[tokio::test]
async fn a_controller_reconciles_objects() {
    let (client, patches) = server();
    let api: Api<Kube<Deployment>> = Api::default_namespaced(client.clone());
    let reconcile = |object: Arc<Kube<Deployment>>, client: Arc<Client>| async move {
        let api: Api<Kube<Deployment>> = Api::default_namespaced(Client::clone(&client));
        let status = json!({"status": {"replicas": object.spec.replicas}});
        api.patch_status(&object.name_any(), &PatchParams::default(), &Patch::Merge(status)).await?;
        Ok::<_, kube::Error>(Action::await_change())
    };
    let failed = |_: Arc<Kube<Deployment>>, error: &kube::Error, _: Arc<Client>| panic!("{error}");
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

/// Predicates hash what they compare, through kube's metadata.
#[tokio::test]
async fn predicates_filter_objects() {
    let (client, _) = server();
    let api: Api<Kube<Deployment>> = Api::default_namespaced(client);
    let objects = watcher(api, watcher::Config::default())
        .applied_objects()
        .predicate_filter(predicates::generation, Default::default())
        .take(2)
        .try_collect::<Vec<_>>()
        .await
        .unwrap();
    // The change of `web` has the same generation.
    assert_eq!(objects.iter().map(ResourceExt::name_any).collect::<Vec<_>>(), ["web", "old"]);
}
