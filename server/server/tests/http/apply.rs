//! Tests server-side apply. The codes and messages of refusals are those of a kube-apiserver 1.37.1, to which the same requests
//! were sent.

use hubgen_server::access::{Access, Attributes, Authorize, Decision, Grant, Refusal};
use serde_json::{Value, json};

use crate::client::{Answer, Client};
use crate::harness::{Harness, Setup};
use crate::runtime::{path, scheme};

const APPLY: &str = "application/apply-patch+yaml";

fn server() -> Harness {
    Setup::new().scheme(scheme()).start()
}

fn send(client: Client, version: &str, query: &str, body: &str) -> Answer {
    let path = format!("{}/g?{query}", path(version));
    client.send("PATCH", &path, &[("Content-Type", APPLY)], body.as_bytes())
}

/// A gauge with these members, at a version.
fn gauge(version: &str, members: Value) -> Value {
    let mut gauge =
        json!({"apiVersion": format!("example.com/{version}"), "kind": "Gauge", "metadata": {"name": "g"}});
    gauge.as_object_mut().unwrap().extend(members.as_object().cloned().unwrap_or_default());
    gauge
}

fn apply(client: Client, version: &str, query: &str, members: Value) -> Answer {
    send(client, version, query, &gauge(version, members).to_string())
}

/// Each owner, its operation and version, its fields, and whether it has a time.
fn owners(object: &Value) -> Vec<(String, String, bool)> {
    let all = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    let text = |owner: &Value, name: &str| owner[name].as_str().unwrap_or_default().to_owned();
    let told = |owner: &Value| {
        let who =
            format!("{} {} {}", text(owner, "manager"), text(owner, "operation"), text(owner, "apiVersion"));
        (who.replace("example.com/", ""), owner["fieldsV1"].to_string(), owner["time"].is_string())
    };
    all.map(told).collect()
}

fn owner(who: &str, fields: &str, has_time: bool) -> (String, String, bool) {
    (who.to_owned(), fields.to_owned(), has_time)
}

