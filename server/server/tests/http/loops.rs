//! What the server does by itself, and how a test waits for it.

use hubgen_server::admission::Chain;
use hubgen_server::loops::Controllers;
use serde_json::{Value, json};

use crate::definitions::{DEFINITIONS, with_definitions};
use crate::harness::{Harness, Setup};

const NOTES: &str = "/api/v1/namespaces/a/notes";
const GEARS: &str = "/apis/gears.example.com/v1/namespaces/a/gears";

fn server() -> Harness {
    Setup::new().controllers(Controllers::default()).start()
}

fn create(server: &Harness, path: &str, metadata: Value) -> Value {
    server.client.post(path, &json!({"metadata": metadata})).expect(201)
}

/// A reference to an object.
fn owner(object: &Value, blocks: bool) -> Value {
    json!({
        "apiVersion": object["apiVersion"], "kind": object["kind"], "name": object["metadata"]["name"],
        "uid": object["metadata"]["uid"], "blockOwnerDeletion": blocks,
    })
}

/// What is there after everything has been done: the names of objects and the finalizers that keep those that are being deleted.
fn left(server: &Harness, path: &str) -> Vec<String> {
    server.settle();
    let list = server.client.get(path).expect(200);
    let text = |object: &Value| {
        let metadata = &object["metadata"];
        let name = metadata["name"].as_str().unwrap();
        if metadata["deletionTimestamp"].is_null() {
            name.to_owned()
        } else {
            format!("{name} {}", metadata["finalizers"])
        }
    };
    list["items"].as_array().unwrap().iter().map(text).collect()
}

/// An owner `o` with two dependents: `b` keeps it, `c` does not. `b` has a finalizer.
fn family(server: &Harness) {
    let o = create(server, NOTES, json!({"name": "o"}));
    create(
        server,
        NOTES,
        json!({"name": "b", "ownerReferences": [owner(&o, true)], "finalizers": ["a.b/keep"]}),
    );
    create(server, NOTES, json!({"name": "c", "ownerReferences": [owner(&o, false)]}));
    assert_eq!(left(server, NOTES), ["b", "c", "o"]);
}

