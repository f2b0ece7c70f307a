//! Refused requests return upstream's Status and do not change the store.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Answer;
use crate::harness::Harness;

const NOTES: &str = "/api/v1/namespaces/a/notes";
const WIDGETS: &str = "/apis/example.com/v1/namespaces/a/widgets";
const JSON: &[(&str, &str)] = &[("Content-Type", "application/json")];

/// Sends a request to a server with one object, and checks that it is refused and that the store is
/// unchanged. Returns the message.
#[track_caller]
fn refused(code: u16, reason: &str, send: impl Fn(&Harness) -> Answer) -> String {
    let server = Harness::new();
    server.client.post(NOTES, &json!({"metadata": {"name": "n"}, "text": "as it was"})).expect(201);
    let before = server.stored();
    let status = send(&server).expect(code);
    assert_eq!(server.stored(), before);
    assert_eq!(status["kind"], "Status");
    assert_eq!(status["apiVersion"], "v1");
    assert_eq!(status["status"], "Failure");
    assert_eq!(status["reason"], reason, "{status}");
    assert_eq!(status["code"], code);
    status["message"].as_str().unwrap().to_owned()
}

#[track_caller]
fn refused_body(code: u16, reason: &str, body: &[u8]) -> String {
    let put = refused(code, reason, |server| server.client.send("PUT", &format!("{NOTES}/n"), JSON, body));
    let post = refused(code, reason, |server| server.client.send("POST", NOTES, JSON, body));
    assert_eq!(post, put);
    post
}

#[test]
fn broken_json() {
    for body in [
        "",
        "{",
        "{]",
        "[]",
        "null",
        "1",
        "{\"metadata\": {\"name\": \"n\"}} x",
        "{'metadata': {}}",
        "\u{feff}{}",
    ] {
        let message = refused_body(400, "BadRequest", body.as_bytes());
        assert!(
            message.starts_with("the object provided is unrecognized (must be of type Note): couldn't get version/kind; json parse error: line 1, column "),
            "{body}: {message}"
        );
    }
    refused_body(400, "BadRequest", b"{\"text\": \"\xff\"}");
}

#[test]
fn a_field_of_the_wrong_type() {
    let message = refused_body(400, "BadRequest", b"{\"metadata\": {\"name\": \"n\"}, \"text\": 1}");
    assert!(
        message.starts_with("Note in version \"v1\" cannot be handled as a Note: line 1, column "),
        "{message}"
    );
    assert!(message.ends_with("text: expected a string, found a number"), "{message}");
}

#[test]
fn another_api_version_or_kind() {
    let body = |api_version: &str, kind: &str| {
        json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "w"}}).to_string()
    };
    let post =
        |body: String| move |server: &Harness| server.client.send("POST", WIDGETS, JSON, body.as_bytes());
    let message = refused(400, "BadRequest", post(body("old.example.com/v1beta1", "Widget")));
    assert_eq!(
        message,
        "the API version in the data (old.example.com/v1beta1) does not match the expected API version (example.com/v1)"
    );
    let message = refused(400, "BadRequest", post(body("example.com/v2", "Widget")));
    assert_eq!(
        message,
        "Widget in version \"v2\" cannot be handled as a Widget: \
         no kind \"Widget\" is registered for version \"example.com/v2\""
    );
    let message = refused(400, "BadRequest", post(body("v1", "Note")));
    assert_eq!(
        message,
        "Note in version \"v1\" cannot be handled as a Widget: expected kind \"Widget\", found kind \"Note\" of v1"
    );
    refused(400, "BadRequest", post(body("example.com/v1", "Nonsense")));
}

#[test]
fn unknown_paths_and_kinds() {
    for path in [
        "/",
        "/api/v2",
        "/api/v1/nothings",
        "/api/v1/namespaces/a/nothings/n",
        "/apis/nothing",
        "/apis/example.com/v9",
        "/apis/example.com/v9/widgets",
        "/api/v1/notes/n",
        "/api/v1/namespaces/a/namespaces/b",
        "/api/v1/namespaces/a/notes/n/scale",
        "/api/v1/namespaces/a/notes/n/status/more",
    ] {
        let message = refused(404, "NotFound", |server| server.client.get(path));
        assert_eq!(message, "the server could not find the requested resource", "{path}");
    }
    refused(404, "NotFound", |server| server.client.post("/api/v1/namespaces/a/nothings", &json!({})));
}

