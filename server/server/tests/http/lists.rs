//! Tests lists.

use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::harness::Harness;

fn notes() -> Harness {
    let server = Harness::new();
    for (namespace, name, label) in
        [("a", "1", "x"), ("a", "2", "y"), ("a", "3", "x"), ("ab", "4", "x"), ("b", "1", "z")]
    {
        let note = json!({"metadata": {"name": name, "labels": {"l": label}}});
        server.client.post(&format!("/api/v1/namespaces/{namespace}/notes"), &note).expect(201);
    }
    server
}

fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    items
        .map(|item| format!("{}/{}", text(&item["metadata"]["namespace"]), text(&item["metadata"]["name"])))
        .collect()
}

#[test]
fn lists_of_one_namespace_and_of_all() {
    let server = notes();
    let list = server.client.get("/api/v1/notes").expect(200);
    assert_eq!((&list["kind"], &list["apiVersion"]), (&json!("NoteList"), &json!("v1")));
    assert_eq!(list["metadata"], json!({"resourceVersion": "6"}));
    assert_eq!(names(&list), ["a/1", "a/2", "a/3", "ab/4", "b/1"]);
    assert!(list["items"][0].get("kind").is_none());
    assert_eq!(list["items"][0]["metadata"]["resourceVersion"], "2");
    assert_eq!(names(&server.client.get("/api/v1/namespaces/a/notes").expect(200)), ["a/1", "a/2", "a/3"]);
    let empty = server.client.get("/api/v1/namespaces/c/notes").expect(200);
    assert_eq!(empty["items"], json!([]));
    assert_eq!(empty["metadata"]["resourceVersion"], "6");
}

#[test]
fn lists_by_selectors() {
    let server = notes();
    for (query, expected) in [
        ("labelSelector=l%3Dx", &["a/1", "a/3", "ab/4"][..]),
        ("labelSelector=l%20in%20(x,z),l!%3Dz", &["a/1", "a/3", "ab/4"]),
        ("labelSelector=!l", &[]),
        ("labelSelector=l%20notin%20(x)", &["a/2", "b/1"]),
        ("fieldSelector=metadata.name%3D1", &["a/1", "b/1"]),
        ("fieldSelector=metadata.name%3D1,metadata.namespace!%3Da", &["b/1"]),
        ("labelSelector=l%3Dx&limit=2", &["a/1", "a/3"]),
    ] {
        assert_eq!(
            names(&server.client.get(&format!("/api/v1/notes?{query}")).expect(200)),
            expected,
            "{query}"
        );
    }
    for query in ["fieldSelector=text%3D1", "labelSelector=l%3Ea", "limit=many"] {
        let status = server.client.get(&format!("/api/v1/notes?{query}")).expect(400);
        assert_eq!(status["reason"], "BadRequest", "{query}");
    }
    for (query, why) in [
        (
            "resourceVersionMatch=Exact",
            "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
        ),
        (
            "resourceVersionMatch=Exact&resourceVersion=0",
            "Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
        ),
        (
            "resourceVersionMatch=Some&resourceVersion=1",
            "Unsupported value: \"Some\": supported values: \"Exact\", \"NotOlderThan\", \"\"",
        ),
    ] {
        let status = server.client.get(&format!("/api/v1/notes?{query}")).expect(422);
        let message = format!("ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: {why}");
        assert_eq!(status["message"], message, "{query}");
    }
}

#[test]
fn lists_by_numeric_labels() {
    let server = Harness::new();
    for (name, label) in [("1", "9"), ("2", "10"), ("3", "11"), ("4", "many")] {
        let note = json!({"metadata": {"name": name, "labels": {"l": label}}});
        server.client.post("/api/v1/namespaces/a/notes", &note).expect(201);
    }
    for (query, expected) in [
        ("l%3E9", &["a/2", "a/3"][..]),
        ("l%3C11", &["a/1", "a/2"]),
        ("l%3E9,l%3C11", &["a/2"]),
        ("l%3C100,l", &["a/1", "a/2", "a/3"]),
    ] {
        let list = server.client.get(&format!("/api/v1/notes?labelSelector={query}")).expect(200);
        assert_eq!(names(&list), expected, "{query}");
    }
}

