//! Creates, reads, updates and deletes objects.

use serde_json::{Value, json};

use crate::harness::Harness;

const NOTES: &str = "/api/v1/namespaces/a/notes";
const WIDGETS: &str = "/apis/example.com/v1/namespaces/a/widgets";

fn widget(name: &str) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name},
        "spec": {"width": 1, "frame": {"name": "f"}}})
}

#[test]
fn an_object_is_created_read_updated_and_deleted() {
    let server = Harness::new();
    let client = server.client;
    let note = json!({"apiVersion": "v1", "kind": "Note", "metadata": {"name": "n"}, "text": "<&>"});
    let created = client.post(NOTES, &note);
    assert_eq!(created.code, 201);
    assert_eq!(
        created.body,
        "{\"kind\":\"Note\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\",\"namespace\":\"a\",\"uid\":\"uid-1\",\
         \"resourceVersion\":\"2\",\"creationTimestamp\":\"2026-01-02T03:04:05Z\"},\"text\":\"\\u003c\\u0026\\u003e\"}\n"
    );
    assert_eq!(client.get(&format!("{NOTES}/n")).body, created.body);
    assert!(server.stored_at("/registry/notes/a/n")["metadata"].get("resourceVersion").is_none());

    let mut note = created.json();
    note["text"] = json!("new");
    let updated = client.put(&format!("{NOTES}/n"), &note).expect(200);
    assert_eq!(updated["metadata"]["resourceVersion"], "3");
    assert_eq!(updated["text"], "new");

    let deleted = client.delete(&format!("{NOTES}/n")).expect(200);
    let details = json!({"name": "n", "kind": "notes", "uid": "uid-1"});
    let success = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details});
    assert_eq!(deleted, success);
    let status = client.get(&format!("{NOTES}/n")).expect(404);
    assert_eq!(status["message"], "notes \"n\" not found");
    assert_eq!(status["reason"], "NotFound");
    assert_eq!(status["details"], json!({"name": "n", "kind": "notes"}));
    assert!(server.stored().1.is_empty());
}

#[test]
fn yaml_bodies_are_accepted() {
    let server = Harness::new();
    let yaml = "apiVersion: v1\nkind: Note\nmetadata:\n  name: note\n  labels: {a: \"yes\"}\ntext: |\n  two\n  lines\n";
    let answer = server.client.send("POST", NOTES, &[("Content-Type", "application/yaml")], yaml.as_bytes());
    let note = answer.expect(201);
    assert_eq!(note["text"], "two\nlines\n");
    assert_eq!(note["metadata"]["labels"], json!({"a": "yes"}));
}

#[test]
fn clients_cannot_change_fields_of_the_server() {
    let server = Harness::new();
    let client = server.client;
    let mut new = widget("w");
    new["metadata"]["uid"] = json!("mine");
    new["metadata"]["generation"] = json!(7);
    new["metadata"]["creationTimestamp"] = json!("1999-01-01T00:00:00Z");
    new["metadata"]["deletionTimestamp"] = json!("1999-01-01T00:00:00Z");
    new["metadata"]["selfLink"] = json!("/somewhere");
    new["status"] = json!({"ready": 5});
    let created = client.post(WIDGETS, &new).expect(201);
    assert_eq!(
        created["metadata"],
        json!({"name": "w", "namespace": "a", "uid": "uid-1", "resourceVersion": "2", "generation": 1,
            "creationTimestamp": "2026-01-02T03:04:05Z"})
    );
    assert_eq!(created["status"], json!({}));

    let mut changed = created.clone();
    for (field, value) in [("generation", json!(9)), ("creationTimestamp", Value::Null)] {
        changed["metadata"][field] = value;
    }
    changed["status"] = json!({"ready": 5});
    changed["metadata"]["labels"] = json!({"a": "b"});
    let updated = client.put(&format!("{WIDGETS}/w"), &changed).expect(200);
    assert_eq!(updated["metadata"]["generation"], 1, "a change of labels must not increase the generation");
    assert_eq!(updated["metadata"]["creationTimestamp"], created["metadata"]["creationTimestamp"]);
    assert_eq!(updated["status"], json!({}));

    changed = updated;
    changed["spec"]["width"] = json!(2);
    let updated = client.put(&format!("{WIDGETS}/w"), &changed).expect(200);
    assert_eq!(updated["metadata"]["generation"], 2);
}

