//! kube's `Patch::Apply` on our server: who owns what, and who comes in whose way.

use std::sync::Arc;

use hubgen_machinery::scheme::Scheme;
use hubgen_server::store::{Embedded, Options};
use hubgen_server::{Server, Settings};
use k8s_openapi::api::apps::v1::Deployment;
use kube::api::{ObjectMeta, Patch, PatchParams};
use kube::core::Status;
use kube::{Api, Client, Config, Error, ResourceExt};
use serde_json::{Value, json};

async fn client() -> Client {
    let mut scheme = Scheme::new();
    hubgen_core::register(&mut scheme);
    hubgen_apps::register(&mut scheme);
    let store = Embedded::in_memory(Options::default()).unwrap();
    let server = Server::bind(0, Settings::new(Arc::new(scheme), Arc::new(store))).await.unwrap();
    let url = format!("http://{}", server.address());
    tokio::spawn(server.run(std::future::pending()));
    Client::try_from(Config::new(url.parse().unwrap())).unwrap()
}

fn lamp(replicas: u32) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "lamp"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "lamp"}},
            "template": {
                "metadata": {"labels": {"app": "lamp"}},
                "spec": {"containers": [{"name": "lamp", "image": "lamp:1"}]},
            },
        },
    })
}

/// The managers that apply, in the order of their names.
fn managers(metadata: &ObjectMeta) -> Vec<&str> {
    let entries = metadata.managed_fields.iter().flatten();
    let applies = entries.filter(|entry| entry.operation.as_deref() == Some("Apply"));
    let mut names: Vec<&str> = applies.filter_map(|entry| entry.manager.as_deref()).collect();
    names.sort_unstable();
    names
}

fn refused(error: Error) -> Box<Status> {
    match error {
        Error::Api(status) => status,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn what_is_applied_is_owned() {
    let api: Api<Deployment> = Api::default_namespaced(client().await);
    let apply = |manager: &str| PatchParams::apply(manager);
    let made = api.patch("lamp", &apply("painter"), &Patch::Apply(lamp(1))).await.unwrap();
    assert_eq!((managers(&made.metadata), made.metadata.generation), (vec!["painter"], Some(1)));
    // The same again changes nothing.
    let again = api.patch("lamp", &apply("painter"), &Patch::Apply(lamp(1))).await.unwrap();
    assert_eq!(again, made);
    // Another one wants other replicas.
    let status = refused(api.patch("lamp", &apply("scaler"), &Patch::Apply(lamp(2))).await.unwrap_err());
    assert_eq!((status.code, &*status.reason), (409, "Conflict"));
    let conflict = "Apply failed with 1 conflict: conflict with \"painter\": .spec.replicas";
    assert_eq!(status.message, conflict);
    let causes = &status.details.as_ref().expect("details").causes;
    assert_eq!(
        (causes.len(), &*causes[0].reason, &*causes[0].field),
        (1, "FieldManagerConflict", ".spec.replicas")
    );
    let forced = api.patch("lamp", &apply("scaler").force(), &Patch::Apply(lamp(2))).await.unwrap();
    assert_eq!(forced.spec.as_ref().and_then(|spec| spec.replicas), Some(2));
    assert_eq!(managers(&forced.metadata), ["painter", "scaler"]);
    // What its only owner gives up is gone, and what another one has stays.
    let mut less = lamp(0);
    less["spec"].as_object_mut().unwrap().remove("replicas");
    less["metadata"]["labels"] = json!({"kept": "1"});
    api.patch("lamp", &apply("painter"), &Patch::Apply(&less)).await.unwrap();
    less["metadata"].as_object_mut().unwrap().remove("labels");
    let last = api.patch("lamp", &apply("painter"), &Patch::Apply(&less)).await.unwrap();
    assert!(last.labels().is_empty(), "{last:?}");
    assert_eq!(last.spec.and_then(|spec| spec.replicas), Some(2));
}

#[tokio::test]
async fn subresources_have_owners_of_their_own() {
    let api: Api<Deployment> = Api::default_namespaced(client().await);
    api.patch("lamp", &PatchParams::apply("painter"), &Patch::Apply(lamp(1))).await.unwrap();
    let status = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "lamp"},
        "status": {"replicas": 1, "readyReplicas": 1},
    });
    let told = api.patch_status("lamp", &PatchParams::apply("watcher"), &Patch::Apply(status)).await.unwrap();
    assert_eq!(told.status.and_then(|status| status.ready_replicas), Some(1));
    let entries = told.metadata.managed_fields.unwrap();
    let watcher = entries.iter().find(|entry| entry.manager.as_deref() == Some("watcher")).unwrap();
    assert_eq!(watcher.subresource.as_deref(), Some("status"));
}

#[tokio::test]
async fn an_apply_needs_a_manager() {
    let api: Api<Deployment> = Api::default_namespaced(client().await);
    let nobody = PatchParams::default();
    let status = refused(api.patch("lamp", &nobody, &Patch::Apply(lamp(1))).await.unwrap_err());
    assert_eq!((status.code, &*status.reason), (422, "Invalid"));
    assert!(status.message.contains("fieldManager: Required value"), "{status:?}");
}