#[test]
fn methods_that_a_resource_does_not_have() {
    for (method, path) in [
        ("PATCH", "/api/v1/namespaces/a/notes"),
        ("POST", "/api/v1/namespaces/a/notes/n"),
        ("PUT", "/api/v1/namespaces/a/notes"),
        ("POST", "/api/v1/notes"),
        ("DELETE", "/api/v1/notes"),
        ("POST", "/apis"),
        ("PUT", "/healthz"),
    ] {
        refused(405, "MethodNotAllowed", |server| server.client.send(method, path, JSON, b"{}"));
    }
}

#[test]
fn invalid_names() {
    let note = |name: &str| json!({"metadata": {"name": name}});
    let long = "a".repeat(254);
    for name in ["Upper", "under_score", "-dash", "dash-", "two..dots", "a/b", " ", "ä", &long] {
        let message = refused(422, "Invalid", |server| server.client.post(NOTES, &note(name)));
        assert!(
            message
                .starts_with(&format!("Note {name:?} is invalid: metadata.name: Invalid value: {name:?}: ")),
            "{message}"
        );
    }
    let message = refused(422, "Invalid", |server| server.client.post(NOTES, &note("Upper")));
    assert!(message.contains(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'"
    ));
    // The name of a namespace is a label, the name of a role any path segment.
    let message = refused(422, "Invalid", |server| server.client.post("/api/v1/namespaces", &note("a.b")));
    assert!(message.ends_with("Invalid value: \"a.b\": must not contain dots"), "{message}");
    let message = refused(422, "Invalid", |server| server.client.post("/api/v1/namespaces", &note("A")));
    assert!(message.contains("a lowercase RFC 1123 label must consist of"), "{message}");
    let roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/a/roles";
    refused(422, "Invalid", |server| server.client.post(roles, &note("a%b")));
    Harness::new().client.post(roles, &note("system:Some_Role")).expect(201);
    let message =
        refused(422, "Invalid", |server| server.client.post("/api/v1/namespaces/A_B/notes", &note("n2")));
    assert!(message.contains("metadata.namespace: Invalid value: \"A_B\""), "{message}");
}

#[test]
fn names_and_namespaces_that_do_not_fit_the_path() {
    let put = |body: Value| move |server: &Harness| server.client.put(&format!("{NOTES}/n"), &body);
    let message = refused(400, "BadRequest", put(json!({"metadata": {"name": "m"}})));
    assert_eq!(message, "the name of the object (m) does not match the name on the URL (n)");
    let elsewhere = json!({"metadata": {"name": "n", "namespace": "b"}});
    let message = refused(400, "BadRequest", put(elsewhere.clone()));
    assert_eq!(
        message,
        "the namespace of the provided object does not match the namespace sent on the request"
    );
    refused(400, "BadRequest", |server| server.client.post(NOTES, &elsewhere));
    let message = refused(400, "BadRequest", |server| {
        server.client.post(NOTES, &json!({"metadata": {"name": "m", "resourceVersion": "2"}}))
    });
    assert_eq!(message, "resourceVersion should not be set on objects to be created");
}

#[test]
fn a_stale_resource_version() {
    let stale = json!({"metadata": {"name": "n", "resourceVersion": "1"}, "text": "new"});
    let message = refused(409, "Conflict", |server| server.client.put(&format!("{NOTES}/n"), &stale));
    assert!(
        message.starts_with("Operation cannot be fulfilled on notes \"n\": the object has been modified; ")
    );
}

