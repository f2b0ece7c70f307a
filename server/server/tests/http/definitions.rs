//! Kinds of CustomResourceDefinitions that are stored are served as if the program had them.

use std::time::{Duration, Instant};

use hubgen_machinery::scheme::Scheme;
use serde_json::{Value, json};

use crate::client::Answer;
use crate::harness::{Harness, Setup};
use crate::scheme::scheme;
use crate::watch::Watch;

pub const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const NAME: &str = "gears.shop.example.com";

pub fn with_definitions() -> Scheme {
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

/// Waits until a definition is established.
pub fn establish(server: &Harness, name: &str) {
    let path = format!("{DEFINITIONS}/{name}");
    let start = Instant::now();
    let is_established = || {
        let definition = server.client.get(&path).expect(200);
        let conditions = definition["status"]["conditions"].as_array();
        conditions
            .into_iter()
            .flatten()
            .any(|found| found["type"] == "Established" && found["status"] == "True")
    };
    while !is_established() {
        assert!(start.elapsed() < Duration::from_secs(30), "{name} is not established");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Serves the versions of the definition of gears, or none.
fn serve(server: &Harness, is_served: bool) {
    let served = |version| json!({"op": "replace", "path": format!("/spec/versions/{version}/served"), "value": is_served});
    let patch = json!([served(0), served(1)]).to_string();
    let headers = [("Content-Type", "application/json-patch+json")];
    server.client.send("PATCH", &format!("{DEFINITIONS}/{NAME}"), &headers, patch.as_bytes()).expect(200);
}

/// The answer of a path, once it has a code: what a definition changes takes a moment.
pub fn eventually(server: &Harness, path: &str, code: u16) -> Answer {
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
    establish(&server, NAME);
    eventually(&server, &path("v1"), 200);
    server
}

fn gear(name: &str, spec: Value) -> Value {
    json!({"apiVersion": "shop.example.com/v1", "kind": "Gear", "metadata": {"name": name}, "spec": spec})
}

/// A client that waits for `Established` in a watch writes objects at once.
#[test]
fn an_established_kind_is_served() {
    let server = server();
    let selected = format!("{DEFINITIONS}?watch=true&fieldSelector=metadata.name%3D{NAME}");
    let mut watch = Watch::open(server.client, &selected, &[]);
    // Without an order between the two, a tenth of the clients are too early.
    for _ in 0..50 {
        server.client.post(DEFINITIONS, &gears()).expect(201);
        let is_established = |definition: &Value| {
            let conditions = definition["status"]["conditions"].as_array().into_iter().flatten();
            conditions.into_iter().any(|found| found["type"] == "Established" && found["status"] == "True")
        };
        while !is_established(&watch.next().expect("an event").1) {}
        server.client.post(&path("v1"), &gear("g", json!({}))).expect(201);
        server.client.delete(&format!("{DEFINITIONS}/{NAME}")).expect(200);
        while watch.next().expect("an event").0 != "DELETED" {}
    }
}

#[test]
fn a_kind_comes_and_goes_with_its_definition() {
    let server = server();
    let groups = || server.client.get("/apis").expect(200).to_string();
    server.client.get(&path("v1")).expect(404);
    server.client.post(DEFINITIONS, &gears()).expect(201);
    establish(&server, NAME);
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

    serve(&server, false);
    eventually(&server, &path("v1"), 404);
    assert!(watch.next().is_none(), "the watch ends with the kind");
    assert!(!groups().contains("shop.example.com"));
    // The objects are still there.
    serve(&server, true);
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
    let body = r#"{"apiVersion": "shop.example.com/v1", "kind": "Gear", "metadata": {"name": "g", "odd": 1}, "spec": {"colour": "red", "size": 1, "size": 2}, "more": 1}"#;
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

#[test]
fn what_is_tolerated_is_warned_of() {
    let server = with_gears();
    let mut made = server.client.post(&path("v1"), &gear("g", json!({"size": 2}))).expect(201);
    let place =
        "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/x-kubernetes-validations";
    let patch = json!([{"op": "add", "path": place, "value": [{"rule": "self > 5"}]}]).to_string();
    let headers = [("Content-Type", "application/json-patch+json")];
    server.client.send("PATCH", &format!("{DEFINITIONS}/{NAME}"), &headers, patch.as_bytes()).expect(200);
    let start = Instant::now();
    let dry_run = format!("{}?dryRun=All", path("v1"));
    while server.client.post(&dry_run, &gear("other", json!({"size": 2}))).code != 422 {
        assert!(start.elapsed() < Duration::from_secs(30), "the rule is not evaluated");
        std::thread::sleep(Duration::from_millis(5));
    }

    made["spec"]["note"] = "changed".into();
    let tolerated = r#"299 - "spec.size: Invalid value: 2: failed rule: self > 5""#;
    let answer = server.client.put(&format!("{}/g", path("v1")), &made);
    assert_eq!((answer.code, answer.header("warning")), (200, vec![tolerated]), "{}", answer.body);
    // Also if something else is wrong.
    let mut wrong = answer.json();
    wrong["spec"]["teeth"] = json!([{"at": 1}, {"at": 1}]);
    let answer = server.client.put(&format!("{}/g", path("v1")), &wrong);
    assert_eq!((answer.code, answer.header("warning")), (422, vec![tolerated]), "{}", answer.body);

    let mut finalized = gear("h", json!({"size": 7}));
    finalized["metadata"]["finalizers"] = json!(["b.c", "a", "orphan", "d.e/f"]);
    let answer = server.client.post(&path("v1"), &finalized);
    let avoid = "to avoid accidental conflicts with other finalizer writers";
    let warnings = [
        format!(r#"299 - "metadata.finalizers: \"a\": prefer a domain-qualified finalizer name {avoid}""#),
        format!(
            r#"299 - "metadata.finalizers: \"b.c\": prefer a domain-qualified finalizer name including a path (/) {avoid}""#
        ),
    ];
    assert_eq!((answer.code, answer.header("warning")), (201, warnings.iter().map(String::as_str).collect()));
}

#[test]
fn updates_tell_what_they_replace() {
    let server = with_gears();
    let one = format!("{}/g", path("v1"));
    let created = server.client.post(&path("v1"), &gear("g", json!({"size": 4}))).expect(201);
    let refused = server.client.put(&one, &gear("g", json!({"size": 5}))).expect(422);
    assert_eq!(
        refused["message"],
        "gears.shop.example.com \"g\" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update"
    );
    let mut changed = created.clone();
    changed["spec"]["size"] = json!(99);
    let refused = server.client.put(&one, &changed).expect(422);
    assert_eq!(refused["details"]["causes"][0]["field"], "spec.size");
    changed["spec"]["size"] = json!(5);
    changed["status"] = json!({"turns": 7});
    let updated = server.client.put(&one, &changed).expect(200);
    assert_eq!((&updated["metadata"]["generation"], updated.get("status")), (&json!(2), None));
    changed["metadata"] = updated["metadata"].clone();
    changed["metadata"]["labels"] = json!({"a": "b"});
    let updated = server.client.put(&format!("{one}/status"), &changed).expect(200);
    assert_eq!((&updated["metadata"]["generation"], &updated["status"]), (&json!(2), &json!({"turns": 7})));
    assert_eq!(updated["metadata"].get("labels"), None);
    // What changes nothing is no write.
    let again = server.client.put(&one, &updated).expect(200);
    assert_eq!(again["metadata"]["resourceVersion"], updated["metadata"]["resourceVersion"]);
}

#[test]
fn an_object_that_says_to_be_something_else_is_refused() {
    let server = with_gears();
    let mut other = gear("g", json!({"size": 99}));
    other["kind"] = json!("Wheel");
    let refused = server.client.post(&path("v1"), &other).expect(422);
    // Its values are not validated by a schema that is not its own.
    let message = "Wheel.shop.example.com \"g\" is invalid: kind: Invalid value: \"Wheel\": must be Gear";
    assert_eq!((&refused["message"], &refused["details"]["kind"]), (&json!(message), &json!("Wheel")));
    other["apiVersion"] = json!("v1");
    server.client.post(&path("v1"), &other).expect(400);
    server.client.post(&path("v1"), &gear("g", json!({"size": 4}))).expect(201);
    let patch = |query: &str, patch: Value| {
        let headers = [("Content-Type", "application/merge-patch+json")];
        let one = format!("{}/g{query}", path("v1"));
        server.client.send("PATCH", &one, &headers, patch.to_string().as_bytes())
    };
    let refused = patch("", json!({"apiVersion": "v1"})).expect(422);
    let message = "Gear \"g\" is invalid: apiVersion: Invalid value: \"v1\": must be shop.example.com/v1";
    assert_eq!((&refused["message"], refused["details"].get("group")), (&json!(message), None));
    let refused = patch("", json!({"metadata": {"uid": "u"}})).expect(422);
    assert_eq!(refused["details"]["causes"][0]["field"], "metadata.uid");
    // The status takes nothing from it but the status, which may be null where the schema allows it.
    let changed =
        patch("/status", json!({"kind": "Wheel", "metadata": {"uid": "u"}, "status": {"turns": 1}}));
    assert_eq!(changed.expect(200)["kind"], "Gear");
}

#[test]
fn patches_of_what_is_not_there_are_told_so() {
    let server = with_gears();
    let patch = |text: &str| {
        let headers = [("Content-Type", "application/json-patch+json")];
        server.client.send("PATCH", &format!("{}/none", path("v1")), &headers, text.as_bytes())
    };
    assert_eq!(patch("{}").expect(404)["reason"], "NotFound");
    assert_eq!(patch("{").expect(400)["message"], "invalid JSON patch");
    let mut elsewhere = gear("none", json!({}));
    elsewhere["metadata"]["namespace"] = json!("b");
    server.client.put(&format!("{}/none", path("v1")), &elsewhere).expect(400);
}

#[test]
fn refused_requests_warn_of_deprecated_versions() {
    let server = server();
    let mut definition = gears();
    definition["spec"]["versions"][1]["deprecated"] = json!(true);
    server.client.post(DEFINITIONS, &definition).expect(201);
    establish(&server, NAME);
    let version = definition["spec"]["versions"][1]["name"].as_str().unwrap();
    let collection = path(version);
    eventually(&server, &collection, 200);
    for (method, path, accept, code) in [
        ("GET", format!("{collection}/g/none"), "*/*", 404),
        ("DELETE", format!("{collection}/g/status"), "*/*", 405),
        ("GET", collection.clone(), "text/html", 406),
    ] {
        let answer = server.client.send(method, &path, &[("Accept", accept)], b"");
        assert_eq!(answer.code, code, "{method} {path}");
        let warnings = answer.header("warning");
        assert!(warnings.iter().any(|warning| warning.contains("is deprecated")), "{path}: {warnings:?}");
    }
    assert!(server.client.get("/apis/shop.example.com/v7/gears").header("warning").is_empty());
}

#[test]
fn patches_and_applies_know_the_lists() {
    let server = with_gears();
    let one = format!("{}/g", path("v1beta1"));
    let send = |media: &str, query: &str, body: &Value| {
        server.client.send(
            "PATCH",
            &format!("{one}{query}"),
            &[("Content-Type", media)],
            body.to_string().as_bytes(),
        )
    };
    let configuration = |teeth: Value| json!({"apiVersion": "shop.example.com/v1beta1", "kind": "Gear", "metadata": {"name": "g"}, "spec": {"teeth": teeth}});
    let apply = |by: &str, teeth: Value| {
        send("application/apply-patch+yaml", &format!("?fieldManager={by}"), &configuration(teeth))
    };
    apply("one", json!([{"at": 1, "worn": true}])).expect(201);
    let merged = apply("two", json!([{"at": 2}])).expect(200);
    assert_eq!(merged["spec"]["teeth"], json!([{"at": 1, "worn": true}, {"at": 2}]));
    let owners = &merged["metadata"]["managedFields"];
    assert_eq!(
        owners[1]["fieldsV1"],
        json!({"f:spec": {"f:teeth": {"k:{\"at\":2}": {".": {}, "f:at": {}}}}})
    );
    apply("two", json!([{"at": 1, "worn": false}])).expect(409);
    let merged =
        send("application/merge-patch+json", "", &json!({"spec": {"size": 7, "colour": "red"}})).expect(200);
    assert_eq!((&merged["spec"]["size"], merged["spec"].get("colour")), (&json!(7), None));
    let patch = json!([{"op": "replace", "path": "/spec/size", "value": 8}]);
    assert_eq!(send("application/json-patch+json", "", &patch).expect(200)["spec"]["size"], 8);
    send("application/strategic-merge-patch+json", "", &json!({})).expect(415);
    // What others write at another version is theirs there.
    let unknown = json!({"apiVersion": "shop.example.com/v1beta1", "kind": "Gear", "metadata": {"name": "g"}, "spec": {"odd": 1}});
    let refused = send("application/apply-patch+yaml", "?fieldManager=one", &unknown).expect(500);
    assert!(
        refused["message"].as_str().unwrap().contains(".spec.odd: field not declared in schema"),
        "{refused}"
    );
}

#[test]
fn gears_are_shown_as_the_definition_says() {
    let server = with_gears();
    server.client.post(&path("v1"), &gear("g", json!({"size": 4}))).expect(201);
    server.client.post(&path("v1"), &gear("h", json!({"size": 5}))).expect(201);
    let selected = server.client.get(&format!("{}?fieldSelector=spec.size%3D5", path("v1"))).expect(200);
    assert_eq!(selected["items"].as_array().unwrap().len(), 1);
    server.client.get(&format!("{}?fieldSelector=spec.size%3D5", path("v1beta1"))).expect(400);
    let get =
        |version: &str, accept: &str| server.client.send("GET", &path(version), &[("Accept", accept)], b"");
    let table = get("v1", "application/json;as=Table;g=meta.k8s.io;v=v1").expect(200);
    assert_eq!(table["columnDefinitions"][1]["name"], "Size");
    assert_eq!(table["rows"][0]["cells"], json!(["g", 4]));
    let partial = get("v1", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1").expect(200);
    assert_eq!(partial["items"][0]["metadata"]["name"], "g");
    get("v1", "application/vnd.kubernetes.protobuf").expect(406);
    get("v1", "application/vnd.kubernetes.protobuf,application/json").expect(200);
    let protobuf = [("Content-Type", "application/vnd.kubernetes.protobuf")];
    server.client.send("POST", &path("v1"), &protobuf, b"k8s\0").expect(415);
    let listed = server.client.get("/apis/shop.example.com/v1").expect(200);
    let gears = &listed["resources"][0];
    assert_eq!((&gears["shortNames"], &gears["categories"]), (&json!(["gr"]), &json!(["all", "metal"])));
    assert_eq!(listed["resources"][1]["name"], "gears/status");
    let missing = server.client.get(&format!("{}/g/scale", path("v1"))).expect(404);
    assert_eq!(missing["message"], "gears.shop.example.com \"g\" not found");
    let warned = get("v1beta1", "application/json");
    assert_eq!(
        warned.header("warning"),
        ["299 - \"shop.example.com/v1beta1 Gear is deprecated; use shop.example.com/v1 Gear\""]
    );
    let documents = server.client.get("/openapi/v3").expect(200);
    assert!(documents["paths"].get("apis/shop.example.com/v1").is_some());
    let document = server.client.get("/openapi/v3/apis/shop.example.com/v1").expect(200);
    let schema = &document["components"]["schemas"]["com.example.shop.v1.Gear"];
    assert_eq!(schema["properties"]["spec"]["properties"]["size"]["maximum"], 9);
}

#[test]
fn a_scale_is_where_the_definition_says() {
    let server = server();
    let mut definition = gears();
    for version in definition["spec"]["versions"].as_array_mut().unwrap() {
        version["subresources"]["scale"] = json!({
            "specReplicasPath": ".spec.size", "statusReplicasPath": ".status.turns", "labelSelectorPath": ".spec.note"
        });
    }
    server.client.post(DEFINITIONS, &definition).expect(201);
    establish(&server, NAME);
    eventually(&server, &path("v1"), 200);
    server.client.post(&path("v1"), &gear("g", json!({"size": 4, "note": "a=b"}))).expect(201);
    let one = format!("{}/g/scale", path("v1"));
    let mut scale = server.client.get(&one).expect(200);
    assert_eq!((&scale["kind"], &scale["spec"]), (&json!("Scale"), &json!({"replicas": 4})));
    assert_eq!(scale["status"], json!({"replicas": 0, "selector": "a=b"}));
    scale["spec"]["replicas"] = json!(6);
    assert_eq!(server.client.put(&one, &scale).expect(200)["spec"]["replicas"], 6);
    assert_eq!(server.client.get(&format!("{}/g", path("v1"))).expect(200)["spec"]["size"], 6);
    let headers = [("Content-Type", "application/merge-patch+json")];
    let patch = json!({"spec": {"replicas": -1}}).to_string();
    let refused = server.client.send("PATCH", &one, &headers, patch.as_bytes()).expect(422);
    assert_eq!(
        refused["details"]["causes"],
        json!([{"reason": "FieldValueInvalid", "field": ".spec.size",
            "message": "Invalid value: -1: should be a non-negative integer"}])
    );
}

#[test]
fn nothing_is_converted_by_a_webhook_that_is_not_there() {
    let server = server();
    let mut definition = gears();
    definition["spec"]["conversion"] = json!({"strategy": "Webhook", "webhook": {
        "conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://127.0.0.1:1/convert"}
    }});
    server.client.post(DEFINITIONS, &definition).expect(201);
    establish(&server, NAME);
    eventually(&server, &path("v1"), 200);
    let refused = server.client.post(&path("v1"), &gear("g", json!({}))).expect(500);
    let why = "conversion webhook for shop.example.com/v1, Kind=Gear failed: ";
    assert!(refused["message"].as_str().unwrap().starts_with(why), "{refused}");
    let mut old = gear("g", json!({}));
    old["apiVersion"] = json!("shop.example.com/v1beta1");
    server.client.post(&path("v1beta1"), &old).expect(201);
    server.client.get(&format!("{}/g", path("v1beta1"))).expect(200);
    server.client.get(&format!("{}/g", path("v1"))).expect(500);
}
