//! Kinds of CustomResourceDefinitions that are stored are served as if the program had them.

use std::time::{Duration, Instant};

use hubgen_machinery::scheme::Scheme;
use serde_json::{Value, json};

use crate::client::Answer;
use crate::harness::{Harness, Setup};
use crate::scheme::scheme;
use crate::watch::Watch;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const NAME: &str = "gears.shop.example.com";

fn with_definitions() -> Scheme {
    let mut scheme = scheme();
    hubgen_apiextensions::register(&mut scheme);
    hubgen_autoscaling::register(&mut scheme);
    scheme
}

fn server() -> Harness {
    Setup::new().scheme(with_definitions()).start()
}

/// A definition with two versions, the newer of which has one field more, and stores the older one.
fn gears() -> Value {
    let schema = |more: Value| {
        let mut spec = json!({
            "type": "object",
            "properties": {
                "size": {"type": "integer", "default": 3, "maximum": 9},
                "note": {"type": "string", "nullable": true},
                "teeth": {
                    "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["at"],
                    "items": {"type": "object", "required": ["at"], "properties": {
                        "at": {"type": "integer"}, "worn": {"type": "boolean"}
                    }}
                },
                "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}
            }
        });
        spec["properties"].as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let status = json!({"type": "object", "properties": {"turns": {"type": "integer"}}});
        json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": status}}})
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": NAME},
        "spec": {
            "group": "shop.example.com",
            "names": {
                "kind": "Gear", "plural": "gears", "singular": "gear", "shortNames": ["gr"], "categories": ["all", "metal"]
            },
            "scope": "Namespaced",
            "versions": [
                {"name": "v1", "served": true, "storage": false, "schema": schema(json!({"finish": {"type": "string"}})),
                    "subresources": {"status": {}}, "selectableFields": [{"jsonPath": ".spec.size"}],
                    "additionalPrinterColumns": [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}]},
                {"name": "v1beta1", "served": true, "storage": true, "schema": schema(json!({})),
                    "subresources": {"status": {}}, "deprecated": true},
                {"name": "v1alpha1", "served": false, "storage": false, "schema": schema(json!({}))},
            ]
        }
    })
}

fn path(version: &str) -> String {
    format!("/apis/shop.example.com/{version}/namespaces/a/gears")
}

/// Sets the condition that a definition is established, as whoever decides that does.
fn establish(server: &Harness, name: &str, is_established: bool) {
    let path = format!("{DEFINITIONS}/{name}");
    let mut definition = server.client.get(&path).expect(200);
    let status = if is_established { "True" } else { "False" };
    definition["status"] = json!({
        "acceptedNames": definition["spec"]["names"],
        "conditions": [{"type": "Established", "status": status, "lastTransitionTime": "2026-01-02T03:04:05Z", "reason": "r",
            "message": "m"}],
        "storedVersions": ["v1beta1"],
    });
    server.client.put(&format!("{path}/status"), &definition).expect(200);
}