#[test]
fn bodies_that_are_too_large() {
    let body = |length: usize| {
        let frame = "{\"metadata\": {\"name\": \"n\"}, \"text\": \"\"}";
        format!("{}{}\"}}", &frame[..frame.len() - 2], "x".repeat(length - frame.len())).into_bytes()
    };
    let message = refused_body(413, "RequestEntityTooLarge", &body(3 * 1024 * 1024 + 1));
    assert_eq!(message, "Request entity too large: limit is 3145728");
    refused_body(413, "RequestEntityTooLarge", &body(20 * 1024 * 1024));
    let server = Harness::new();
    server.client.send("POST", NOTES, JSON, &body(3 * 1024 * 1024)).expect(201);
}

#[test]
fn json_nested_too_deep() {
    let nested = |open: &str, close: &str| {
        format!(
            "{{\"metadata\": {{\"name\": \"n\"}}, \"other\": {}{}}}",
            open.repeat(10_000),
            close.repeat(10_000)
        )
    };
    for body in
        [nested("[", "]"), nested("{\"a\":", "1}").replace(":1}", ":{}}"), "[".repeat(3 * 1024 * 1024)]
    {
        refused_body(400, "BadRequest", body.as_bytes());
    }
    let yaml = nested("[", "]");
    refused(400, "BadRequest", |server| {
        server.client.send("POST", NOTES, &[("Content-Type", "application/yaml")], yaml.as_bytes())
    });
}

#[test]
fn media_types() {
    for media_type in
        ["text/plain", "application/x-www-form-urlencoded", "application/vnd.kubernetes.protobuf"]
    {
        let message = refused(415, "UnsupportedMediaType", |server| {
            server.client.send("POST", NOTES, &[("Content-Type", media_type)], b"{}")
        });
        assert!(message.starts_with(
            "the body of the request was in an unknown format - accepted media types include: "
        ));
    }
    let (nothing_fits, no_such_form) = (
        "406: Not Acceptable\n\nAvailable representations: application/json",
        "only the following media types are accepted: application/json",
    );
    for (media_type, expected) in [
        ("application/yaml", nothing_fits),
        ("application/vnd.kubernetes.protobuf", nothing_fits),
        ("application/json;as=Table;v=v2;g=meta.k8s.io", no_such_form),
        ("application/json;as=Chart;v=v1;g=meta.k8s.io", no_such_form),
    ] {
        let message = refused(406, "NotAcceptable", |server| {
            server.client.send("GET", &format!("{NOTES}/n"), &[("Accept", media_type)], b"")
        });
        assert_eq!(message, expected);
    }
    let server = Harness::new();
    let accept = "application/json;as=Chart;v=v1;g=meta.k8s.io,application/json";
    assert_eq!(server.client.send("GET", NOTES, &[("Accept", accept)], b"").code, 200);
}

#[test]
fn broken_yaml() {
    for body in ["a: [", "a: b: c", "a: 1\n---\nb: 1"] {
        let message = refused(400, "BadRequest", |server| {
            server.client.send("POST", NOTES, &[("Content-Type", "application/yaml")], body.as_bytes())
        });
        let expected = "the object provided is unrecognized (must be of type Note): yaml: line ";
        assert!(message.starts_with(expected), "{body}: {message}");
    }
}

#[test]
fn unknown_and_duplicate_fields() {
    let body = r#"{"metadata": {"name": "m", "name": "o", "colour": 1}, "text": null, "size": {"a": [1]}}"#;
    let message = refused(400, "BadRequest", |server| {
        server.client.send("POST", &format!("{NOTES}?fieldValidation=Strict"), JSON, body.as_bytes())
    });
    assert_eq!(
        message,
        "Note in version \"v1\" cannot be handled as a Note: strict decoding error: unknown field \"metadata.colour\", unknown field \"size\", duplicate field \"metadata.name\""
    );
    let message = refused(422, "Invalid", |server| {
        server.client.send("POST", &format!("{NOTES}?fieldValidation=Maybe"), JSON, body.as_bytes())
    });
    assert_eq!(
        message,
        "CreateOptions.meta.k8s.io \"\" is invalid: fieldValidation: Unsupported value: \"Maybe\": \
         supported values: \"\", \"Ignore\", \"Strict\", \"Warn\""
    );
    let server = Harness::new();
    let answer = server.client.send("POST", NOTES, JSON, body.as_bytes());
    let note = answer.expect(201);
    assert_eq!(note["metadata"]["name"], "o", "the last duplicate wins");
    assert!(note.get("text").is_none(), "null is absent");
    assert_eq!(
        answer.header("Warning"),
        [
            "299 - \"unknown field \\\"metadata.colour\\\"\"",
            "299 - \"unknown field \\\"size\\\"\"",
            "299 - \"duplicate field \\\"metadata.name\\\"\""
        ]
    );
}

