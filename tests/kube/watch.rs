//! kube's watcher, reflector and Controller with types of ours, and a server that answers as a test tells it to.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use hubgen_apps::v1::Deployment;
use hubgen_kube::v5::Kube;
use kube::api::{Patch, PatchParams};
use kube::client::Body;
use kube::runtime::controller::Action;
use kube::runtime::reflector::ObjectRef;
use kube::runtime::{Controller, WatchStreamExt, predicates, reflector, watcher};
use kube::{Api, Client, ResourceExt};
use serde_json::{Value, json};

fn deployment(name: &str, version: usize, replicas: i32) -> Value {
    json!({
        "metadata": {
            "name": name, "namespace": "default", "uid": name, "resourceVersion": version.to_string(),
            "generation": 1,
            "managedFields": [{"manager": "test", "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {}}}],
        },
        "spec": {"replicas": replicas, "selector": {}, "template": {}},
    })
}

/// The path and the body of each patch that a server has received.
type Patches = Arc<Mutex<Vec<(String, Value)>>>;

/// A server with two Deployments: of one, it tells in the first watch that it changed, and of the other, that it is
/// deleted. Later watches never end. Patches are kept.
fn server() -> (Client, Patches) {
    let patches = Patches::default();
    let watches = Arc::new(Mutex::new(0));
    let kept = patches.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (patches, watches) = (kept.clone(), watches.clone());
        async move {
            let query = request.uri().query().unwrap_or_default().to_owned();
            let path = request.uri().path().to_owned();
            let answer = if request.method() == Method::PATCH {
                let body = request.into_body().collect().await.unwrap().to_bytes();
                patches.lock().unwrap().push((path, serde_json::from_slice(&body).unwrap()));
                deployment("web", 13, 5).to_string()
            } else if query.contains("watch=true") {
                let count = {
                    let mut watches = watches.lock().unwrap();
                    *watches += 1;
                    *watches
                };
                if count > 1 {
                    std::future::pending::<()>().await;
                }
                let event = |ty: &str, mut object: Value| {
                    object["apiVersion"] = "apps/v1".into();
                    object["kind"] = "Deployment".into();
                    format!("{}\n", json!({"type": ty, "object": object}))
                };
                event("MODIFIED", deployment("web", 11, 5)) + &event("DELETED", deployment("old", 12, 1))
            } else {
                json!({
                    "kind": "DeploymentList", "apiVersion": "apps/v1", "metadata": {"resourceVersion": "10"},
                    "items": [deployment("web", 8, 1), deployment("old", 9, 1)],
                })
                .to_string()
            };
            Ok::<_, Infallible>(Response::new(Full::from(answer.into_bytes())))
        }
    });
    (Client::new(service, "default"), patches)
}

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
