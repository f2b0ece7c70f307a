//! The server is a client of conversion webhooks.

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hubgen_server::Limits;
use serde_json::{Value, json};

use crate::definitions::{DEFINITIONS, establish, eventually, with_definitions};
use crate::harness::{Harness, Setup};
use crate::scripted::Scripted;
use crate::watch::Watch;

const GROUP: &str = "shop.example.com";
const OTHERS: &str = "/api/v1/namespaces/a/notes";
/// How many requests for a kind at a version wait for its webhook at a time.
const AT_A_TIME: usize = 32;

fn limits(conversion: Duration) -> Limits {
    Limits { conversion, ..Limits::default() }
}

fn setup(limits: Limits) -> Setup {
    Setup::new().scheme(with_definitions()).limits(limits)
}

/// A definition of two versions, of which the first is stored.
fn definition(client: &Value) -> Value {
    let spec =
        json!({"type": "object", "properties": {"size": {"type": "integer"}, "note": {"type": "string"}}});
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
    let version = |name: &str, storage: bool| json!({"name": name, "served": true, "storage": storage, "schema": schema});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("wheels.{GROUP}")},
        "spec": {
            "group": GROUP,
            "names": {"kind": "Wheel", "plural": "wheels"},
            "scope": "Namespaced",
            "versions": [version("v1", true), version("v2", false)],
            "conversion": {"strategy": "Webhook", "webhook": {
                "conversionReviewVersions": ["v1"], "clientConfig": client,
            }},
        },
    })
}

fn config(webhook: &Scripted) -> Value {
    json!({"url": webhook.url, "caBundle": STANDARD.encode(&webhook.authority)})
}

fn path(version: &str) -> String {
    format!("/apis/{GROUP}/{version}/namespaces/a/wheels")
}

fn wheel(version: &str, name: &str) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/{version}"), "kind": "Wheel", "metadata": {"name": name}, "spec": {"size": 3},
    })
}

/// Serves the definition with a webhook.
fn define(server: &Harness, config: &Value) {
    server.client.post(DEFINITIONS, &definition(config)).expect(201);
    establish(server, &format!("wheels.{GROUP}"));
    eventually(server, &path("v2"), 200);
}

fn with(webhook: &Scripted, limits: Limits) -> Harness {
    let server = setup(limits).start();
    define(&server, &config(webhook));
    server
}

/// What a review asked for: the version, and the names of the objects.
fn asked(review: &Value) -> (String, Vec<String>) {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let objects = review["request"]["objects"].as_array().unwrap();
    let names = objects.iter().map(|object| text(&object["metadata"]["name"])).collect();
    (text(&review["request"]["desiredAPIVersion"]), names)
}

#[test]
fn only_objects_at_another_version_are_converted() {
    let webhook = Scripted::start("good");
    let server = with(&webhook, Limits::default());
    server.client.post(&path("v1"), &wheel("v1", "a")).expect(201);
    server.client.get(&format!("{}/a", path("v1"))).expect(200);
    assert_eq!(webhook.asked(), Vec::<Value>::new());
    let read = server.client.get(&format!("{}/a", path("v2"))).expect(200);
    assert_eq!((&read["apiVersion"], &read["spec"]), (&json!(format!("{GROUP}/v2")), &json!({"size": 3})));
    let [review] = &webhook.asked()[..] else { panic!("expected one review") };
    assert_eq!(review["kind"], "ConversionReview");
    assert_eq!(review["apiVersion"], "apiextensions.k8s.io/v1");
    assert_eq!(asked(review), (format!("{GROUP}/v2"), vec!["a".to_owned()]));
    let object = &review["request"]["objects"][0];
    assert_eq!(object["apiVersion"], format!("{GROUP}/v1"));
    assert_eq!(object["metadata"]["resourceVersion"], Value::Null);
    // To the store, and back for the answer.
    server.client.post(&path("v2"), &wheel("v2", "b")).expect(201);
    let reviews: Vec<_> = webhook.asked().iter().map(asked).collect();
    let b = || vec!["b".to_owned()];
    assert_eq!(reviews, [(format!("{GROUP}/v1"), b()), (format!("{GROUP}/v2"), b())]);
}

#[test]
fn a_list_is_one_review() {
    let webhook = Scripted::start("good");
    let server = with(&webhook, Limits::default());
    for number in 0..200 {
        server.client.post(&path("v1"), &wheel("v1", &format!("a{number:03}"))).expect(201);
    }
    let list = server.client.get(&path("v2")).expect(200);
    assert_eq!(list["items"].as_array().unwrap().len(), 200);
    assert_eq!(list["items"][7]["apiVersion"], format!("{GROUP}/v2"));
    let [review] = &webhook.asked()[..] else { panic!("expected one review") };
    assert_eq!(asked(review).1.len(), 200);
    // A page of its own is another one.
    server.client.get(&format!("{}?limit=10", path("v2"))).expect(200);
    let [review] = &webhook.asked()[..] else { panic!("expected one review") };
    assert_eq!(asked(review).1.len(), 10);
    // What is not selected is not converted.
    server.client.get(&format!("{}?fieldSelector=metadata.name%3Da007", path("v2"))).expect(200);
    let [review] = &webhook.asked()[..] else { panic!("expected one review") };
    assert_eq!(asked(review).1, ["a007"]);
    // All of that came over the same few connections.
    assert!(webhook.connections() <= 2, "{}", webhook.connections());
}