#[test]
fn a_runtime_kind_is_created_and_changed_by_applies() {
    let server = server();
    let client = server.client;
    let tried = apply(client, "v1", "fieldManager=a&dryRun=All", json!({"tint": "red"})).expect(201);
    assert_eq!(tried["tint"], "red");
    client.get(&format!("{}/g", path("v1"))).expect(404);
    // A configuration in YAML.
    let yaml = "apiVersion: example.com/v1\nkind: Gauge\nmetadata:\n  name: g\ntint: red\ntags: [x]\n";
    let created = send(client, "v1", "fieldManager=a", yaml).expect(201);
    let fields = r#"{"f:tags":{"v:\"x\"":{}},"f:tint":{}}"#;
    assert_eq!(owners(&created), [owner("a Apply v1", fields, true)]);

    let same = send(client, "v1", "fieldManager=a", yaml).expect(200);
    assert_eq!(same, created, "nothing is written");
    apply(client, "v1", "fieldManager=b", json!({"tags": ["y"]})).expect(200);
    let refused = apply(client, "v1", "fieldManager=b", json!({"tint": "blue"})).expect(409);
    assert_eq!(refused["message"], "Apply failed with 1 conflict: conflict with \"a\": .tint");
    assert_eq!(refused["reason"], "Conflict");
    let cause =
        json!([{"reason": "FieldManagerConflict", "message": "conflict with \"a\"", "field": ".tint"}]);
    assert_eq!(refused["details"], json!({"causes": cause}));
    let forced = apply(client, "v1", "fieldManager=b&force=true", json!({"tint": "blue"})).expect(200);
    assert_eq!((&forced["tint"], &forced["tags"]), (&json!("blue"), &json!(["x"])));
    let expected = [
        owner("a Apply v1", r#"{"f:tags":{"v:\"x\"":{}}}"#, true),
        owner("b Apply v1", r#"{"f:tint":{}}"#, true),
    ];
    assert_eq!(owners(&forced), expected);
    let left = apply(client, "v1", "fieldManager=b", json!({})).expect(200);
    assert!(left.get("tint").is_none_or(|tint| tint == ""), "{left}");
}

#[test]
fn managers_of_other_versions_keep_and_give_up_their_fields() {
    let server = server();
    let client = server.client;
    let members = json!({"colour": "red", "tags": ["x"], "data": {"a": 1}});
    apply(client, "v1alpha1", "fieldManager=a", members).expect(201);
    let refused = apply(client, "v1", "fieldManager=b", json!({"tint": "blue"})).expect(409);
    assert_eq!(refused["message"], "Apply failed with 1 conflict: conflict with \"a\": .colour");
    let same = apply(client, "v1", "fieldManager=b", json!({"tint": "red"})).expect(200);
    assert_eq!(owners(&same).len(), 2);
    // At another version it gives up what it does not apply, but for what somebody else owns.
    let moved = apply(client, "v1", "fieldManager=a", json!({"data": {"a": 1}})).expect(200);
    assert_eq!((&moved["tint"], &moved["data"]), (&json!("red"), &json!({"a": 1})));
    assert!(moved.get("tags").is_none_or(|tags| tags == &json!([])), "{moved}");
    let expected = [
        owner("a Apply v1", r#"{"f:data":{"f:a":{}}}"#, true),
        owner("b Apply v1", r#"{"f:tint":{}}"#, false),
    ];
    let mut found = owners(&moved);
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn owners_that_cannot_be_read_are_dropped_with_a_warning() {
    let server = server();
    let mut stored = gauge("v1", json!({"tint": "red"}));
    stored["metadata"] = json!({
        "name": "g", "namespace": "default", "uid": "u", "managedFields": [
            {"manager": "x", "operation": "Apply", "apiVersion": "example.com/v1", "fieldsType": "FieldsV1", "fieldsV1": {"k:broken": {}}},
        ],
    });
    server.put("/registry/example.com/gauges/default/g", &stored.to_string());
    let applied = apply(server.client, "v1", "fieldManager=a&force=true", json!({"tint": "blue"}));
    let warnings = applied.header("warning");
    assert!(warnings.len() == 1 && warnings[0].contains("cannot be read and is dropped"), "{warnings:?}");
    assert_eq!(owners(&applied.expect(200)), [owner("a Apply v1", r#"{"f:tint":{}}"#, true)]);
}

#[test]
fn ten_thousand_owners_are_compared() {
    let server = server();
    let created = gauge("v1", json!({"tint": "red"}));
    server.client.post(&path("v1"), &created).expect(201);
    let entry = |number: usize| {
        json!({
            "manager": format!("m{number:05}"), "operation": "Apply", "apiVersion": "example.com/v1",
            "fieldsType": "FieldsV1", "fieldsV1": {"f:tint": {}},
        })
    };
    let owners_of: Value = (0..10_000).map(entry).collect();
    let body = json!({"metadata": {"managedFields": owners_of}}).to_string();
    let merge = [("Content-Type", "application/merge-patch+json")];
    server.client.send("PATCH", &format!("{}/g", path("v1")), &merge, body.as_bytes()).expect(200);
    let refused = apply(server.client, "v1", "fieldManager=a", json!({"tint": "blue"})).expect(409);
    let causes = refused["details"]["causes"].as_array().unwrap().len();
    assert_eq!(causes, 10_000);
    let forced = apply(server.client, "v1", "fieldManager=a&force=true", json!({"tint": "blue"})).expect(200);
    assert_eq!(owners(&forced), [owner("a Apply v1", r#"{"f:tint":{}}"#, true)]);
}

#[test]
fn wrong_applies_are_refused_as_upstream_does() {
    let server = server();
    let client = server.client;
    apply(client, "v1", "fieldManager=a", json!({"tint": "red"})).expect(201);
    let named = |metadata: Value| gauge("v1", json!({"metadata": metadata})).to_string();
    let tint = gauge("v1", json!({"tint": "red"})).to_string();
    for (query, body, code, message) in [
        (
            "",
            tint.clone(),
            422,
            "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch",
        ),
        ("fieldManager=a", "a: b: c".to_owned(), 400, "error encoding patch: yaml: "),
        (
            "fieldManager=a",
            "[1]".to_owned(),
            400,
            "error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of \
             type map[string]interface {}",
        ),
        ("fieldManager=a", String::new(), 400, "invalid object type: /, Kind="),
        (
            "fieldManager=a",
            r#"{"apiVersion":"v1","kind":"Pod"}"#.to_owned(),
            400,
            "invalid object type: /v1, Kind=Pod",
        ),
        (
            "fieldManager=a",
            gauge("v7", json!({})).to_string(),
            400,
            "invalid object type: example.com/v7, Kind=Gauge",
        ),
        (
            "fieldManager=a",
            named(json!({"name": "g", "managedFields": []})),
            400,
            "metadata.managedFields must be nil",
        ),
        (
            "fieldManager=a",
            named(json!({"name": "other"})),
            400,
            "the name of the object (other) does not match the name on the URL (g)",
        ),
        (
            "fieldManager=b",
            named(json!({"name": "g", "namespace": "b"})),
            400,
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            "fieldManager=a",
            named(json!({"name": "g", "resourceVersion": "1"})),
            409,
            "Operation cannot be fulfilled on gauges.example.com \"g\": the object has been modified; please apply your changes to \
             the latest version and try again",
        ),
        (
            "fieldManager=a",
            named(json!({"name": "g", "uid": "x"})),
            422,
            "Gauge.example.com \"g\" is invalid: metadata.uid: Invalid value: \"x\": field is immutable",
        ),
        (
            "fieldManager=a",
            gauge("v1", json!({"nothing": 1})).to_string(),
            500,
            "failed to create typed patch object (/g; example.com/v1, Kind=Gauge): .nothing: field not declared in schema",
        ),
        (
            "fieldManager=a",
            gauge("v1", json!({"tint": 3})).to_string(),
            500,
            "failed to create typed patch object (/g; example.com/v1, Kind=Gauge): .tint: expected string, got \
             &value.valueUnstructured{Value:3}",
        ),
        (
            "fieldManager=a&fieldValidation=Strict",
            tint.replace("\"tint\"", "\"tint\":\"x\",\"tint\""),
            400,
            "error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  line 1: key \"tint\" already \
             set in map",
        ),
    ] {
        let refused = send(client, "v1", query, &body).expect(code);
        let found = refused["message"].as_str().unwrap();
        // What is wrong with YAML, each reader tells in its own words.
        let is_expected = if message.ends_with(": ") { found.starts_with(message) } else { found == message };
        assert!(is_expected, "{body}: {found}");
    }
    let absent = format!("{}/absent?fieldManager=a", path("v1"));
    let nameless = gauge("v1", json!({"metadata": {}})).to_string();
    let refused = client.send("PATCH", &absent, &[("Content-Type", APPLY)], nameless.as_bytes()).expect(400);
    let message = "the name of the object (absent based on URL) was undeterminable: name must be provided";
    assert_eq!(refused["message"], message);
    let body = gauge("v1", json!({"metadata": {"name": "absent", "uid": "x"}})).to_string();
    let refused = client.send("PATCH", &absent, &[("Content-Type", APPLY)], body.as_bytes()).expect(409);
    let message = "Operation cannot be fulfilled on gauges.example.com \"absent\": uid mismatch: the provided object specified uid x, and no existing object was found";
    assert_eq!(refused["message"], message);
    let repeated = tint.replace("\"tint\"", "\"tint\":\"x\",\"tint\"");
    let warned = send(client, "v1", "fieldManager=a", &repeated);
    assert_eq!(warned.header("warning"), ["299 - \"line 1: key \\\"tint\\\" already set in map\""]);
    let forced = format!("{}/g?force=true", path("v1"));
    let merge = [("Content-Type", "application/merge-patch+json")];
    client.send("PATCH", &forced, &merge, b"{}").expect(422);
    let cbor = [("Content-Type", "application/apply-patch+cbor")];
    let unsupported = client.send("PATCH", &forced, &cbor, b"\xa0").expect(415);
    assert!(unsupported["message"].as_str().unwrap().contains(APPLY), "{unsupported}");
}

/// Lets everybody do everything but create.
struct NoCreation;

impl Authorize for NoCreation {
    fn authorize<'a>(&'a self, request: &'a Attributes<'_>) -> Decision<'a> {
        let is_creation = request.verb == "create";
        Box::pin(async move { if is_creation { Err(Refusal::because("")) } else { Ok(Grant::default()) } })
    }
}

#[test]
fn who_may_not_create_cannot_create_by_an_apply() {
    let access = Access { authorize: Box::new(NoCreation), ..Access::default() };
    let server = Setup::new().scheme(scheme()).access(access).start();
    let refused = apply(server.client, "v1", "fieldManager=a", json!({"tint": "red"})).expect(403);
    let message = "gauges.example.com \"g\" is forbidden: User \"system:anonymous\" cannot create resource \"gauges\" in API group \"example.com\" in the namespace \"default\"";
    assert_eq!(refused["message"], message);
    assert_eq!(server.stored().1.len(), 0);
}
