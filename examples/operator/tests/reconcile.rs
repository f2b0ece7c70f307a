//! What the operator does about an object, with an API server in memory.

mod support;

use std::sync::Arc;

use cache_operator::api::v1::Cache;
use cache_operator::reconcile::{Context, Error, again, reconcile};
use http::Method;
use hubgen_kube::v5::Kube;
use hubgen_machinery::{json, yaml};
use kube::runtime::controller::Action;
use serde_json::{Value, json};

use self::support::Server;

const CACHE: &str = "/apis/cache.example.com/v1/namespaces/default/caches/web";
const DEPLOYMENT: &str = "/apis/apps/v1/namespaces/default/deployments/web";

const WEB: &str = "
apiVersion: cache.example.com/v1
kind: Cache
metadata: {name: web, namespace: default, uid: '1', generation: 3}
spec: {image: 'memcached:1.6', replicas: 2, limits: {memory: 64Mi, connections: 100}}
";

/// A server with the object `web`.
fn server() -> Server {
    let server = Server::default();
    server.put(CACHE, serde_json::from_slice(&yaml::to_json(WEB).unwrap()).unwrap());
    server
}

/// The object, as the server has it.
fn web(server: &Server) -> Arc<Kube<Cache>> {
    let object = server.get(CACHE).unwrap().to_string();
    Arc::new(json::decode::<Cache>(object.as_bytes()).unwrap().into())
}

async fn turn(server: &Server) -> Result<Action, Error> {
    let context = Arc::new(Context { client: server.client() });
    let cache = web(server);
    let result = reconcile(cache.clone(), context.clone()).await;
    result.inspect_err(|error| assert_ne!(again(cache, error, context), Action::await_change()))
}

/// The status and the reason of the condition.
fn ready(server: &Server) -> (String, String) {
    let status = web(server).status.as_ref().unwrap().conditions[0].clone();
    (status.status.as_str().to_owned(), status.reason.as_str().to_owned())
}

fn texts(status: &str, reason: &str) -> (String, String) {
    (status.to_owned(), reason.to_owned())
}

/// As the controller for Deployments does.
fn deployed(server: &Server, replicas: i32) {
    let mut deployment = server.get(DEPLOYMENT).unwrap();
    deployment["status"] = json!({"replicas": 2, "updatedReplicas": 2, "readyReplicas": replicas});
    server.put(DEPLOYMENT, deployment);
}

#[tokio::test]
async fn a_deployment_is_applied() {
    let server = server();
    turn(&server).await.unwrap();
    let writes = server.writes();
    let [(method, path, deployment), (of_status, path_of_status, status)] = &writes[..] else {
        panic!("{writes:?}")
    };
    assert_eq!((method, of_status), (&Method::PATCH, &Method::PATCH));
    assert_eq!(*path, format!("{DEPLOYMENT}?&force=true&fieldManager=cache-operator"));
    assert_eq!(*path_of_status, format!("{CACHE}/status?&force=true&fieldManager=cache-operator"));

    let owner = json!([{
        "apiVersion": "cache.example.com/v1", "kind": "Cache", "name": "web", "uid": "1", "controller": true,
    }]);
    assert_eq!(deployment["metadata"]["ownerReferences"], owner);
    let spec = &deployment["spec"];
    assert_eq!(spec["replicas"], 2);
    assert_eq!(spec["selector"]["matchLabels"], spec["template"]["metadata"]["labels"]);
    let container = &spec["template"]["spec"]["containers"][0];
    assert_eq!(container["args"], json!(["--memory-limit=64", "--conn-limit=100"]));
    assert_eq!(container["resources"], json!({"requests": {"memory": "64Mi"}}));

    assert_eq!(status["metadata"], json!({"uid": "1"}));
    assert_eq!(status["status"]["observedGeneration"], 3);
    assert_eq!(status["status"]["readyReplicas"], 0);
    assert_eq!(ready(&server), texts("False", "Progressing"));
}

#[tokio::test]
async fn the_status_follows_the_deployment() {
    let server = server();
    turn(&server).await.unwrap();
    let since = |server: &Server| web(server).status.as_ref().unwrap().conditions[0].last_transition_time;
    let long_ago = Some("2006-01-02T15:04:05Z".parse().unwrap());
    let mut cache = server.get(CACHE).unwrap();
    cache["status"]["conditions"][0]["lastTransitionTime"] = "2006-01-02T15:04:05Z".into();
    server.put(CACHE, cache);
    server.writes();

    deployed(&server, 1);
    turn(&server).await.unwrap();
    assert_eq!(web(&server).status.as_ref().unwrap().ready_replicas, Some(1));
    assert_eq!((ready(&server), since(&server)), (texts("False", "Progressing"), long_ago));

    deployed(&server, 2);
    turn(&server).await.unwrap();
    assert_eq!(ready(&server), texts("True", "Available"));
    assert!(since(&server) > long_ago);
    server.writes();

    // Nothing has changed: only the Deployment is applied, and the API server stores nothing.
    turn(&server).await.unwrap();
    let writes: Vec<_> = server.writes().into_iter().map(|(_, path, _)| path).collect();
    assert!(matches!(&writes[..], [path] if path.starts_with(DEPLOYMENT)), "{writes:?}");
}

#[tokio::test]
async fn an_object_that_is_being_deleted_is_left_alone() {
    let server = server();
    let mut cache = server.get(CACHE).unwrap();
    cache["metadata"]["deletionTimestamp"] = "2006-01-02T15:04:05Z".into();
    server.put(CACHE, cache);
    assert_eq!(turn(&server).await.unwrap(), Action::await_change());
    assert_eq!(server.writes(), []);
}

#[tokio::test]
async fn a_deployment_of_somebody_else_is_left_alone() {
    let server = server();
    let others =
        [Value::Null, json!([{"name": "web", "uid": "0", "controller": true}]), json!([{"uid": "1"}])];
    for owners in others {
        let theirs =
            json!({"metadata": {"name": "web", "ownerReferences": owners}, "spec": {"paused": true}});
        server.put(DEPLOYMENT, theirs.clone());
        let error = turn(&server).await.unwrap_err();
        assert!(matches!(&error, Error::Taken(name) if name == "web"), "{error}");
        assert_eq!(server.get(DEPLOYMENT).unwrap(), theirs);
        assert_eq!(ready(&server), texts("False", "NameTaken"));
    }
}

#[tokio::test]
async fn errors_are_in_the_status() {
    let server = server();
    turn(&server).await.unwrap();
    deployed(&server, 2);
    turn(&server).await.unwrap();

    server.refuse(Some("/deployments/"));
    let error = turn(&server).await.unwrap_err();
    assert!(error.to_string().starts_with("the Deployment cannot be applied: "), "{error}");
    assert_eq!(ready(&server), texts("False", "DeploymentFailed"));
    assert_eq!(
        web(&server).status.as_ref().unwrap().ready_replicas,
        Some(2),
        "the last number that was seen"
    );

    server.refuse(Some("/status"));
    assert!(matches!(turn(&server).await, Err(Error::Status(_))));
    server.refuse(None);
    turn(&server).await.unwrap();
    assert_eq!(ready(&server), texts("True", "Available"));
}