#[test]
fn one_bad_object_fails_a_list() {
    let webhook = Scripted::start("good");
    let server = with(&webhook, Limits::default());
    for name in ["a", "b", "c"] {
        server.client.post(&path("v1"), &wheel("v1", name)).expect(201);
    }
    webhook.play(json!({"set": {"/response/convertedObjects/1/metadata/name": "x"}}));
    let status = server.client.get(&path("v2")).expect(500);
    assert_eq!(status["reason"], "StorageReadError");
    let causes = status["details"]["causes"].as_array().unwrap();
    let [cause] = &causes[..] else { panic!("{causes:?}") };
    assert_eq!(cause["field"], "/registry/shop.example.com/wheels/a/b");
    let why = "conversion webhook for shop.example.com/v1, Kind=Wheel returned invalid object: must have the same name: b != x";
    assert!(cause["message"].as_str().unwrap().ends_with(why), "{cause}");
    // Nothing is lost.
    webhook.play(json!({}));
    assert_eq!(server.client.get(&path("v2")).expect(200)["items"].as_array().unwrap().len(), 3);
}

#[test]
fn all_watches_share_what_is_converted() {
    let webhook = Scripted::start("good");
    let server = with(&webhook, Limits::default());
    server.client.post(&path("v1"), &wheel("v1", "a")).expect(201);
    let mut watches: Vec<Watch> =
        (0..8).map(|_| Watch::open(server.client, &format!("{}?watch=1", path("v2")), &[])).collect();
    for watch in &mut watches {
        assert_eq!(watch.next().unwrap().1["apiVersion"], format!("{GROUP}/v2"));
    }
    webhook.asked();
    server.client.post(&path("v1"), &wheel("v1", "b")).expect(201);
    for watch in &mut watches {
        assert_eq!(watch.names(1), ["ADDED b"]);
    }
    assert_eq!(webhook.asked().len(), 1);
    webhook.play(json!({"code": 500}));
    server.client.post(&path("v1"), &wheel("v1", "c")).expect(201);
    for watch in &mut watches {
        let (event_type, status) = watch.next().unwrap();
        assert_eq!(event_type, "ERROR");
        let message = status["message"].as_str().unwrap();
        let start =
            "Internal error occurred: conversion webhook for shop.example.com/v1, Kind=Wheel failed: ";
        assert!(message.starts_with(start), "{message}");
    }
}

#[test]
fn other_kinds_are_served_while_a_webhook_hangs() {
    let webhook = Scripted::start("good");
    let server = with(&webhook, limits(Duration::from_secs(10)));
    server.client.post(&path("v1"), &wheel("v1", "a")).expect(201);
    webhook.play(json!({"does": "hang"}));
    std::thread::scope(|scope| {
        // More than are worked on at a time, of every sort.
        for number in 0..3 * AT_A_TIME {
            let client = server.client;
            scope.spawn(move || match number % 4 {
                0 => drop(client.get(&format!("{}/a", path("v2")))),
                1 => drop(client.get(&path("v2"))),
                2 => drop(client.post(&path("v2"), &wheel("v2", &format!("b{number}")))),
                _ => drop(client.delete(&format!("{}/a", path("v2")))),
            });
        }
        let start = Instant::now();
        while webhook.connections() < AT_A_TIME {
            assert!(start.elapsed() < Duration::from_secs(8), "{} ask", webhook.connections());
            std::thread::sleep(Duration::from_millis(5));
        }
        // These end before the webhook has failed once.
        let mut watch = Watch::open(server.client, &format!("{OTHERS}?watch=1"), &[]);
        server.client.post(OTHERS, &json!({"metadata": {"name": "x"}, "text": "t"})).expect(201);
        assert_eq!(watch.names(1), ["ADDED x"]);
        assert_eq!(server.client.get(OTHERS).expect(200)["items"].as_array().unwrap().len(), 1);
        server.client.delete(OTHERS).expect(200);
        // And so does the kind at the version at which it is stored.
        server.client.get(&format!("{}/a", path("v1"))).expect(200);
        server.client.post(&path("v1"), &wheel("v1", "c")).expect(201);
        let hung = webhook.asked();
        assert!(hung.len() <= AT_A_TIME, "{}", hung.len());
        webhook.kill();
    });
}

#[test]
fn a_definition_ends_while_its_webhook_hangs() {
    let webhook = Scripted::start("good");
    let server = with(&webhook, limits(Duration::from_secs(5)));
    server.client.post(&path("v1"), &wheel("v1", "a")).expect(201);
    server.client.post(&path("v2"), &wheel("v2", "b")).expect(201);
    webhook.play(json!({"does": "hang"}));
    let own = format!("{DEFINITIONS}/wheels.{GROUP}");
    server.client.delete(&own).expect(200);
    eventually(&server, &own, 404);
    let is_left = |key: &[u8]| String::from_utf8_lossy(key).contains("/wheels/");
    assert!(!server.stored().1.iter().any(|item| is_left(&item.key)));
}

