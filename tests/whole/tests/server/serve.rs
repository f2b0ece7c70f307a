//! Tests `hubgen serve`: options, restarts, discovery.
#![cfg(unix)]

use std::io::Write;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::client;
use crate::process::{Process, hubgen};

/// Runs `hubgen serve` with arguments that it must refuse; returns its standard error.
pub fn refused(arguments: &[&str]) -> String {
    let output = hubgen().arg("serve").args(arguments).output().expect("hubgen starts");
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8(output.stderr).expect("errors are text")
}

#[test]
fn objects_outlive_the_server() {
    let directory = tempfile::tempdir().unwrap();
    let path = "/api/v1/namespaces/default/configmaps";
    let server = Process::start(directory.path(), "");
    let created =
        server.client.post(path, &json!({"metadata": {"name": "a"}, "data": {"k": "v"}})).expect(201);
    assert!(server.stop("-INT").success());
    let server = Process::start(directory.path(), "");
    assert_eq!(server.client.get(&format!("{path}/a")).expect(200), created);
    server.client.post(path, &json!({"metadata": {"name": "b"}})).expect(201);
    // After SIGKILL, acknowledged writes are still present.
    drop(server);
    let server = Process::start(directory.path(), "");
    let list = server.client.get(path).expect(200);
    let names: Vec<&Value> =
        list["items"].as_array().unwrap().iter().map(|item| &item["metadata"]["name"]).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(server.stop("-TERM").success());
}

/// A busy server stops. Afterwards, acknowledged writes are present and the store can be opened.
#[test]
fn a_busy_server_stops() {
    let directory = tempfile::tempdir().unwrap();
    let server = Process::start(directory.path(), "");
    let client = server.client;
    let path = "/api/v1/namespaces/default/configmaps";
    let created = client.post(path, &json!({"metadata": {"name": "kept"}})).expect(201);
    // Twelve requests with a million containers each.
    let body = format!("{{\"spec\":{{\"containers\":[{}]}}}}", vec!["{}"; 1_000_000].join(","));
    let head = format!(
        "POST /api/v1/namespaces/default/pods HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let busy: Vec<TcpStream> = (0..12)
        .map(|_| {
            let mut stream = TcpStream::connect(client.0).unwrap();
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(body.as_bytes()).unwrap();
            stream
        })
        .collect();
    assert!(server.stop("-TERM").success());
    drop(busy);
    let server = Process::start(directory.path(), "");
    assert_eq!(server.client.get(&format!("{path}/kept")).expect(200), created);
}

#[test]
fn only_one_process_can_open_the_store() {
    let directory = tempfile::tempdir().unwrap();
    let server = Process::start(directory.path(), "");
    let data_dir = directory.path().join("data");
    let message = refused(&["--port", "0", "--data-dir", data_dir.to_str().unwrap()]);
    assert!(message.contains("is in use by another process"), "{message}");
    let port = server.client.0.port().to_string();
    let message = refused(&["--port", &port, "--in-memory"]);
    assert!(message.starts_with(&format!("error: cannot listen on 127.0.0.1:{port}: ")), "{message}");
    let output =
        hubgen().args(["serve", "--port", &port, "--in-memory", "--json"]).output().expect("hubgen starts");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(1), 0));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answer["ok"], false);
    let help = "choose another port with --port; 0 is any free one";
    assert_eq!(
        (&answer["diagnostics"][0]["severity"], &answer["diagnostics"][0]["help"]),
        (&json!("error"), &json!(help))
    );
}

