//! Stored values that cannot be read are reported, and can be removed.

use serde_json::{Value, json};

use crate::client::Answer;
use crate::harness::{Harness, Setup};

const NOTES: &str = "/api/v1/namespaces/a/notes";
const WIDGETS: &str = "/apis/example.com/v1/namespaces/a/widgets";
const OLD_WIDGETS: &str = "/apis/old.example.com/v1beta1/namespaces/a/widgets";
const OPTION: &str = "ignoreStoreReadErrorWithClusterBreakingPotential";

/// Stores three notes, one of which cannot be read.
fn notes(server: &Harness) {
    for name in ["1", "3"] {
        server.client.post(NOTES, &json!({"metadata": {"name": name}, "text": "t"})).expect(201);
    }
    server.put("/registry/notes/a/2", "{");
}

fn names(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().unwrap();
    items.iter().map(|item| item["metadata"]["name"].as_str().unwrap()).collect()
}

/// The keys in the error of a list.
#[track_caller]
fn named(answer: &Answer, resource: &str) -> Vec<String> {
    let status = answer.expect(500);
    assert_eq!(status["reason"], "StorageReadError");
    let message = status["message"].as_str().unwrap();
    let start =
        format!("failed to read one or more {resource} from the storage: StorageError: corrupt object");
    assert!(message.starts_with(&start), "{message}");
    assert_eq!(status["details"]["name"], "list");
    let causes = status["details"]["causes"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    causes
        .iter()
        .map(|cause| {
            assert_eq!(cause["reason"], "UnexpectedServerResponse");
            let (key, message) = (text(&cause["field"]), text(&cause["message"]));
            let start = format!("StorageError: corrupt object, Code: 7, Key: {key}, ResourceVersion: 0, ");
            assert!(message.starts_with(&start), "{message}");
            key
        })
        .collect()
}

fn delete_with_option(server: &Harness, path: &str) -> Answer {
    let body = json!({"kind": "DeleteOptions", "apiVersion": "v1", OPTION: true}).to_string();
    server.client.send("DELETE", path, &[("Content-Type", "application/json")], body.as_bytes())
}

#[test]
fn a_list_fails_and_names_unreadable_values() {
    let server = Harness::new();
    notes(&server);
    for list in ["/api/v1/notes", NOTES, "/api/v1/notes?limit=2", "/api/v1/notes?labelSelector=a"] {
        assert_eq!(named(&server.client.get(list), "notes"), ["/registry/notes/a/2"], "{list}");
    }
    // A part of the list without the value, and the other objects, can be read.
    assert_eq!(names(&server.client.get("/api/v1/notes?limit=1").expect(200)), ["1"]);
    server.client.get(&format!("{NOTES}/3")).expect(200);
    // Every request for the value fails and reports its key.
    let note = json!({"metadata": {"name": "2"}, "text": "mended"});
    for answer in [
        server.client.get(&format!("{NOTES}/2")),
        server.client.put(&format!("{NOTES}/2"), &note),
        server.client.delete(&format!("{NOTES}/2")),
    ] {
        let status = answer.expect(500);
        assert_eq!(status["reason"], "InternalError");
        let message = status["message"].as_str().unwrap();
        assert!(message.contains("corrupt object, Code: 7, Key: /notes/a/2, "), "{message}");
    }
    server.client.post(NOTES, &note).expect(409);
    // A collection is not deleted partially.
    assert_eq!(named(&server.client.delete(NOTES), "notes"), ["/registry/notes/a/2"]);
    assert_eq!(server.stored().1.len(), 3);
}

#[test]
fn a_list_names_a_hundred_keys() {
    let server = Harness::new();
    for at in 0..150 {
        server.put(&format!("/registry/notes/a/{at:03}"), "{");
    }
    let status = server.client.get("/api/v1/notes").expect(500);
    let causes = status["details"]["causes"].as_array().unwrap();
    assert_eq!(causes.len(), 101);
    assert_eq!(causes[99]["field"], "/registry/notes/a/099");
    assert_eq!(causes[100]["reason"], "FieldValueTooMany");
    assert_eq!(causes[100]["message"], "too many errors, the list is truncated");
}

#[test]
fn a_setting_omits_unreadable_values_with_a_warning() {
    let server = Harness::new();
    notes(&server);
    let server = Setup::new().omit_unreadable().restart(server);
    let answer = server.client.get("/api/v1/notes");
    assert_eq!(names(&answer.expect(200)), ["1", "3"]);
    let [warning] = answer.header("warning")[..] else { panic!("one warning in {}", answer.head) };
    assert!(
        warning.contains("omitted from the list") && warning.contains("/registry/notes/a/2"),
        "{warning}"
    );
    let first = server.client.get("/api/v1/notes?limit=1").expect(200);
    let token = first["metadata"]["continue"].as_str().unwrap();
    let second = server.client.get(&format!("/api/v1/notes?limit=1&continue={token}")).expect(200);
    assert_eq!(names(&second), ["3"]);
    // Omitted values are not deleted with the collection.
    let answer = server.client.delete(NOTES);
    assert_eq!(names(&answer.expect(200)), ["1", "3"]);
    assert!(!answer.header("warning").is_empty());
    assert_eq!(server.stored().1.len(), 1);
    server.client.get(&format!("{NOTES}/2")).expect(500);
}

#[test]
fn an_option_removes_an_unreadable_value() {
    let server = Harness::new();
    notes(&server);
    let path = format!("{NOTES}/2");
    let status = delete_with_option(&server, &path).expect(200);
    assert_eq!((&status["status"], &status["details"]["name"]), (&json!("Success"), &json!("2")));
    assert_eq!(names(&server.client.get("/api/v1/notes").expect(200)), ["1", "3"]);
    delete_with_option(&server, &path).expect(404);
    // Without a body, the option is in the query.
    server.put("/registry/notes/a/2", "\u{0}");
    server.client.delete(&format!("{path}?{OPTION}=false")).expect(500);
    server.client.delete(&format!("{path}?{OPTION}=true")).expect(200);
    server.client.get(&path).expect(404);
}

#[test]
fn the_option_is_refused_in_all_other_cases() {
    let server = Harness::new();
    notes(&server);
    // Readable objects are deleted without the option.
    let status = delete_with_option(&server, &format!("{NOTES}/1")).expect(422);
    assert_eq!(
        status["message"],
        format!(
            "notes \"1\" is invalid: {OPTION}: Invalid value: true: is exclusively used to delete corrupt object(s), \
             try again by removing this option"
        )
    );
    let status = server.client.delete(&format!("{NOTES}?{OPTION}=true")).expect(422);
    assert_eq!(
        status["message"],
        format!(
            "DeleteOptions.meta.k8s.io \"\" is invalid: {OPTION}: Invalid value: true: is not allowed with \
             DELETECOLLECTION, try again after removing the option"
        )
    );
    let send = |options: Value| {
        let mut body = json!({OPTION: true});
        body.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
        let headers = [("Content-Type", "application/json")];
        server.client.send("DELETE", &format!("{NOTES}/2"), &headers, body.to_string().as_bytes())
    };
    for (options, field) in [
        (json!({"dryRun": ["All"]}), "dryRun"),
        (json!({"propagationPolicy": "Background"}), "propagationPolicy"),
        (json!({"orphanDependents": false}), "orphanDependents"),
        (json!({"gracePeriodSeconds": 0}), "gracePeriodSeconds"),
        (json!({"preconditions": {"uid": "u"}}), "preconditions"),
    ] {
        let status = send(options).expect(422);
        let why = format!("{OPTION}: Invalid value: true: cannot be set together with .{field}");
        assert_eq!(status["message"], format!("DeleteOptions.meta.k8s.io \"\" is invalid: {why}"));
    }
    let status = send(json!({"orphanDependents": false, "gracePeriodSeconds": 0})).expect(422);
    assert_eq!(status["details"]["causes"].as_array().unwrap().len(), 2);
    assert_eq!(server.stored().1.len(), 3);
}

/// What the older version cannot represent does not fit into its annotation.
#[test]
fn values_that_do_not_convert_are_named_and_can_be_removed() {
    let server = Harness::new();
    let widget = |name: &str, length: usize, finalizers: &[&str]| {
        let metadata = json!({
            "name": name,
            "annotations": {"a": "x".repeat(length)},
            "finalizers": finalizers,
        });
        json!({"metadata": metadata, "spec": {"width": 1, "frame": {"name": "f"}, "colour": "Red"}})
    };
    server.client.post(WIDGETS, &widget("fits", 10, &[])).expect(201);
    server.client.post(WIDGETS, &widget("full", 262_140, &["example.com/f"])).expect(201);
    let key = "/registry/example.com/widgets/a/full";
    assert_eq!(named(&server.client.get(OLD_WIDGETS), "widgets.old.example.com"), [key]);
    assert_eq!(names(&server.client.get(WIDGETS).expect(200)), ["fits", "full"]);
    server.client.get(&format!("{OLD_WIDGETS}/fits")).expect(200);
    server.client.get(&format!("{OLD_WIDGETS}/full")).expect(500);
    // At a version that can represent it, the object is readable.
    delete_with_option(&server, &format!("{WIDGETS}/full")).expect(422);
    delete_with_option(&server, &format!("{OLD_WIDGETS}/full")).expect(200);
    assert_eq!(names(&server.client.get(WIDGETS).expect(200)), ["fits"]);
}

/// An object without a conversion to this version is readable at its own version, so no option is
/// needed to delete it.
#[test]
fn an_object_without_a_conversion_is_deleted_at_its_own_version() {
    let server = Harness::new();
    let others = |version: &str| format!("/apis/example.com/{version}/namespaces/a/others");
    server.client.post(&others("v1alpha1"), &json!({"metadata": {"name": "o"}})).expect(201);
    let key = "/registry/example.com/others/a/o";
    assert_eq!(named(&server.client.get(&others("v1")), "others.example.com"), [key]);
    let answer = delete_with_option(&server, &format!("{}/o", others("v1")));
    assert!(answer.code >= 500 && answer.body.contains("v1alpha1"), "{answer:?}");
    server.client.delete(&format!("{}/o", others("v1alpha1"))).expect(200);
    assert_eq!(names(&server.client.get(&others("v1")).expect(200)), [""; 0]);
}