#[test]
fn an_object_that_does_not_convert_is_removed_if_that_is_meant() {
    let webhook = Scripted::start("good");
    let server = with(&webhook, Limits::default());
    server.client.post(&path("v1"), &wheel("v1", "a")).expect(201);
    webhook.play(json!({"code": 500}));
    let a = format!("{}/a", path("v2"));
    server.client.delete(&a).expect(500);
    let options = json!({
        "kind": "DeleteOptions", "apiVersion": "v1", "ignoreStoreReadErrorWithClusterBreakingPotential": true,
    });
    let headers = [("Content-Type", "application/json")];
    server.client.send("DELETE", &a, &headers, options.to_string().as_bytes()).expect(200);
    server.client.get(&format!("{}/a", path("v1"))).expect(404);
}

#[test]
fn a_webhook_that_was_killed_is_asked_when_it_is_back() {
    let webhook = Scripted::start("good");
    let server = with(&webhook, Limits::default());
    server.client.post(&path("v1"), &wheel("v1", "a")).expect(201);
    let a = format!("{}/a", path("v2"));
    server.client.get(&a).expect(200);
    webhook.kill();
    let message = server.client.get(&a).expect(500)["message"].as_str().unwrap().to_owned();
    assert!(
        message.contains("conversion webhook for shop.example.com/v1, Kind=Wheel failed: Post "),
        "{message}"
    );
    let back = webhook.restarted();
    server.client.get(&a).expect(200);
    assert_eq!(back.asked().len(), 1);
}

#[test]
fn a_service_is_reached_where_the_settings_say() {
    let webhook = Scripted::start("service");
    let address = webhook.url.strip_suffix("/convert").unwrap();
    let url = format!("shop/webhook:9443={address}").parse().unwrap();
    let server = setup(Limits::default()).service_urls(vec![url]).start();
    let service = |port: u16| {
        json!({
            "service": {"namespace": "shop", "name": "webhook", "port": port, "path": "/here"},
            "caBundle": STANDARD.encode(&webhook.authority),
        })
    };
    define(&server, &service(9443));
    server.client.post(&path("v1"), &wheel("v1", "a")).expect(201);
    server.client.get(&format!("{}/a", path("v2"))).expect(200);
    assert_eq!(webhook.paths(), ["/here?timeout=30s"]);
    // Another port is another service, which nobody knows here.
    let mut changed = server.client.get(&format!("{DEFINITIONS}/wheels.{GROUP}")).expect(200);
    changed["spec"]["conversion"]["webhook"]["clientConfig"] = service(9444);
    server.client.put(&format!("{DEFINITIONS}/wheels.{GROUP}"), &changed).expect(200);
    let message = eventually(&server, &format!("{}/a", path("v2")), 500).expect(500)["message"].to_string();
    assert!(message.contains("lookup webhook.shop.svc: no such host"), "{message}");
}

#[test]
fn another_certificate_authority_ends_watches() {
    let webhook = Scripted::start("good");
    let server = with(&webhook, Limits::default());
    let mut watch = Watch::open(server.client, &format!("{}?watch=1", path("v2")), &[]);
    let own = format!("{DEFINITIONS}/wheels.{GROUP}");
    let mut changed = server.client.get(&own).expect(200);
    let other = Scripted::start("good");
    changed["spec"]["conversion"]["webhook"]["clientConfig"] = config(&other);
    server.client.put(&own, &changed).expect(200);
    assert_eq!(watch.next(), None);
    server.client.post(&path("v1"), &wheel("v1", "a")).expect(201);
    server.client.get(&format!("{}/a", path("v2"))).expect(200);
    assert_eq!((webhook.asked().len(), other.asked().len()), (0, 1));
}

#[test]
fn reviews_are_counted() {
    let webhook = Scripted::start("good");
    let server = with(&webhook, Limits::default());
    server.client.post(&path("v1"), &wheel("v1", "a")).expect(201);
    server.client.get(&format!("{}/a", path("v2"))).expect(200);
    webhook.play(json!({"repeat": 2}));
    server.client.get(&format!("{}/a", path("v2"))).expect(500);
    let metrics = server.client.get("/metrics").body;
    for line in [
        r#"apiserver_conversion_webhook_request_total{result="success",failure_type=""} 1"#,
        r#"apiserver_conversion_webhook_request_total{result="failure",failure_type="conversion_webhook_partial_response_failure"} 1"#,
        r#"apiserver_crd_conversion_webhook_duration_seconds_count{crd_name="wheels.shop.example.com",from_version="v1",to_version="v2",succeeded="true"} 1"#,
    ] {
        assert!(metrics.contains(line), "{line}\n{metrics}");
    }
}