#[test]
fn the_status_changes_only_by_its_subresource() {
    let server = Harness::new();
    let client = server.client;
    let mut changed = client.post(WIDGETS, &widget("w")).expect(201);
    changed["status"] = json!({"ready": 5});
    changed["spec"]["width"] = json!(9);
    changed["metadata"]["labels"] = json!({"a": "b"});
    let updated = client.put(&format!("{WIDGETS}/w/status"), &changed).expect(200);
    assert_eq!(updated["status"], json!({"ready": 5}));
    assert_eq!(updated["spec"]["width"], 1);
    assert_eq!(updated["metadata"]["generation"], 1);
    assert!(updated["metadata"].get("labels").is_none());
    assert_eq!(client.get(&format!("{WIDGETS}/w/status")).expect(200), updated);

    let mut changed = updated;
    changed["status"] = json!({});
    changed["spec"]["width"] = json!(2);
    let updated = client.put(&format!("{WIDGETS}/w"), &changed).expect(200);
    assert_eq!((&updated["status"]["ready"], &updated["spec"]["width"]), (&json!(5), &json!(2)));
    client.get(&format!("{WIDGETS}/w/scale")).expect(404);
    client.get("/api/v1/namespaces/a/notes/n/status").expect(404);
}

#[test]
fn generated_names_are_retried() {
    let server = Harness::new();
    let client = server.client;
    let note = json!({"metadata": {"generateName": "n-"}});
    let names = [(); 3].map(|()| client.post(NOTES, &note).expect(201)["metadata"]["name"].clone());
    assert_eq!(names, [json!("n-00000"), json!("n-00001"), json!("n-00002")]);

    let long = "x".repeat(80);
    let created = client.post(NOTES, &json!({"metadata": {"generateName": long}})).expect(201);
    assert_eq!(created["metadata"]["name"].as_str().unwrap().len(), 63);

    let status = client.post(NOTES, &json!({"metadata": {}})).expect(422);
    assert_eq!(
        status["message"],
        "Note \"\" is invalid: metadata.name: Required value: name or generateName is required"
    );
    client.post(NOTES, &json!({"metadata": {"generateName": "N-"}})).expect(422);
}

#[test]
fn a_name_can_be_used_once() {
    let server = Harness::new();
    server.client.post(WIDGETS, &widget("w")).expect(201);
    let before = server.stored();
    let status = server.client.post(WIDGETS, &widget("w")).expect(409);
    assert_eq!(status["reason"], "AlreadyExists");
    assert_eq!(status["message"], "widgets.example.com \"w\" already exists");
    assert_eq!(status["details"], json!({"name": "w", "group": "example.com", "kind": "widgets"}));
    assert_eq!(server.stored(), before);
}

#[test]
fn stale_updates_are_refused() {
    let server = Harness::new();
    let client = server.client;
    let first = client.post(WIDGETS, &widget("w")).expect(201);
    let mut second = first.clone();
    second["spec"]["width"] = json!(2);
    client.put(&format!("{WIDGETS}/w"), &second).expect(200);
    let before = server.stored();

    let mut stale = first.clone();
    stale["spec"]["width"] = json!(3);
    let status = client.put(&format!("{WIDGETS}/w"), &stale).expect(409);
    assert_eq!(status["reason"], "Conflict");
    assert_eq!(
        status["message"],
        "Operation cannot be fulfilled on widgets.example.com \"w\": the object has been modified; \
         please apply your changes to the latest version and try again"
    );
    stale["metadata"]["resourceVersion"] = json!("new");
    client.put(&format!("{WIDGETS}/w"), &stale).expect(422);
    let mut other = widget("w");
    other["metadata"]["uid"] = json!("another");
    let status = client.put(&format!("{WIDGETS}/w"), &other).expect(409);
    assert!(
        status["message"].as_str().unwrap().contains("Precondition failed: UID in precondition: another")
    );
    assert_eq!(server.stored(), before);

    // Without a resourceVersion, the last write wins.
    stale["metadata"]["resourceVersion"] = Value::Null;
    let updated = client.put(&format!("{WIDGETS}/w"), &stale).expect(200);
    assert_eq!(updated["spec"]["width"], 3);
    assert_eq!(client.put(&format!("{WIDGETS}/nobody"), &widget("nobody")).expect(404)["reason"], "NotFound");
}

