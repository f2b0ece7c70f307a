//! A dry run has the answer of the real request, and stores nothing.

use std::sync::{Arc, Mutex};

use hubgen_server::admission::{AdmissionRequest, Chain, Validate, Verdict};
use serde_json::{Value, json};

use crate::harness::{Harness, Setup};

const NOTES: &str = "/api/v1/namespaces/a/notes";

/// Without what differs from one write to the next.
fn comparable(answer: &Value) -> Value {
    let mut answer = answer.clone();
    for field in ["uid", "resourceVersion", "creationTimestamp", "deletionTimestamp"] {
        answer["metadata"].as_object_mut().map(|metadata| metadata.remove(field));
    }
    answer
}

fn note(text: &str) -> Value {
    json!({"metadata": {"name": "n"}, "text": text})
}

#[test]
fn a_creation_is_answered_and_not_stored() {
    let server = Harness::new();
    let client = server.client;
    let before = server.stored();
    let tried = client.post(&format!("{NOTES}?dryRun=All"), &note("a")).expect(201);
    assert_eq!(server.stored(), before);
    assert!(tried["metadata"]["uid"].is_string());
    assert!(tried["metadata"].get("resourceVersion").is_none(), "what is not stored has no revision");
    let done = client.post(NOTES, &note("a")).expect(201);
    assert_eq!(comparable(&tried), comparable(&done));
    // A copy of an object can be tried as it is, as upstream does, but not created. What is not stored has no revision.
    let copy = json!({"metadata": {"name": "copy", "resourceVersion": "7"}});
    let tried = client.post(&format!("{NOTES}?dryRun=All"), &copy).expect(201);
    assert!(tried["metadata"].get("resourceVersion").is_none(), "{tried}");
    client.post(NOTES, &copy).expect(400);
    // The name is taken, for a dry run as well.
    let refusal = client.post(&format!("{NOTES}?dryRun=All"), &note("b")).expect(409);
    assert_eq!(refusal, client.post(NOTES, &note("b")).expect(409));
    let generated = json!({"metadata": {"generateName": "n-"}});
    let tried = client.post(&format!("{NOTES}?dryRun=All"), &generated).expect(201);
    assert!(tried["metadata"]["name"].as_str().unwrap().len() > 2);
    assert_eq!(server.stored().1.len(), 1);
}

#[test]
fn an_update_is_answered_and_not_stored() {
    let server = Harness::new();
    let client = server.client;
    let path = format!("{NOTES}/n");
    let created = client.post(NOTES, &note("a")).expect(201);
    let before = server.stored();
    let tried = client.put(&format!("{path}?dryRun=All"), &note("b")).expect(200);
    assert_eq!(tried["metadata"]["resourceVersion"], created["metadata"]["resourceVersion"]);
    assert_eq!((&tried["text"], server.stored()), (&json!("b"), before.clone()));
    // What the real request refuses is refused.
    let mut stale = note("b");
    stale["metadata"]["resourceVersion"] = json!("999");
    client.put(&format!("{path}?dryRun=All"), &stale).expect(409);
    client.put(&format!("{NOTES}/o?dryRun=All"), &json!({"metadata": {"name": "o"}})).expect(404);
    client.put(&format!("{path}?dryRun=All"), &json!({"metadata": {"name": "n"}, "text": 1})).expect(400);
    assert_eq!(server.stored(), before);
    let done = client.put(&path, &note("b")).expect(200);
    assert_eq!(comparable(&tried), comparable(&done));
}

#[test]
fn a_deletion_is_answered_and_not_done() {
    let server = Harness::new();
    let client = server.client;
    let path = format!("{NOTES}/n");
    client.post(NOTES, &note("a")).expect(201);
    let held = json!({"metadata": {"name": "held", "finalizers": ["example.com/hold"]}});
    client.post(NOTES, &held).expect(201);
    let before = server.stored();
    let json = [("Content-Type", "application/json")];
    let tried = client.delete(&format!("{path}?dryRun=All")).expect(200);
    let in_body = br#"{"kind": "DeleteOptions", "apiVersion": "v1", "dryRun": ["All"]}"#;
    assert_eq!(client.send("DELETE", &path, &json, in_body).expect(200), tried);
    // A query is not forgotten because there is a body.
    let empty = br#"{"kind": "DeleteOptions", "apiVersion": "v1"}"#;
    assert_eq!(client.send("DELETE", &format!("{path}?dryRun=All"), &json, empty).expect(200), tried);
    let marked = client.delete(&format!("{NOTES}/held?dryRun=All")).expect(200);
    assert!(marked["metadata"]["deletionTimestamp"].is_string());
    let all = client.delete(&format!("{NOTES}?dryRun=All")).expect(200);
    assert_eq!(all["items"].as_array().map(Vec::len), Some(2));
    assert_eq!(server.stored(), before);
    client.delete(&format!("{NOTES}/o?dryRun=All")).expect(404);
    assert_eq!(client.delete(&path).expect(200), tried);
}

/// The update that removes the last finalizer of an object that is being deleted.
#[test]
fn an_update_that_would_remove_the_object_leaves_it() {
    let server = Harness::new();
    let client = server.client;
    let path = format!("{NOTES}/n");
    let held = json!({"metadata": {"name": "n", "finalizers": ["example.com/hold"]}});
    client.post(NOTES, &held).expect(201);
    client.delete(&path).expect(200);
    let before = server.stored();
    client.put(&format!("{path}?dryRun=All"), &note("last")).expect(200);
    assert_eq!(server.stored(), before);
    client.put(&path, &note("last")).expect(200);
    assert!(server.stored().1.is_empty());
}

/// Records whether requests are dry runs.
struct Tells(Arc<Mutex<Vec<bool>>>);

impl Validate for Tells {
    fn admit<'a>(&'a self, request: &'a AdmissionRequest<'_>) -> Verdict<'a> {
        self.0.lock().unwrap().push(request.dry_run);
        Box::pin(async { Ok(()) })
    }
}

#[test]
fn admission_knows_that_nothing_is_stored() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let chain = Chain { validating: vec![Box::new(Tells(told.clone()))], ..Chain::default() };
    let server = Setup::new().admission(chain).start();
    server.client.post(&format!("{NOTES}?dryRun=All"), &note("a")).expect(201);
    server.client.post(NOTES, &note("a")).expect(201);
    assert_eq!(*told.lock().unwrap(), [true, false]);
    let message = server.client.post(&format!("{NOTES}?dryRun=Some"), &note("a")).expect(422);
    assert_eq!(message["details"]["causes"][0]["field"], "dryRun");
    assert_eq!(told.lock().unwrap().len(), 2);
}
