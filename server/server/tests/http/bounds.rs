//! The cost of one request is bounded: the response to a large invalid body is small.

use serde_json::{Value, json};

use crate::client::Answer;
use crate::harness::Harness;

const WIDGETS: &str = "/apis/example.com/v1/namespaces/a/widgets";
const NOTES: &str = "/api/v1/namespaces/a/notes";
/// One element per 75 bytes of the largest accepted body.
const MANY: usize = 40_000;
/// The maximum size of a response to an invalid body, in bytes.
const MAX_RESPONSE: usize = 256 * 1024;

fn widget(field: &str, value: Value) -> Value {
    let mut widget = json!({"metadata": {"name": "w"}, "spec": {"width": 1, "frame": {"name": "f"}}});
    widget["spec"][field] = value;
    widget
}

/// The fields of the causes of a refusal. The last cause has no field, and contains the number of
/// the other violations.
#[track_caller]
fn causes(answer: &Answer, more: usize) -> Vec<String> {
    let status = answer.expect(422);
    assert!(answer.body.len() < MAX_RESPONSE, "{} bytes", answer.body.len());
    let causes = status["details"]["causes"].as_array().unwrap();
    let (last, shown) = causes.split_last().unwrap();
    assert_eq!(last["reason"], "FieldValueTooMany", "{last}");
    let text = format!("too many errors, the list is truncated: {more} more");
    assert_eq!(last["message"], text);
    assert!(status["message"].as_str().unwrap().ends_with(&format!(", {text}]")));
    shown.iter().map(|cause| cause["field"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn many_violations_are_counted_and_the_first_are_named() {
    let server = Harness::new();
    for (field, element, name) in [("parts", json!({}), ".name"), ("ports", json!({"protocol": "UDP"}), "")] {
        // Each element lacks its key, and all but the first have the key of the first.
        let body = widget(field, Value::Array(vec![element; MANY]));
        let fields = causes(&server.client.post(WIDGETS, &body), 2 * MANY - 1 - 100);
        let expected: Vec<String> = (1..=100).map(|at| format!("spec.{field}[{at}]{name}")).collect();
        assert_eq!(fields, expected);
    }
    let tags = widget("tags", json!(vec!["a"; MANY]));
    let fields = causes(&server.client.post(WIDGETS, &tags), MANY - 1 - 100);
    assert_eq!((&*fields[0], &*fields[99]), ("spec.tags[1]", "spec.tags[100]"));
    assert!(server.stored().1.is_empty());
}

#[test]
fn long_values_are_cut_in_messages() {
    let server = Harness::new();
    let long = "x".repeat(1_000_000);
    for body in [
        widget("colour", json!(long)),
        widget("tags", json!([long, long])),
        widget("parts", json!([{"name": long}, {"name": long}])),
        json!({"metadata": {"name": long}, "spec": {"width": 1, "frame": {"name": "f"}}}),
    ] {
        let answer = server.client.post(WIDGETS, &body);
        answer.expect(422);
        assert!(answer.body.len() < 16 * 1024, "{} bytes", answer.body.len());
        assert!(answer.body.contains("xxx…"), "{}", answer.body);
    }
}

/// An update is not refused because of fields that the old object lacks, however many. They do not
/// count among the reported violations.
#[test]
fn fields_missing_before_do_not_hide_new_violations() {
    let server = Harness::new();
    // More ports without a number than the response reports violations.
    let ports: Vec<Value> = (0..150).map(|at| json!({"protocol": format!("P{at}")})).collect();
    let stored = json!({
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": "w", "namespace": "a", "uid": "u"},
        "spec": {"width": 1, "frame": {"name": "f"}, "ports": ports},
    });
    server.put("/registry/example.com/widgets/a/w", &stored.to_string());
    let path = format!("{WIDGETS}/w");
    let mut widget = server.client.get(&path).expect(200);
    server.client.put(&path, &widget).expect(200);
    widget["spec"]["colour"] = json!("Blue");
    widget["metadata"].as_object_mut().unwrap().remove("resourceVersion");
    let status = server.client.put(&path, &widget).expect(422);
    let fields: Vec<&str> = status["details"]["causes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cause| cause["field"].as_str().unwrap())
        .collect();
    assert_eq!(fields, ["spec.colour"]);
}

#[test]
fn unknown_and_duplicate_fields_are_reported_within_bounds() {
    let server = Harness::new();
    let send = |query: &str, body: &str| {
        server.client.send(
            "POST",
            &format!("{NOTES}?{query}"),
            &[("Content-Type", "application/json")],
            body.as_bytes(),
        )
    };
    let unknown: String = (0..MANY).map(|at| format!("\"f{at}\":1,")).collect();
    let duplicate = "\"text\":\"t\",".repeat(MANY);
    for (what, fields) in [("unknown", unknown), ("duplicate", duplicate)] {
        let body = format!("{{{fields}\"metadata\":{{\"name\":\"{what}\"}}}}");
        let strict = send("fieldValidation=Strict", &body);
        strict.expect(400);
        assert!(strict.body.len() < MAX_RESPONSE, "{what}: {} bytes", strict.body.len());
        assert!(strict.body.contains(&format!("{what} field ")), "{}", strict.body);
        let warned = send("fieldValidation=Warn", &body);
        warned.expect(201);
        assert!(warned.head.len() < 8 * 1024, "{what}: the head has {} bytes", warned.head.len());
        assert!(!warned.header("warning").is_empty(), "{}", warned.head);
    }
    // A long unknown key, and many unknown fields.
    let long = "k".repeat(1_000_000);
    let below: String = (0..1000).map(|at| format!("\"f{at}\":1,")).collect();
    let widget = format!(
        "{{\"metadata\":{{\"name\":\"long\"}},\"{long}\":1,\"spec\":{{\"width\":1,\"frame\":{{{below}\"name\":\"f\"}}}}}}"
    );
    for query in ["fieldValidation=Strict", "fieldValidation=Warn"] {
        let path = format!("{WIDGETS}?{query}");
        let json = [("Content-Type", "application/json")];
        let answer = server.client.send("POST", &path, &json, widget.as_bytes());
        assert!(answer.body.len() < MAX_RESPONSE, "{query}: {} bytes", answer.body.len());
        assert!(answer.head.len() < 8 * 1024, "{query}: the head has {} bytes", answer.head.len());
    }
}
