//! What changes definitions and stored objects, and a server that answers as each test tells it to. `api_server.rs` asks
//! a real one.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hubgen_kube::v5::{Migrated, MigrationError, migrate_stored_versions, patch_ca_bundle};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::ServiceReference;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

const NAME: &str = "widgets.example.com";
const DEFINITION: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";
const OBJECTS: &str = "/apis/example.com/v1/namespaces/default/widgets";

/// What a server has received: method, path with query, and body.
type Requests = Arc<Mutex<Vec<(Method, String, Value)>>>;

/// A server that gives each request, by its method and path, the next of its answers; the last one again and again.
fn server(answers: Vec<(&str, Vec<(u16, Value)>)>) -> (Client, Requests) {
    let requests = Requests::default();
    let answers: BTreeMap<String, Vec<(u16, Value)>> =
        answers.into_iter().map(|(request, answers)| (request.to_owned(), answers)).collect();
    let (kept, answers) = (requests.clone(), Arc::new(Mutex::new(answers)));
    let service = tower::service_fn(move |request: Request<Body>| {
        let (requests, answers) = (kept.clone(), answers.clone());
        async move {
            let (method, uri) = (request.method().clone(), request.uri().to_string());
            let body = request.into_body().collect().await.unwrap().to_bytes();
            requests.lock().unwrap().push((
                method.clone(),
                uri.clone(),
                serde_json::from_slice(&body).unwrap_or_default(),
            ));
            let path = uri.strip_suffix('?').unwrap_or(&uri).to_owned();
            let mut all = answers.lock().unwrap();
            let Some(answers) = all.get_mut(&format!("{method} {path}")) else {
                panic!("no answer to {method} {path}")
            };
            let (status, answer) = if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() };
            let mut response = Response::new(Full::from(answer.to_string().into_bytes()));
            *response.status_mut() = StatusCode::from_u16(status).unwrap();
            Ok::<_, Infallible>(response)
        }
    });
    (Client::new(service, "default"), requests)
}

fn definition(storage: &str, served: bool) -> Value {
    let version = |name: &str| json!({"name": name, "served": served, "storage": name == storage});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": NAME, "uid": "1", "resourceVersion": "7"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"kind": "Widget", "plural": "widgets"},
            "versions": [version("v1alpha1"), version("v1")],
        },
        "status": {"storedVersions": ["v1alpha1", "v1"]},
    })
}

fn metadata(name: &str, version: usize) -> Value {
    json!({
        "apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata",
        "metadata": {"name": name, "namespace": "default", "resourceVersion": version.to_string()},
    })
}

fn page(items: &[(&str, usize)], next: &str) -> Value {
    let items: Vec<Value> = items.iter().map(|(name, version)| metadata(name, *version)).collect();
    json!({
        "apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadataList",
        "metadata": {"resourceVersion": "9", "continue": next}, "items": items,
    })
}

fn status(code: u16, message: &str, next: &str) -> (u16, Value) {
    let status = json!({
        "apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code, "reason": "Test", "message": message,
        "metadata": {"continue": next},
    });
    (code, status)
}

fn object(name: &str) -> String {
    format!("PATCH {OBJECTS}/{name}")
}

/// The bodies of patches of a path.
fn patches(requests: &Requests, path: &str) -> Vec<Value> {
    let requests = requests.lock().unwrap();
    let found = requests
        .iter()
        .filter(|(method, uri, _)| *method == Method::PATCH && uri.trim_end_matches('?') == path);
    found.map(|(_, _, body)| body.clone()).collect()
}

#[tokio::test]
async fn all_pages_are_rewritten() {
    let list = "GET /apis/example.com/v1/widgets?&limit=500";
    let (get, status_path) = (format!("GET {DEFINITION}"), format!("{DEFINITION}/status"));
    let crd = definition("v1", true);
    let (client, requests) = server(vec![
        (&get, vec![(200, crd.clone())]),
        (list, vec![(200, page(&[("a", 1), ("b", 2)], "x"))]),
        // The second page is too old; the server gives a token for the rest as it is now.
        (&format!("{list}&continue=x"), vec![status(410, "too old", "y")]),
        (&format!("{list}&continue=y"), vec![(200, page(&[("c", 3), ("d", 4)], ""))]),
        (&object("a"), vec![(200, metadata("a", 11))]),
        (&object("b"), vec![(200, metadata("b", 2))]),
        (&object("c"), vec![status(404, "not found", "")]),
        (
            &object("d"),
            vec![status(409, "conflict", ""), status(409, "conflict", ""), (200, metadata("d", 14))],
        ),
        (&format!("PATCH {status_path}"), vec![status(409, "conflict", ""), (200, crd)]),
    ]);
    let migrated = migrate_stored_versions(client, NAME).await.unwrap();
    let expected = Migrated {
        storage_version: "v1".to_owned(),
        rewritten: 2,
        unchanged: 1,
        gone: 1,
        dropped: vec!["v1alpha1".to_owned()],
    };
    assert_eq!(migrated, expected);
    let patch = json!({"metadata": {"resourceVersion": "7"}, "status": {"storedVersions": ["v1"]}});
    assert_eq!(patches(&requests, &status_path), [patch.clone(), patch]);
    assert_eq!(patches(&requests, &format!("{OBJECTS}/d")), [json!({}), json!({}), json!({})]);
}