#[test]
fn concurrent_updates_are_not_lost() {
    let server = Harness::new();
    let client = server.client;
    client.post(NOTES, &json!({"metadata": {"name": "n"}, "text": ""})).expect(201);
    // Each client adds a letter, and retries after a conflict.
    std::thread::scope(|scope| {
        for letter in ["a", "b", "c", "d"] {
            scope.spawn(move || {
                loop {
                    let mut note = client.get(&format!("{NOTES}/n")).expect(200);
                    note["text"] = json!(format!("{}{letter}", note["text"].as_str().unwrap_or_default()));
                    let answer = client.put(&format!("{NOTES}/n"), &note);
                    if answer.code == 200 {
                        return;
                    }
                    assert_eq!(answer.code, 409, "{}", answer.body);
                }
            });
        }
    });
    let text = client.get(&format!("{NOTES}/n")).expect(200)["text"].clone();
    let mut letters: Vec<char> = text.as_str().unwrap().chars().collect();
    letters.sort_unstable();
    assert_eq!(letters, ['a', 'b', 'c', 'd']);
}

#[test]
fn finalizers_delay_a_deletion() {
    let server = Harness::new();
    let client = server.client;
    let mut new = widget("w");
    new["metadata"]["finalizers"] = json!(["example.com/one", "example.com/two"]);
    client.post(WIDGETS, &new).expect(201);
    let waiting = client.delete(&format!("{WIDGETS}/w")).expect(200);
    assert_eq!(waiting["kind"], "Widget");
    assert_eq!(waiting["metadata"]["deletionTimestamp"], "2026-01-02T03:04:05Z");
    assert_eq!(waiting["metadata"]["deletionGracePeriodSeconds"], 0);
    assert_eq!(waiting["metadata"]["generation"], 2);
    // A second deletion changes nothing.
    assert_eq!(client.delete(&format!("{WIDGETS}/w")).expect(200), waiting);

    let mut fewer = waiting.clone();
    fewer["metadata"]["finalizers"] = json!(["example.com/two"]);
    // A client cannot undo the deletion.
    fewer["metadata"]["deletionTimestamp"] = Value::Null;
    let fewer = client.put(&format!("{WIDGETS}/w"), &fewer).expect(200);
    assert_eq!(fewer["metadata"]["deletionTimestamp"], waiting["metadata"]["deletionTimestamp"]);

    let mut none = fewer;
    none["metadata"]["finalizers"] = json!([]);
    client.put(&format!("{WIDGETS}/w"), &none).expect(200);
    client.get(&format!("{WIDGETS}/w")).expect(404);
    assert!(server.stored().1.is_empty());
}

#[test]
fn an_object_being_deleted_gets_no_new_finalizers() {
    let server = Harness::new();
    let client = server.client;
    let mut new = widget("w");
    new["metadata"]["finalizers"] = json!(["example.com/one"]);
    client.post(WIDGETS, &new).expect(201);
    client.delete(&format!("{WIDGETS}/w")).expect(200);
    let before = server.stored();
    new["metadata"]["finalizers"] = json!(["example.com/two", "example.com/one", "example.com/three"]);
    let status = client.put(&format!("{WIDGETS}/w"), &new).expect(422);
    assert_eq!(
        status["message"],
        "Widget.example.com \"w\" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if \
         the object is being deleted, found new finalizers []string{\"example.com/three\", \"example.com/two\"}"
    );
    assert_eq!(status["details"]["causes"][0]["reason"], "FieldValueForbidden");
    assert_eq!(server.stored(), before);
    // Existing finalizers may remain.
    new["metadata"]["finalizers"] = json!(["example.com/one"]);
    client.put(&format!("{WIDGETS}/w"), &new).expect(200);
}

