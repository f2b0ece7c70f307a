//! What `hubgen serve` does besides answering requests, and which objects it refuses because of their namespaces.
#![cfg(unix)]

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::process::Process;
use crate::serve::refused;

const NAMESPACES: &str = "/api/v1/namespaces";
/// How long something may take that nobody can wait for from outside.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until a path is answered with a code.
#[track_caller]
fn until(server: &Process, path: &str, code: u16) -> Value {
    let start = Instant::now();
    loop {
        let answer = server.client.get(path);
        if answer.code == code {
            return answer.expect(code);
        }
        assert!(start.elapsed() < PATIENCE, "{path} is answered with {}", answer.code);
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn named(name: &str) -> Value {
    json!({"metadata": {"name": name}})
}

#[test]
fn a_namespace_lives_as_in_a_cluster() {
    let directory = tempfile::tempdir().unwrap();
    let server = Process::start_as_users(directory.path(), &[]);
    let client = &server.client;
    for name in ["default", "kube-system", "kube-public", "kube-node-lease"] {
        client.get(&format!("{NAMESPACES}/{name}")).expect(200);
    }
    let maps = format!("{NAMESPACES}/shop/configmaps");
    let missing = client.post(&maps, &named("m")).expect(404);
    assert_eq!(missing["message"], "namespaces \"shop\" not found");
    let forbidden = client.delete(&format!("{NAMESPACES}/default")).expect(403);
    assert_eq!(
        forbidden["message"],
        "namespaces \"default\" is forbidden: this namespace may not be deleted"
    );
    let shop = client.post(NAMESPACES, &named("shop")).expect(201);
    assert_eq!(shop["spec"]["finalizers"], json!(["kubernetes"]));
    until(&server, &format!("{NAMESPACES}/shop/serviceaccounts/default"), 200);
    until(&server, &format!("{maps}/kube-root-ca.crt"), 200);
    let mut kept = named("m");
    kept["metadata"]["finalizers"] = json!(["example.com/f"]);
    client.post(&maps, &kept).expect(201);
    let ending = client.delete(&format!("{NAMESPACES}/shop")).expect(200);
    assert_eq!(ending["status"]["phase"], "Terminating");
    let refused = client.post(&maps, &named("n")).expect(403);
    assert_eq!(refused["details"]["causes"][0]["reason"], "NamespaceTerminating");
    let mut kept = client.get(&format!("{maps}/m")).expect(200);
    kept["metadata"]["finalizers"] = json!([]);
    // The server may have marked it since.
    while client.put(&format!("{maps}/m"), &kept).code == 409 {
        kept["metadata"]["resourceVersion"] =
            client.get(&format!("{maps}/m")).expect(200)["metadata"]["resourceVersion"].clone();
    }
    until(&server, &format!("{NAMESPACES}/shop"), 404);
}

#[test]
fn a_namespace_is_only_an_object_without_its_controller() {
    let directory = tempfile::tempdir().unwrap();
    let server = Process::start_with(directory.path(), &[]);
    let maps = format!("{NAMESPACES}/shop/configmaps");
    server.client.post(&maps, &named("m")).expect(201);
    server.client.post(NAMESPACES, &named("shop")).expect(201);
    server.client.delete(&format!("{NAMESPACES}/shop")).expect(200);
    server.client.get(&format!("{NAMESPACES}/shop")).expect(404);
    server.client.get(&format!("{maps}/m")).expect(200);
}

#[test]
fn events_expire() {
    let directory = tempfile::tempdir().unwrap();
    let server = Process::start_as_users(directory.path(), &["--event-ttl", "1s"]);
    let events = format!("{NAMESPACES}/default/events");
    let mut event = named("e");
    event["involvedObject"] = json!({"namespace": "default"});
    server.client.post(&events, &event).expect(201);
    until(&server, &format!("{events}/e"), 404);
}

#[test]
fn controllers_have_names() {
    let error = refused(&["--in-memory", "--controllers", "*,-deployment-controller"]);
    assert!(error.contains("there is no controller \"-deployment-controller\""), "{error}");
}
