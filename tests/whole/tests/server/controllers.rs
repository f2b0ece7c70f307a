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
fn a_pod_on_a_node_waits_for_its_kubelet() {
    let directory = tempfile::tempdir().unwrap();
    let server = Process::start_as_users(directory.path(), &["--controllers="]);
    let client = &server.client;
    let pods = format!("{NAMESPACES}/default/pods");
    let pod = |name: &str, node: &str| {
        let mut pod = named(name);
        pod["spec"] = json!({"containers": [{"name": "c", "image": "i"}], "nodeName": node});
        pod["spec"]["terminationGracePeriodSeconds"] = 20.into();
        client.post(&pods, &pod).expect(201);
        format!("{pods}/{name}")
    };
    let scheduled = pod("scheduled", "n");
    let ending = client.delete(&scheduled).expect(200);
    assert_eq!(ending["metadata"]["deletionGracePeriodSeconds"], 20);
    assert_eq!(ending["metadata"]["generation"], 2);
    // A period only becomes shorter.
    let again = client.delete(&format!("{scheduled}?gracePeriodSeconds=50")).expect(200);
    assert_eq!(again["metadata"], ending["metadata"]);
    let sooner = client.delete(&format!("{scheduled}?gracePeriodSeconds=10")).expect(200);
    assert_eq!(sooner["metadata"]["deletionGracePeriodSeconds"], 10);
    assert!(
        sooner["metadata"]["deletionTimestamp"].as_str() < ending["metadata"]["deletionTimestamp"].as_str()
    );
    // An update does not end it.
    client.put(&scheduled, &sooner).expect(200);
    client.delete(&format!("{scheduled}?gracePeriodSeconds=0")).expect(200);
    client.get(&scheduled).expect(404);
    // Nobody has to end what nobody runs, or what has ended.
    let waiting = pod("waiting", "");
    client.delete(&waiting).expect(200);
    client.get(&waiting).expect(404);
    let ended = pod("ended", "n");
    let mut status = client.get(&ended).expect(200);
    status["status"]["phase"] = "Succeeded".into();
    client.put(&format!("{ended}/status"), &status).expect(200);
    client.delete(&ended).expect(200);
    client.get(&ended).expect(404);
    // What keeps a pod keeps it until nobody runs it.
    let kept = pod("kept", "n");
    let mut changed = client.get(&kept).expect(200);
    changed["metadata"]["finalizers"] = json!(["example.com/f"]);
    client.put(&kept, &changed).expect(200);
    client.delete(&kept).expect(200);
    let mut changed = client.delete(&format!("{kept}?gracePeriodSeconds=0")).expect(200);
    assert_eq!(changed["metadata"]["deletionGracePeriodSeconds"], 0);
    changed["metadata"]["finalizers"] = json!([]);
    client.put(&kept, &changed).expect(200);
    client.get(&kept).expect(404);
}

#[test]
fn pods_are_gone_with_their_controller() {
    let directory = tempfile::tempdir().unwrap();
    let server = Process::start_as_users(directory.path(), &[]);
    let pods = format!("{NAMESPACES}/default/pods");
    let mut pod = named("p");
    pod["spec"] = json!({"containers": [{"name": "c", "image": "i"}], "nodeName": "n"});
    server.client.post(&pods, &pod).expect(201);
    server.client.delete(&format!("{pods}/p")).expect(200);
    server.client.get(&format!("{pods}/p")).expect(404);
}

#[test]
fn new_nodes_are_not_ready_if_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let plugin = ["--enable-admission-plugins", "TaintNodesByCondition"];
    let server = Process::start_as_users(directory.path(), &plugin);
    let nodes = "/api/v1/nodes";
    let not_ready = json!({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"});
    let node = server.client.post(nodes, &named("n")).expect(201);
    assert_eq!(node["spec"]["taints"], json!([not_ready]));
    let mut tainted = named("tainted");
    tainted["spec"]["taints"] = json!([{"key": "a", "effect": "NoExecute"}, not_ready]);
    let node = server.client.post(nodes, &tainted).expect(201);
    assert_eq!(node["spec"]["taints"], tainted["spec"]["taints"]);
    // Whoever takes it away has the last word.
    let mut ready = server.client.get(&format!("{nodes}/n")).expect(200);
    ready["spec"]["taints"] = json!([]);
    let node = server.client.put(&format!("{nodes}/n"), &ready).expect(200);
    assert_eq!(node["spec"]["taints"], Value::Null);
}

#[test]
fn pods_that_upstream_refuses_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let server = Process::start_as_users(directory.path(), &[]);
    let refused = |path: &str, object: &Value| {
        let answer = server.client.post(path, object).expect(422);
        answer["message"].as_str().unwrap_or_default().split_once(": ").unwrap().1.to_owned()
    };
    let mut pod = named("p");
    pod["spec"] = json!({"containers": [{"name": "c", "image": "i", "imagePullPolicy": "Sometimes"}]});
    assert_eq!(
        refused(&format!("{NAMESPACES}/default/pods"), &pod),
        "spec.containers[0].imagePullPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", \
         \"IfNotPresent\", \"Never\""
    );
    // The usual policy does not fit those whose pods end, or do not.
    let mut job = named("j");
    job["spec"]["template"]["spec"] = json!({"containers": [{"name": "c", "image": "i"}]});
    let jobs = "/apis/batch/v1/namespaces/default/jobs";
    assert_eq!(
        refused(jobs, &job),
        "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\""
    );
    job["spec"]["template"]["spec"]["restartPolicy"] = "Never".into();
    server.client.post(jobs, &job).expect(201);
}

#[test]
fn controllers_have_names() {
    let error = refused(&["--in-memory", "--controllers", "*,-deployment-controller"]);
    assert!(error.contains("there is no controller \"-deployment-controller\""), "{error}");
}