#[test]
fn all_parts_of_a_list_are_from_one_revision() {
    let server = notes();
    let first = server.client.get("/api/v1/notes?limit=2").expect(200);
    assert_eq!(names(&first), ["a/1", "a/2"]);
    assert_eq!(first["metadata"]["remainingItemCount"], 3);
    // Changes in between do not appear in the rest of the list.
    server.client.delete("/api/v1/namespaces/a/notes/3").expect(200);
    server.client.post("/api/v1/namespaces/z/notes", &json!({"metadata": {"name": "9"}})).expect(201);
    let token = |list: &Value| list["metadata"]["continue"].as_str().unwrap().to_owned();
    let second = server.client.get(&format!("/api/v1/notes?limit=2&continue={}", token(&first))).expect(200);
    assert_eq!(names(&second), ["a/3", "ab/4"]);
    assert_eq!(second["metadata"]["remainingItemCount"], 1);
    assert_eq!(second["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
    let third = server.client.get(&format!("/api/v1/notes?limit=2&continue={}", token(&second))).expect(200);
    assert_eq!(names(&third), ["b/1"]);
    assert!(third["metadata"].get("continue").is_none());
    // With the token of another list, a list returns no foreign objects.
    let other = server.client.get(&format!("/api/v1/namespaces/b/notes?continue={}", token(&first)));
    assert_eq!(names(&other.expect(200)), [""; 0]);
    server.client.get("/api/v1/notes?continue=nonsense").expect(400);
}

#[test]
fn lists_at_a_revision() {
    let server = notes();
    let list = server.client.get("/api/v1/notes?resourceVersion=3&resourceVersionMatch=Exact").expect(200);
    assert_eq!(names(&list), ["a/1", "a/2"]);
    assert_eq!(names(&server.client.get("/api/v1/notes?resourceVersion=3").expect(200)).len(), 5);
    let status = server.client.get("/api/v1/notes?resourceVersion=99").expect(504);
    assert_eq!(status["message"], "Timeout: Too large resource version: 99, current: 6");
    assert_eq!(status["details"]["retryAfterSeconds"], 1);
    // An object is also never older than the requested revision.
    let note = "/api/v1/namespaces/a/notes/1";
    for known in ["0", "2", "6"] {
        server.client.get(&format!("{note}?resourceVersion={known}")).expect(200);
    }
    let status = server.client.get(&format!("{note}?resourceVersion=7")).expect(504);
    assert_eq!(status["message"], "Timeout: Too large resource version: 7, current: 6");
    server.client.get(&format!("{note}?resourceVersion=many")).expect(400);
}

/// Clients that list in parts do not set `resourceVersionMatch`, and expect all parts from the
/// revision that they specify.
#[test]
fn a_list_with_limit_and_revision_is_exact() {
    let server = notes();
    let list = |query: &str| server.client.get(&format!("/api/v1/notes?{query}")).expect(200);
    let exact = list("resourceVersion=4&limit=2");
    assert_eq!(names(&exact), ["a/1", "a/2"]);
    assert_eq!(exact["metadata"]["resourceVersion"], "4");
    assert_eq!(exact["metadata"]["remainingItemCount"], 1);
    for query in [
        "resourceVersion=0&limit=9",
        "resourceVersion=4&limit=9&resourceVersionMatch=NotOlderThan",
        "resourceVersion=4&limit=0",
    ] {
        let newest = list(query);
        assert_eq!(names(&newest).len(), 5, "{query}");
        assert_eq!(newest["metadata"]["resourceVersion"], "6", "{query}");
    }
    server.client.get("/api/v1/notes?resourceVersion=99&limit=2").expect(504);
}

/// The messages are those of a kube-apiserver 1.35.4 after its etcd is compacted.
#[test]
fn a_compacted_revision_is_expired() {
    let server = notes();
    let first = server.client.get("/api/v1/notes?limit=2").expect(200);
    server.client.post("/api/v1/namespaces/z/notes", &json!({"metadata": {"name": "9"}})).expect(201);
    server.compact();
    let token = |list: &Value| list["metadata"]["continue"].as_str().unwrap().to_owned();
    let status = server.client.get(&format!("/api/v1/notes?limit=2&continue={}", token(&first))).expect(410);
    assert_eq!(status["reason"], "Expired");
    assert_eq!(
        status["message"],
        "The provided continue parameter is too old to display a consistent list result. You can start a new list \
         without the continue parameter, or use the continue token in this response to retrieve the remainder of \
         the results. Continuing with the provided token results in an inconsistent list - objects that were \
         created, modified, or deleted between the time the first chunk was returned and now may show up in the \
         list."
    );
    // A client that accepts an inconsistent list continues with the token of the error.
    let rest = server.client.get(&format!("/api/v1/notes?continue={}", token(&status))).expect(200);
    assert_eq!(names(&rest), ["a/3", "ab/4", "b/1", "z/9"]);
    for query in ["resourceVersion=4&limit=2", "resourceVersion=4&resourceVersionMatch=Exact"] {
        let status = server.client.get(&format!("/api/v1/notes?{query}")).expect(410);
        assert_eq!(status["reason"], "Expired", "{query}");
        assert_eq!(status["message"], "The resourceVersion for the provided list is too old.", "{query}");
    }
}

#[test]
fn collections_are_deleted() {
    let server = notes();
    let deleted = server.client.delete("/api/v1/namespaces/a/notes?labelSelector=l%3Dx").expect(200);
    assert_eq!(names(&deleted), ["a/1", "a/3"]);
    assert_eq!(names(&server.client.get("/api/v1/notes").expect(200)), ["a/2", "ab/4", "b/1"]);
    server.client.delete("/api/v1/notes").expect(405);
}

#[test]
fn large_answers_are_compressed_for_clients_that_accept_it() {
    let server = Harness::new();
    let note = json!({"metadata": {"name": "large"}, "text": "x".repeat(130 << 10)});
    server.client.post("/api/v1/namespaces/a/notes", &note).expect(201);
    let small = json!({"metadata": {"name": "small"}});
    server.client.post("/api/v1/namespaces/a/notes", &small).expect(201);
    let get =
        |path: &str, encodings: &str| server.client.send("GET", path, &[("Accept-Encoding", encodings)], b"");
    let plain = server.client.get("/api/v1/notes");
    for encodings in ["gzip", "br, GZIP;q=0.5"] {
        let answer = get("/api/v1/notes", encodings);
        assert_eq!((answer.code, answer.header("content-encoding")), (200, vec!["gzip"]), "{encodings}");
        assert_eq!(answer.header("vary"), ["Accept-Encoding"]);
        assert!(answer.bytes.len() < 8 << 10, "{} bytes", answer.bytes.len());
        let mut text = Vec::new();
        GzDecoder::new(&*answer.bytes).read_to_end(&mut text).unwrap();
        assert_eq!(text, plain.bytes, "{encodings}");
    }
    for (path, encodings) in
        [("/api/v1/notes", "gzip;q=0"), ("/api/v1/notes", "br"), ("/api/v1/namespaces/a/notes/small", "gzip")]
    {
        assert!(get(path, encodings).header("content-encoding").is_empty(), "{path} {encodings}");
    }
}