/// As in upstream, this depends on the kind: custom resources preserve their metadata, jobs take
/// the client's, deployments take all of it but the labels.
#[test]
fn a_status_update_changes_metadata_as_in_upstream() {
    let server = Harness::new();
    let client = server.client;
    let owner = json!({"apiVersion": "v1", "kind": "Note", "name": "n", "uid": "u"});
    let change = |mut object: Value| {
        object["metadata"]["labels"] = json!({"a": "b"});
        object["metadata"]["annotations"] = json!({"a": "b"});
        object["metadata"]["finalizers"] = json!(["example.com/f"]);
        object["metadata"]["ownerReferences"] = json!([owner]);
        object["metadata"]["generation"] = json!(9);
        object["status"] = json!({"ready": 1});
        object
    };
    let fields = ["labels", "annotations", "finalizers", "ownerReferences"];
    for (path, taken) in [
        ("/apis/apps/v1/namespaces/a/deployments", &["annotations", "finalizers", "ownerReferences"][..]),
        ("/apis/batch/v1/namespaces/a/jobs", &fields),
        ("/api/v1/namespaces/a/pods", &["labels", "annotations", "finalizers"]),
        (WIDGETS, &[]),
    ] {
        let created = client.post(path, &widget_or_plain(path)).expect(201);
        let changed = client.put(&format!("{path}/w/status"), &change(created.clone())).expect(200);
        assert_eq!(changed["status"]["ready"], 1, "{path}");
        assert_eq!(changed["metadata"]["generation"], created["metadata"]["generation"], "{path}");
        let found: Vec<&str> =
            fields.into_iter().filter(|field| changed["metadata"].get(field).is_some()).collect();
        assert_eq!(found, taken, "{path}");
    }
    // The metadata is validated like any other, and removing the last finalizer deletes the object.
    let path = "/apis/batch/v1/namespaces/a/jobs/w";
    let mut job = client.get(path).expect(200);
    job["metadata"]["labels"] = json!({"a": "no label"});
    client.put(&format!("{path}/status"), &job).expect(422);
    client.delete(path).expect(200);
    job["metadata"]["labels"] = json!({});
    job["metadata"]["finalizers"] = json!([]);
    job["metadata"]["resourceVersion"] = json!("");
    client.put(&format!("{path}/status"), &job).expect(200);
    client.get(path).expect(404);
}

fn widget_or_plain(path: &str) -> Value {
    if path == WIDGETS { widget("w") } else { json!({"metadata": {"name": "w"}}) }
}

#[test]
fn deletions_have_preconditions() {
    let server = Harness::new();
    let client = server.client;
    client.post(NOTES, &json!({"metadata": {"name": "n"}})).expect(201);
    let before = server.stored();
    let delete = |options: Value| {
        let headers = [("Content-Type", "application/json")];
        client.send("DELETE", &format!("{NOTES}/n"), &headers, options.to_string().as_bytes())
    };
    let options = |preconditions: Value| json!({"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": preconditions});
    let status = delete(options(json!({"uid": "another"}))).expect(409);
    assert_eq!(
        status["message"],
        "Operation cannot be fulfilled on Note \"n\": the UID in the precondition (another) does not match the \
         UID in record (uid-1). The object might have been deleted and then recreated"
    );
    delete(options(json!({"resourceVersion": "1"}))).expect(409);
    let status = delete(json!({"propagationPolicy": "Sometimes"})).expect(422);
    assert_eq!(status["details"]["kind"], "DeleteOptions");
    delete(json!({"dryRun": ["Some"]})).expect(422);
    delete(json!({"preconditions": 1})).expect(400);
    assert_eq!(server.stored(), before);
    delete(options(json!({"uid": "uid-1", "resourceVersion": "2"}))).expect(200);
    assert!(server.stored().1.is_empty());
    let status = delete(json!({})).expect(404);
    assert_eq!(status["message"], "notes \"n\" not found");
}

#[test]
fn reviews_are_answered_and_never_stored() {
    let server = Harness::new();
    let review = json!({"kind": "Review", "apiVersion": "example.com/v1", "spec": {"user": "u"}, "status": {"allowed": true}});
    let answer = server.client.post("/apis/example.com/v1/reviews", &review).expect(201);
    assert_eq!(answer["spec"], json!({"user": "u"}));
    assert!(answer["status"].get("allowed").is_none(), "the client's status must be ignored: {answer}");
    assert!(answer["status"]["evaluationError"].as_str().unwrap().contains("not evaluated"));
    let status = server.client.post("/apis/example.com/v1/reviews", &json!({"metadata": {}})).expect(422);
    assert_eq!(status["message"], "Review.example.com \"\" is invalid: spec: Required value");
    assert!(server.stored().1.is_empty());
    for method in ["GET", "PUT", "DELETE", "PATCH"] {
        let status = server.client.send(method, "/apis/example.com/v1/reviews", &[], b"").expect(405);
        assert_eq!(status["reason"], "MethodNotAllowed");
        assert_eq!(status["message"], "the server does not allow this method on the requested resource");
        let status = server.client.send(method, "/apis/example.com/v1/reviews/r", &[], b"").expect(404);
        assert_eq!(status["message"], "the server could not find the requested resource");
    }
}
