//! The clock, and what follows it.

use std::time::Duration;

use hubgen_test_server::TestServer;
use serde_json::{Value, json};

use crate::api::{Api, MAPS, map};

const EVENTS: &str = "/api/v1/namespaces/default/events";

const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn times_of_objects_are_those_of_the_clock() {
    let server = TestServer::builder().time("2030-01-01T00:00:00Z".parse().unwrap()).start().await.unwrap();
    let api = Api::of(&server);
    let (_, namespace) = api.get("/api/v1/namespaces/default");
    assert_eq!(namespace["metadata"]["creationTimestamp"], "2030-01-01T00:00:00Z");
    server.clock().advance(Duration::from_secs(3600));
    let mut object = map("a", "a");
    object["metadata"]["finalizers"] = json!(["example.com/a"]);
    let (_, created) = api.post(MAPS, &object);
    assert_eq!(created["metadata"]["creationTimestamp"], "2030-01-01T01:00:00Z");
    assert_eq!(created["metadata"]["managedFields"][0]["time"], "2030-01-01T01:00:00Z");
    server.clock().set("2040-01-01T00:00:00Z".parse().unwrap());
    let (_, deleted) = api.delete(&format!("{MAPS}/a"));
    assert_eq!(deleted["metadata"]["deletionTimestamp"], "2040-01-01T00:00:00Z");
    server.clock().release();
    let (_, now) = api.post(MAPS, &map("b", "a"));
    let now = now["metadata"]["creationTimestamp"].as_str().unwrap();
    assert!(!now.starts_with("2040") && !now.starts_with("2030"), "{now}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokens_expire_by_the_clock() {
    let server = TestServer::start().await.unwrap();
    let api = Api::of(&server);
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}});
    assert_eq!(api.post(ACCOUNTS, &account).0, 201);
    let request = json!({
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 600},
    });
    let (code, answer) = api.post(&format!("{ACCOUNTS}/robot/token"), &request);
    assert_eq!(code, 201, "{answer}");
    let review = json!({
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview",
        "spec": {"token": answer["status"]["token"]},
    });
    let is_valid = || {
        let (_, answer) = api.post("/apis/authentication.k8s.io/v1/tokenreviews", &review);
        answer["status"]["authenticated"] == Value::Bool(true)
    };
    assert!(is_valid());
    server.clock().advance(Duration::from_secs(599));
    assert!(is_valid());
    // A minute later than they say, as upstream, because clocks differ.
    server.clock().advance(Duration::from_secs(62));
    assert!(!is_valid());
}

fn event(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": name}, "type": "Normal", "reason": "Tested",
        "involvedObject": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "default", "name": "a"},
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_expire_by_the_clock() {
    let server = TestServer::builder().time("2030-01-01T00:00:00Z".parse().unwrap()).start().await.unwrap();
    let api = Api::of(&server);
    let names = || -> Vec<String> {
        let (_, list) = api.get(EVENTS);
        let all = list["items"].as_array().unwrap();
        all.iter().map(|event| event["metadata"]["name"].as_str().unwrap().to_owned()).collect()
    };
    for name in ["a", "b"] {
        assert_eq!(api.post(EVENTS, &event(name)).0, 201);
    }
    server.clock().advance(Duration::from_secs(59 * 60));
    server.settled().await;
    assert_eq!(names(), ["a", "b"]);
    // What is written again lasts for another hour.
    let (_, mut again) = api.get(&format!("{EVENTS}/b"));
    again["count"] = 2.into();
    assert_eq!(api.put(&format!("{EVENTS}/b"), &again).0, 200);
    server.clock().advance(Duration::from_secs(60));
    server.settled().await;
    assert_eq!(names(), ["b"]);
    // Nobody has to ask: whoever watches sees it.
    let resource_version = api.get(EVENTS).1["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    let watch = api.watch(&format!("{EVENTS}?watch=1&resourceVersion={resource_version}"));
    server.clock().set("2040-01-01T00:00:00Z".parse().unwrap());
    let deleted = watch.next();
    assert_eq!((&deleted["type"], &deleted["object"]["metadata"]["name"]), (&json!("DELETED"), &json!("b")));
}