#[tokio::test]
async fn a_list_that_is_too_old_begins_anew() {
    let list = "GET /apis/example.com/v1/widgets?&limit=500";
    let (get, patch) = (format!("GET {DEFINITION}"), format!("PATCH {DEFINITION}/status"));
    let (client, _) = server(vec![
        (&get, vec![(200, definition("v1", true))]),
        (list, vec![(200, page(&[("a", 1)], "x")), (200, page(&[("a", 11)], ""))]),
        (&format!("{list}&continue=x"), vec![status(410, "too old", "")]),
        (&object("a"), vec![(200, metadata("a", 11))]),
        (&patch, vec![(200, definition("v1", true))]),
    ]);
    let migrated = migrate_stored_versions(client, NAME).await.unwrap();
    assert_eq!((migrated.rewritten, migrated.unchanged), (0, 1), "of the second list");
}

#[tokio::test]
async fn nothing_is_dropped_after_an_error() {
    let list = "GET /apis/example.com/v1/widgets?&limit=500";
    let get = format!("GET {DEFINITION}");
    let (client, requests) = server(vec![
        (&get, vec![(200, definition("v1", true))]),
        (list, vec![(200, page(&[("a", 1), ("b", 2)], ""))]),
        (&object("a"), vec![status(422, "spec.size: too small", "")]),
        (&object("b"), vec![(200, metadata("b", 12))]),
    ]);
    let error = migrate_stored_versions(client, NAME).await.unwrap_err();
    assert!(matches!(error, MigrationError::Objects { count: 1, .. }), "{error}");
    let message = error.to_string();
    let expected = "widgets.example.com: 1 objects could not be rewritten: default/a: ";
    assert!(message.starts_with(expected) && message.contains("spec.size: too small"), "{message}");
    assert_eq!(patches(&requests, &format!("{OBJECTS}/b")).len(), 1, "the others are rewritten");

    // Another storage version when all objects are written.
    let (client, _) = server(vec![
        (&get, vec![(200, definition("v1", true)), (200, definition("v1alpha1", true))]),
        (list, vec![(200, page(&[], ""))]),
    ]);
    let error = migrate_stored_versions(client, NAME).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "widgets.example.com: the storage version changed from v1 to v1alpha1 meanwhile, so objects may be stored at both; \
         migrate again"
    );

    let (client, _) = server(vec![(&get, vec![(200, definition("v1", false))])]);
    let error = migrate_stored_versions(client, NAME).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "widgets.example.com: no version is served; serve one to migrate its objects"
    );

    let (client, _) = server(vec![(&get, vec![status(404, "not found", "")])]);
    let error = migrate_stored_versions(client, NAME).await.unwrap_err();
    assert!(error.to_string().starts_with("get widgets.example.com: "), "{error}");
}

#[tokio::test]
async fn a_bundle_is_applied_under_its_own_manager() {
    let service = ServiceReference {
        namespace: "a".to_owned(),
        name: "webhook".to_owned(),
        path: None,
        port: Some(9443),
    };
    let (get, path) =
        (format!("GET {DEFINITION}"), format!("{DEFINITION}?&force=true&fieldManager=hubgen-conversion"));
    let (client, requests) = server(vec![
        (&get, vec![(200, definition("v1", true))]),
        (&format!("PATCH {path}"), vec![(200, definition("v1", true))]),
    ]);
    patch_ca_bundle(client, NAME, b"pem", &service).await.unwrap();
    let expected = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": NAME, "uid": "1"},
        "spec": {"conversion": {
            "strategy": "Webhook",
            "webhook": {
                "conversionReviewVersions": ["v1"],
                "clientConfig": {"service": {"namespace": "a", "name": "webhook", "port": 9443}, "caBundle": "cGVt"},
            },
        }},
    });
    assert_eq!(patches(&requests, &path), [expected]);

    let (client, requests) = server(vec![(&get, vec![status(404, "not found", "")])]);
    assert!(patch_ca_bundle(client, NAME, b"pem", &service).await.is_err());
    assert_eq!(patches(&requests, &path), [json!(null); 0], "nothing is created");
}
