//! Tests patches.

use std::thread;

use serde_json::{Value, json};

use crate::client::{Answer, Client};
use crate::harness::Harness;

const NOTES: &str = "/api/v1/namespaces/a/notes";
const WIDGETS: &str = "/apis/example.com/v1/namespaces/a/widgets";
const OLD_WIDGETS: &str = "/apis/old.example.com/v1beta1/namespaces/a/widgets";

const JSON: &str = "application/json-patch+json";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";

fn patch(client: Client, path: &str, media: &str, patch: &Value) -> Answer {
    client.send("PATCH", path, &[("Content-Type", media)], patch.to_string().as_bytes())
}

/// A server with a note and a widget.
fn server() -> Harness {
    let server = Harness::new();
    let note = json!({"metadata": {"name": "n", "labels": {"l": "x"}}, "text": "old"});
    server.client.post(NOTES, &note).expect(201);
    let ports = json!([{"number": 1}, {"number": 2}]);
    let widget = json!({
        "metadata": {"name": "w"}, "spec": {"width": 1, "frame": {"name": "f"}, "ports": ports}
    });
    server.client.post(WIDGETS, &widget).expect(201);
    server
}

#[test]
fn all_formats_change_an_object() {
    let server = server();
    let path = format!("{NOTES}/n");
    for (media, body, text) in [
        (
            JSON,
            json!([{"op": "test", "path": "/text", "value": "old"}, {"op": "replace", "path": "/text", "value": "1"}]),
            "1",
        ),
        (MERGE, json!({"text": "2", "metadata": {"labels": {"l": null, "m": "y"}}}), "2"),
        (STRATEGIC, json!({"text": "3", "metadata": {"finalizers": ["a/b"]}}), "3"),
    ] {
        let patched = patch(server.client, &path, media, &body).expect(200);
        assert_eq!(patched["text"], text, "{media}");
        assert_eq!(server.client.get(&path).expect(200), patched, "{media}");
    }
    let note = server.client.get(&path).expect(200);
    assert_eq!(note["metadata"]["labels"], json!({"m": "y"}));
    assert_eq!(note["metadata"]["finalizers"], json!(["a/b"]));
}

#[test]
fn a_patch_that_changes_nothing_is_no_write() {
    let server = server();
    let before = server.client.get(&format!("{NOTES}/n")).expect(200);
    assert_eq!(
        patch(server.client, &format!("{NOTES}/n"), MERGE, &json!({"text": "old"})).expect(200),
        before
    );
    let dry =
        patch(server.client, &format!("{NOTES}/n?dryRun=All"), MERGE, &json!({"text": "new"})).expect(200);
    assert_eq!(
        (&dry["text"], &server.client.get(&format!("{NOTES}/n")).expect(200)),
        (&json!("new"), &before)
    );
}

/// A patch is written at its own version, and what that version cannot show stays.
#[test]
fn patches_are_at_any_version() {
    let server = server();
    let old = server.client.get(&format!("{OLD_WIDGETS}/w")).expect(200);
    let patched =
        patch(server.client, &format!("{OLD_WIDGETS}/w"), MERGE, &json!({"spec": {"size": 7}})).expect(200);
    assert_eq!(patched["apiVersion"], old["apiVersion"]);
    let new = server.client.get(&format!("{WIDGETS}/w")).expect(200);
    assert_eq!(new["spec"]["width"], 7);
    assert_eq!(new["spec"]["frame"], json!({"name": "f"}));
}

#[test]
fn a_patch_of_the_status_changes_nothing_else() {
    let server = server();
    let body = json!({"spec": {"width": 9}, "status": {"ready": 3}});
    let patched = patch(server.client, &format!("{WIDGETS}/w/status"), MERGE, &body).expect(200);
    assert_eq!((&patched["spec"]["width"], &patched["status"]), (&json!(1), &json!({"ready": 3})));
    let patched =
        patch(server.client, &format!("{WIDGETS}/w"), MERGE, &json!({"status": {"ready": 5}})).expect(200);
    assert_eq!(patched["status"], json!({"ready": 3}));
}