/// The answer of a path, once it has a code: what a definition changes takes a moment.
fn eventually(server: &Harness, path: &str, code: u16) -> Answer {
    let start = Instant::now();
    loop {
        let answer = server.client.get(path);
        if answer.code == code {
            return answer;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "{path} still has the code {}", answer.code);
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A server whose gears are served.
fn with_gears() -> Harness {
    let server = server();
    server.client.post(DEFINITIONS, &gears()).expect(201);
    establish(&server, NAME, true);
    eventually(&server, &path("v1"), 200);
    server
}

fn gear(name: &str, spec: Value) -> Value {
    json!({"apiVersion": "shop.example.com/v1", "kind": "Gear", "metadata": {"name": name}, "spec": spec})
}

#[test]
fn a_kind_comes_and_goes_with_its_definition() {
    let server = server();
    let groups = || server.client.get("/apis").expect(200).to_string();
    server.client.post(DEFINITIONS, &gears()).expect(201);
    server.client.get(&path("v1")).expect(404);
    establish(&server, NAME, true);
    eventually(&server, &path("v1"), 200);
    server.client.get(&path("v1beta1")).expect(200);
    server.client.get(&path("v1alpha1")).expect(404);
    assert!(groups().contains("shop.example.com"));

    server.client.post(&path("v1"), &gear("g", json!({}))).expect(201);
    let mut watch = Watch::open(server.client, &format!("{}?watch=true", path("v1")), &[]);
    assert_eq!(watch.names(1), ["ADDED g"]);
    // What no kind depends on changes nothing.
    let change = json!({"metadata": {"labels": {"a": "b"}}});
    let headers = [("Content-Type", "application/merge-patch+json")];
    let definition = format!("{DEFINITIONS}/{NAME}");
    server.client.send("PATCH", &definition, &headers, change.to_string().as_bytes()).expect(200);
    server.client.post(&path("v1"), &gear("h", json!({}))).expect(201);
    assert_eq!(watch.names(1), ["ADDED h"]);

    establish(&server, NAME, false);
    eventually(&server, &path("v1"), 404);
    assert!(watch.next().is_none(), "the watch ends with the kind");
    assert!(!groups().contains("shop.example.com"));
    // The objects are still there.
    establish(&server, NAME, true);
    let list = eventually(&server, &path("v1"), 200).json();
    assert_eq!(list["items"].as_array().unwrap().len(), 2);
    server.client.delete(&format!("{DEFINITIONS}/{NAME}")).expect(200);
    eventually(&server, &path("v1"), 404);
}

#[test]
fn stored_definitions_are_served_from_the_start() {
    let server = with_gears();
    server.client.post(&path("v1"), &gear("g", json!({"size": 4}))).expect(201);
    let server = Setup::new().scheme(with_definitions()).restart(server);
    assert_eq!(server.client.get(&format!("{}/g", path("v1"))).expect(200)["spec"]["size"], 4);
}

#[test]
fn objects_are_pruned_and_defaulted() {
    let server = with_gears();
    let spec = json!({"note": null, "colour": "red", "any": {"b": [1.0, {"z": 1, "a": null}], "a": {}}, "finish": "matt"});
    let created = server.client.post(&path("v1"), &gear("g", spec)).expect(201);
    let expected = json!({"size": 3, "note": null, "any": {"a": {}, "b": [1, {"a": null, "z": 1}]}});
    let mut at_v1 = expected.clone();
    at_v1["finish"] = json!("matt");
    // As upstream with the strategy None: what the stored version does not know is lost.
    assert_eq!(created["spec"], expected);
    assert_eq!(created["metadata"]["generation"], 1);
    let stored = server.stored_at("/registry/shop.example.com/gears/a/g");
    assert_eq!((&stored["apiVersion"], &stored["spec"]), (&json!("shop.example.com/v1beta1"), &expected));

    // Defaults of null, and of what was stored before there was a default.
    let created = server.client.post(&path("v1"), &gear("n", json!({"size": null}))).expect(201);
    assert_eq!(created["spec"], json!({"size": 3}));
    let stored = json!({"apiVersion": "shop.example.com/v1beta1", "kind": "Gear",
        "metadata": {"name": "old", "namespace": "a", "uid": "u"}, "spec": {"colour": "red"}});
    server.put("/registry/shop.example.com/gears/a/old", &stored.to_string());
    assert_eq!(server.client.get(&format!("{}/old", path("v1"))).expect(200)["spec"], json!({"size": 3}));
}

#[test]
fn unknown_fields_are_told() {
    let server = with_gears();
    let post = |validation: &str, body: &str| {
        server.client.send(
            "POST",
            &format!("{}?fieldValidation={validation}", path("v1")),
            &[],
            body.as_bytes(),
        )
    };
    let body = r#"{"metadata": {"name": "g", "odd": 1}, "spec": {"colour": "red", "size": 1, "size": 2}, "more": 1}"#;
    let refused = post("Strict", body).expect(400);
    assert_eq!(
        refused["message"],
        "Gear in version \"v1\" cannot be handled as a Gear: strict decoding error: duplicate field \"spec.size\", unknown \
         field \"metadata.odd\", unknown field \"more\", unknown field \"spec.colour\""
    );
    let answer = post("Ignore", body);
    assert!(answer.header("warning").is_empty());
    assert_eq!(answer.expect(201)["spec"], json!({"size": 2}));
}