#[test]
fn duplicate_keys_in_yaml() {
    let body = b"metadata:\n  name: m\n  name: o\n";
    let yaml = &[("Content-Type", "application/yaml")];
    let message = refused(400, "BadRequest", |server| {
        server.client.send("POST", &format!("{NOTES}?fieldValidation=Strict"), yaml, body)
    });
    assert_eq!(
        message,
        "Note in version \"v1\" cannot be handled as a Note: strict decoding error: yaml: unmarshal errors:\n  \
         line 3: key \"name\" already set in map"
    );
    let server = Harness::new();
    let answer = server.client.send("POST", NOTES, yaml, body);
    assert_eq!(answer.expect(201)["metadata"]["name"], "o");
    assert_eq!(answer.header("Warning"), ["299 - \"line 3: key \\\"name\\\" already set in map\""]);
}

/// Messages shorten long keys.
#[test]
fn long_duplicate_keys_in_yaml() {
    let key = "k".repeat(100_000);
    let body = format!("metadata:\n  name: m\n  annotations:\n    ? {key}\n    : a\n    ? {key}\n    : b\n");
    let message = refused(400, "BadRequest", |server| {
        let yaml = &[("Content-Type", "application/yaml")];
        server.client.send("POST", &format!("{NOTES}?fieldValidation=Strict"), yaml, body.as_bytes())
    });
    assert!(message.contains("  line 6: key \"kkkk") && message.len() < 1000, "{message}");
}

/// Errors also have warnings: an unknown field may be the reason of the error.
#[test]
fn warnings_come_with_errors() {
    let server = Harness::new();
    let answer = server.client.post(NOTES, &json!({"metdata": {"name": "m"}}));
    assert_eq!(answer.expect(422)["reason"], "Invalid");
    assert_eq!(answer.header("Warning"), ["299 - \"unknown field \\\"metdata\\\"\""]);
}

#[test]
fn unreadable_values_in_the_store() {
    let server = Harness::new();
    server.put("/registry/notes/a/broken", "{");
    server.put("/registry/notes/a/other", r#"{"apiVersion":"v9","kind":"Note","metadata":{"name":"other"}}"#);
    for (name, why) in [("broken", "line 1"), ("other", "no kind \"Note\" is registered for version \"v9\"")]
    {
        let status = server.client.get(&format!("{NOTES}/{name}")).expect(500);
        assert_eq!(status["reason"], "InternalError");
        let message = status["message"].as_str().unwrap();
        assert!(message.contains(&format!("Key: /notes/a/{name},")) && message.contains(why), "{message}");
    }
}

/// A client may send the next request on the connection of a refused one, whose body arrives late.
#[test]
fn a_refused_request_leaves_its_connection_open() {
    let server = Harness::new();
    let mut stream = TcpStream::connect(server.client.0).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = |path: &str, length: usize| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        )
    };
    for path in ["/apis/nobody.example.com/v1/nothings", "/apis/example.com/v1/widgets", "/metrics"] {
        let body = vec![b' '; 100_000];
        stream.write_all(head(path, body.len()).as_bytes()).unwrap();
        let mut start = [0; 12];
        stream.read_exact(&mut start).unwrap();
        assert!(matches!(&start, b"HTTP/1.1 404" | b"HTTP/1.1 405"), "{}", String::from_utf8_lossy(&start));
        stream.write_all(&body).unwrap();
        // The rest of the answer.
        let mut seen = Vec::new();
        while !seen.ends_with(b"}\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            seen.push(byte[0]);
        }
    }
}