#[test]
fn wrong_patches_are_refused() {
    let server = server();
    let before = server.client.get(&format!("{NOTES}/n")).expect(200);
    for (media, body, code, reason, why) in [
        (
            "application/json",
            json!({}),
            415,
            "UnsupportedMediaType",
            "accepted media types include: application/json-patch+json, application/merge-patch+json",
        ),
        (JSON, json!({}), 400, "BadRequest", "error decoding patch"),
        (
            JSON,
            json!([{"op": "remove", "path": "/nothing"}]),
            422,
            "Invalid",
            "the server rejected our request due to an error in our request",
        ),
        (
            JSON,
            json!([{"op": "replace", "path": "/kind", "value": "Widget"}]),
            422,
            "Invalid",
            "patch: Invalid value",
        ),
        (
            JSON,
            json!([{"op": "replace", "path": "/text", "value": 1}]),
            422,
            "Invalid",
            "patch: Invalid value",
        ),
        (
            JSON,
            json!([{"op": "replace", "path": "/metadata/name", "value": "m"}]),
            400,
            "BadRequest",
            "the name of the object (m) does not match the name on the URL (n)",
        ),
        (
            JSON,
            Value::from(vec![json!({"op": "test", "path": "/text", "value": "old"}); 10_001]),
            413,
            "RequestEntityTooLarge",
            "The allowed maximum operations in a JSON patch is 10000, got 10001",
        ),
        (MERGE, json!([]), 400, "BadRequest", "error decoding patch"),
        (
            MERGE,
            json!({"metadata": {"namespace": "b"}}),
            400,
            "BadRequest",
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (MERGE, json!({"metadata": {"labels": {"l": "?"}}}), 422, "Invalid", "metadata.labels"),
        (
            MERGE,
            json!({"metadata": {"resourceVersion": "1"}}),
            409,
            "Conflict",
            "the object has been modified",
        ),
        (
            STRATEGIC,
            json!({"metadata": {"$retainKeys": 1}}),
            400,
            "BadRequest",
            "invalid patch format of retainKeys",
        ),
        (STRATEGIC, json!({"metadata": {"labels": {"$patch": "?"}}}), 500, "", "unknown patch type: ?"),
    ] {
        let status = patch(server.client, &format!("{NOTES}/n"), media, &body).expect(code);
        assert_eq!(status["reason"].as_str().unwrap_or_default(), reason, "{body}: {status}");
        assert!(status["message"].as_str().unwrap().contains(why), "{body}: {status}");
    }
    let text = |body: &str| {
        server.client.send("PATCH", &format!("{NOTES}/n"), &[("Content-Type", MERGE)], body.as_bytes())
    };
    assert_eq!(text("{").expect(400)["message"], "invalid JSON patch");
    let status = patch(server.client, &format!("{NOTES}/n?force=true"), MERGE, &json!({})).expect(422);
    assert!(
        status["message"]
            .as_str()
            .unwrap()
            .contains("force: Forbidden: may not be specified for non-apply patch")
    );
    patch(server.client, &format!("{NOTES}/nothing"), MERGE, &json!({})).expect(404);
    patch(server.client, NOTES, MERGE, &json!({})).expect(405);
    assert_eq!(server.client.get(&format!("{NOTES}/n")).expect(200), before);
}

#[test]
fn unknown_fields_are_told_or_refused() {
    let server = server();
    let path = format!("{NOTES}/n");
    let patched = patch(server.client, &path, MERGE, &json!({"txt": "x"}));
    patched.expect(200);
    assert_eq!(patched.header("warning"), [r#"299 - "unknown field \"txt\"""#]);
    let ops = json!([{"op": "test", "path": "/text", "value": "old", "valeu": 1}]);
    let patched = patch(server.client, &path, JSON, &ops);
    assert_eq!(patched.header("warning"), [r#"299 - "json patch unknown field \"[0].valeu\"""#]);
    let strict = format!("{path}?fieldValidation=Strict");
    let status = patch(server.client, &strict, STRATEGIC, &json!({"txt": "x"})).expect(422);
    assert!(
        status["message"].as_str().unwrap().ends_with(r#"strict decoding error: unknown field "txt""#),
        "{status}"
    );
    let ignored =
        patch(server.client, &format!("{path}?fieldValidation=Ignore"), MERGE, &json!({"txt": "x"}));
    assert!(ignored.header("warning").is_empty());
}

#[test]
fn many_unknown_members_of_a_patch_are_counted() {
    let server = server();
    let members: String = (0..150).map(|number| format!(r#","u{number:03}":0"#)).collect();
    let ops = format!(r#"[{{"op":"test","path":"/text","value":"old"{members}}}]"#);
    let path = format!("{NOTES}/n?fieldValidation=Strict");
    let status = server.client.send("PATCH", &path, &[("Content-Type", JSON)], ops.as_bytes()).expect(422);
    let message = status["message"].as_str().unwrap();
    let end = r#"json patch unknown field "[0].u099", 50 more json patch unknown fields"#;
    assert!(message.ends_with(end), "{message}");
}

#[test]
fn members_that_a_patch_has_twice_are_told_or_refused() {
    let server = server();
    let path = format!("{NOTES}/n");
    let text = |media: &'static str, path: &str, body: &'static [u8]| {
        server.client.send("PATCH", path, &[("Content-Type", media)], body)
    };
    let twice = br#"{"text": "a", "metadata": {"labels": {"x": "1", "x": "2"}}, "text": "b"}"#;
    let patched = text(MERGE, &path, twice);
    assert_eq!(patched.expect(200)["text"], "b", "the last one counts");
    let found = [r#"299 - "duplicate field \"metadata.labels.x\"""#, r#"299 - "duplicate field \"text\"""#];
    assert_eq!(patched.header("warning"), found);
    assert!(text(MERGE, &format!("{path}?fieldValidation=Ignore"), twice).header("warning").is_empty());
    let strict = format!("{path}?fieldValidation=Strict");
    let status = text(STRATEGIC, &strict, br#"{"text": "c", "text": "d"}"#).expect(422);
    let message = status["message"].as_str().unwrap();
    assert!(message.ends_with(r#"strict decoding error: duplicate field "text""#), "{message}");
    let ops = br#"[{"op": "replace", "path": "/text", "value": "c", "value": "d"}]"#;
    let status = text(JSON, &strict, ops).expect(422);
    let message = status["message"].as_str().unwrap();
    assert!(
        message.ends_with(r#"strict decoding error: json patch duplicate field "[0].value""#),
        "{message}"
    );
    assert_eq!(server.client.get(&path).expect(200)["text"], "b");
}

/// Patches of several clients are applied one after the other, and none is lost.
#[test]
fn patches_at_the_same_time_are_all_applied() {
    let server = server();
    let client = server.client;
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            thread::spawn(move || {
                for number in 0..20 {
                    let name = format!("w{writer}-{number}");
                    let body = json!({"metadata": {"labels": {name: "1"}}});
                    patch(client, &format!("{NOTES}/n"), MERGE, &body).expect(200);
                }
            })
        })
        .collect();
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    let labels = client.get(&format!("{NOTES}/n")).expect(200)["metadata"]["labels"].take();
    assert_eq!(labels.as_object().unwrap().len(), 8 * 20 + 1);
}