#[test]
fn dependents_go_after_their_owner() {
    let server = server();
    family(&server);
    server.client.delete(&format!("{NOTES}/o")).expect(200);
    assert_eq!(left(&server, NOTES), [r#"b ["a.b/keep"]"#]);
}

#[test]
fn an_owner_waits_for_dependents() {
    let server = server();
    family(&server);
    server.client.delete(&format!("{NOTES}/o?propagationPolicy=Foreground")).expect(200);
    assert_eq!(left(&server, NOTES), [r#"b ["a.b/keep"]"#, r#"o ["foregroundDeletion"]"#]);
    let mut b = server.client.get(&format!("{NOTES}/b")).expect(200);
    b["metadata"]["finalizers"] = json!([]);
    server.client.put(&format!("{NOTES}/b"), &b).expect(200);
    assert_eq!(left(&server, NOTES), [""; 0]);
}

#[test]
fn dependents_stay_without_their_owner() {
    let server = server();
    family(&server);
    server.client.delete(&format!("{NOTES}/o?propagationPolicy=Orphan")).expect(200);
    assert_eq!(left(&server, NOTES), ["b", "c"]);
    let b = server.client.get(&format!("{NOTES}/b")).expect(200);
    assert!(b["metadata"].get("ownerReferences").is_none(), "{b}");
}

#[test]
fn an_object_has_to_have_an_owner_that_exists() {
    let server = server();
    let gone = json!({"apiVersion": "v1", "kind": "Note", "name": "gone", "uid": "1"});
    let unknown = json!({"apiVersion": "v9", "kind": "Unknown", "name": "gone", "uid": "2"});
    create(&server, NOTES, json!({"name": "a", "ownerReferences": [gone]}));
    create(&server, NOTES, json!({"name": "b", "ownerReferences": [gone, unknown]}));
    // Nobody knows what is of a kind that is not served.
    assert_eq!(left(&server, NOTES), ["b"]);
    let o = create(&server, NOTES, json!({"name": "o"}));
    create(&server, NOTES, json!({"name": "c", "ownerReferences": [gone, owner(&o, true)]}));
    assert_eq!(left(&server, NOTES), ["b", "c", "o"]);
    let c = server.client.get(&format!("{NOTES}/c")).expect(200);
    assert_eq!(c["metadata"]["ownerReferences"], json!([owner(&o, true)]));
}

#[test]
fn garbage_of_before_is_collected() {
    let server = Setup::new().start();
    family(&server);
    server.client.delete(&format!("{NOTES}/o")).expect(200);
    assert_eq!(left(&server, NOTES), ["b", "c"]);
    let server = Setup::new().controllers(Controllers::default()).restart(server);
    assert_eq!(left(&server, NOTES), [r#"b ["a.b/keep"]"#]);
}

#[test]
fn nobody_adds_finalizers_that_nobody_removes() {
    let server = Setup::new().controllers(Controllers::parse("*,-garbagecollector").unwrap()).start();
    family(&server);
    server.client.delete(&format!("{NOTES}/o?propagationPolicy=Foreground")).expect(200);
    assert_eq!(left(&server, NOTES), ["b", "c"]);
}

#[test]
fn a_kind_is_served_and_removed_when_all_is_done() {
    let controllers = Controllers::default();
    let server = Setup::new().scheme(with_definitions()).controllers(controllers).start();
    let schema = json!({"openAPIV3Schema": {"type": "object"}});
    let definition = json!({
        "metadata": {"name": "gears.gears.example.com"},
        "spec": {
            "group": "gears.example.com", "scope": "Namespaced", "names": {"plural": "gears", "kind": "Gear"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
        },
    });
    let named = format!("{DEFINITIONS}/gears.gears.example.com");
    for _ in 0..10 {
        server.client.post(DEFINITIONS, &definition).expect(201);
        server.settle();
        let gear = |name: &str, owners: Value| {
            json!({
                "apiVersion": "gears.example.com/v1", "kind": "Gear",
                "metadata": {"name": name, "ownerReferences": owners},
            })
        };
        let g = server.client.post(GEARS, &gear("g", json!([]))).expect(201);
        server.client.post(GEARS, &gear("h", json!([owner(&g, true)]))).expect(201);
        create(&server, NOTES, json!({"name": "n", "ownerReferences": [owner(&g, true)]}));
        assert_eq!(left(&server, NOTES), ["n"]);
        server.client.delete(&named).expect(200);
        assert_eq!(left(&server, NOTES), [""; 0]);
        server.client.get(&named).expect(404);
        server.client.get(GEARS).expect(404);
    }
}

#[test]
fn a_namespace_has_to_exist_if_admission_says_so() {
    let admission = Chain { namespace_lifecycle: true, ..Chain::default() };
    let server = Setup::new().admission(admission).start();
    let missing = server.client.post(NOTES, &json!({"metadata": {"name": "n"}})).expect(404);
    assert_eq!(missing["message"], "namespaces \"a\" not found");
    assert_eq!(missing["details"], json!({"name": "a", "kind": "namespaces"}));
    let undry = server.client.post(&format!("{NOTES}?dryRun=All"), &json!({"metadata": {"name": "n"}}));
    assert_eq!(undry.code, 404);
    create(&server, "/api/v1/namespaces", json!({"name": "a"}));
    create(&server, NOTES, json!({"name": "n"}));
    // Those of the system are there, because they have to be.
    let refused = server.client.delete("/api/v1/namespaces/kube-system").expect(403);
    assert_eq!(
        refused["message"],
        "namespaces \"kube-system\" is forbidden: this namespace may not be deleted"
    );
    server.client.delete("/api/v1/namespaces/kube-node-lease").expect(200);
}