#[test]
fn programs_read_the_address_as_json() {
    let mut child = hubgen()
        .args(["serve", "--in-memory", "--port", "0", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("hubgen starts");
    let mut line = String::new();
    let read = BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line);
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    assert!(read.is_ok());
    let ready: Value = serde_json::from_str(&line).expect("JSON");
    let address = ready["address"].as_str().expect("an address");
    assert!(address.starts_with("127.0.0.1:"), "{line}");
    let url = format!("http://{address}");
    assert_eq!(ready, json!({"ok": true, "url": url, "address": address, "certificate": null}));
}

#[test]
fn a_ready_file_is_never_that_of_another_server() {
    let directory = tempfile::tempdir().unwrap();
    let ready = directory.path().join("ready");
    std::fs::write(&ready, "127.0.0.1:1").unwrap();
    let arguments = ["--in-memory", "--storage-versions", "v9", "--ready-file", ready.to_str().unwrap()];
    refused(&arguments);
    assert!(!ready.exists());
    let nowhere = directory.path().join("missing/ready");
    let message = refused(&["--port", "0", "--in-memory", "--ready-file", nowhere.to_str().unwrap()]);
    assert!(message.starts_with(&format!("error: {}: cannot be written: ", nowhere.display())), "{message}");
}

#[test]
fn invalid_arguments() {
    let message = refused(&["--port", "0"]);
    assert!(message.contains("--data-dir"), "{message}");
    let message = refused(&["--in-memory", "--data-dir", "x"]);
    assert!(message.contains("cannot be used with"), "{message}");
    for (choice, expected) in [
        (
            "autoscaling/v3",
            "error: --storage-versions: autoscaling/v3: unknown version `v3` of group `autoscaling`; known versions are v1, v2, v2alpha1, v2beta1, v2beta2",
        ),
        (
            "autoscalin/v1",
            "error: --storage-versions: autoscalin/v1: unknown group `autoscalin`; known groups are admissionregistration.k8s.io, ",
        ),
        (
            "extensions=apps",
            "error: --storage-versions: extensions=apps: unknown version `apps` of the core group; known versions are v1",
        ),
    ] {
        let message = refused(&["--in-memory", "--storage-versions", choice]);
        assert!(message.starts_with(expected), "{message}");
    }
}

/// The discovery paths of all versions of all groups.
fn group_versions(client: client::Client) -> Vec<String> {
    let groups = client.get("/apis").expect(200);
    let groups = groups["groups"].as_array().unwrap().iter();
    let versions = groups.flat_map(|group| group["versions"].as_array().unwrap());
    let paths = versions.map(|version| format!("/apis/{}", version["groupVersion"].as_str().unwrap()));
    std::iter::once("/api/v1".to_owned()).chain(paths).collect()
}

#[test]
fn every_resource_can_be_listed_at_every_version() {
    let directory = tempfile::tempdir().unwrap();
    let server = Process::start(directory.path(), "");
    let client = server.client;
    let mut listed = 0;
    for path in group_versions(client) {
        let list = client.get(&path).expect(200);
        for resource in list["resources"].as_array().unwrap() {
            let name = resource["name"].as_str().unwrap();
            assert!(!resource["verbs"].as_array().unwrap().is_empty(), "{path} {name}");
            if name.contains('/') {
                continue;
            }
            let answer = client.get(&format!("{path}/{name}"));
            if resource["verbs"].as_array().unwrap().contains(&json!("list")) {
                assert_eq!(answer.expect(200)["items"], json!([]), "{path}/{name}");
                listed += 1;
            } else {
                assert_eq!(answer.expect(405)["reason"], "MethodNotAllowed", "{path}/{name}");
            }
        }
    }
    assert!(listed > 150, "{listed} resources at all versions");
}

/// A new object has the defaults of its status, whatever the client sends. Only a node keeps the client's status.
#[test]
fn the_status_of_new_objects() {
    let directory = tempfile::tempdir().unwrap();
    let server = Process::start(directory.path(), "");
    let created = |path: &str, object: &Value| server.client.post(path, object).expect(201)["status"].clone();
    let claim = json!({
        "metadata": {"name": "c"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
        "status": {"phase": "Bound"}
    });
    let claims = "/api/v1/namespaces/a/persistentvolumeclaims";
    assert_eq!(created(claims, &claim), json!({"phase": "Pending"}));
    let namespace = json!({"metadata": {"name": "a"}, "status": {"phase": "Terminating"}});
    assert_eq!(created("/api/v1/namespaces", &namespace), json!({"phase": "Active"}));
    let node = json!({"metadata": {"name": "n"}, "status": {"capacity": {"cpu": "4"}}});
    assert_eq!(created("/api/v1/nodes", &node)["allocatable"], json!({"cpu": "4"}));
}

/// The groups and versions that a kube-apiserver 1.35.4 with `--runtime-config=api/all=true` returns for `/apis`.
const UPSTREAM_GROUPS: [&str; 21] = [
    "apiregistration.k8s.io: v1",
    "apps: v1",
    "events.k8s.io: v1",
    "authentication.k8s.io: v1",
    "authorization.k8s.io: v1",
    "autoscaling: v2 v1",
    "batch: v1",
    "certificates.k8s.io: v1",
    "networking.k8s.io: v1 v1beta1",
    "policy: v1",
    "rbac.authorization.k8s.io: v1",
    "storage.k8s.io: v1 v1beta1",
    "admissionregistration.k8s.io: v1 v1beta1 v1alpha1",
    "apiextensions.k8s.io: v1",
    "scheduling.k8s.io: v1",
    "coordination.k8s.io: v1 v1beta1 v1alpha2",
    "node.k8s.io: v1",
    "discovery.k8s.io: v1",
    "resource.k8s.io: v1 v1beta2 v1beta1 v1alpha3",
    "flowcontrol.apiserver.k8s.io: v1",
    "internal.apiserver.k8s.io: v1alpha1",
];

/// Groups and versions that upstream serves have upstream's order and preferred versions.
#[test]
fn groups_and_versions_have_upstreams_order() {
    let directory = tempfile::tempdir().unwrap();
    let server = Process::start(directory.path(), "");
    let ours = server.client.get("/apis").expect(200);
    let mut found = Vec::new();
    for group in ours["groups"].as_array().unwrap() {
        let name = group["name"].as_str().unwrap();
        let upstream = UPSTREAM_GROUPS.iter().filter_map(|line| line.split_once(": "));
        let Some((_, upstream)) = upstream.into_iter().find(|(group, _)| *group == name) else { continue };
        let upstream: Vec<&str> = upstream.split(' ').collect();
        let versions = group["versions"].as_array().unwrap().iter();
        let versions = versions.map(|version| version["version"].as_str().unwrap());
        let versions: Vec<&str> = versions.filter(|version| upstream.contains(version)).collect();
        assert_eq!(group["preferredVersion"]["version"], upstream[0], "{name}");
        found.push(format!("{name}: {}", versions.join(" ")));
    }
    assert_eq!(found, UPSTREAM_GROUPS);
}

/// A short name belongs to one resource, so that clients do not have to choose.
#[test]
fn a_short_name_belongs_to_one_resource() {
    let directory = tempfile::tempdir().unwrap();
    let server = Process::start(directory.path(), "");
    let client = server.client;
    let mut taken = std::collections::BTreeMap::new();
    for path in group_versions(client) {
        let group = path.rsplit_once('/').unwrap().0.to_owned();
        for resource in client.get(&path).expect(200)["resources"].as_array().unwrap() {
            for name in resource["shortNames"].as_array().into_iter().flatten() {
                let resource = (group.clone(), resource["name"].clone());
                let other = taken.entry(name.as_str().unwrap().to_owned()).or_insert(resource.clone());
                assert_eq!(*other, resource, "{name}");
            }
        }
    }
    assert_eq!(taken["deploy"].0, "/apis/apps");
    assert!(taken.len() > 30, "{taken:?}");
}
