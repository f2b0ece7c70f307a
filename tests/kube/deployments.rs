//! A server with two Deployments, which answers watches as a test needs it.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use kube::Client;
use kube::client::Body;
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
pub type Patches = Arc<Mutex<Vec<(String, Value)>>>;

/// A server with two Deployments: of one, it tells in the first watch that it changed, and of the other, that it is
/// deleted. Later watches never end. Patches are kept.
pub fn server() -> (Client, Patches) {
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
