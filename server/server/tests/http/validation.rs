//! Tests structural validation.

use serde_json::{Value, json};

use crate::harness::Harness;

const WIDGETS: &str = "/apis/example.com/v1/namespaces/a/widgets";

/// Creates a widget and replaces another one with the same spec. Both must return the same causes.
#[track_caller]
fn causes(spec: Value) -> Vec<(String, String, String)> {
    let server = Harness::new();
    let mut widget = json!({"metadata": {"name": "w"}, "spec": spec});
    if spec.is_null() {
        widget = json!({"metadata": {"name": "w"}});
    }
    let status = server.client.post(WIDGETS, &widget).expect(422);
    assert!(server.stored().1.is_empty());
    let good = json!({"metadata": {"name": "w"}, "spec": {"width": 1, "frame": {"name": "f"}}});
    server.client.post(WIDGETS, &good).expect(201);
    let before = server.stored();
    assert_eq!(server.client.put(&format!("{WIDGETS}/w"), &widget).expect(422), status);
    assert_eq!(server.stored(), before);

    assert_eq!(status["reason"], "Invalid");
    assert_eq!((&status["details"]["kind"], &status["details"]["name"]), (&json!("Widget"), &json!("w")));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let causes: Vec<_> = status["details"]["causes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cause| (text(&cause["reason"]), text(&cause["field"]), text(&cause["message"])))
        .collect();
    let list: Vec<String> = causes.iter().map(|(_, field, message)| format!("{field}: {message}")).collect();
    let list = if list.len() == 1 { list[0].clone() } else { format!("[{}]", list.join(", ")) };
    assert_eq!(status["message"], format!("Widget.example.com \"w\" is invalid: {list}"));
    causes
}

fn cause(reason: &str, field: &str, message: &str) -> (String, String, String) {
    (format!("FieldValue{reason}"), field.to_owned(), message.to_owned())
}

#[test]
fn required_fields() {
    let required = |field: &str| cause("Required", field, "Required value");
    assert_eq!(causes(json!({"frame": {"name": "f"}})), [required("spec.width")]);
    assert_eq!(
        causes(json!({"width": null, "frame": {"name": null}})),
        [required("spec.width"), required("spec.frame.name")]
    );
    // If an object is missing, its fields are not reported.
    assert_eq!(causes(json!({"width": 1})), [required("spec.frame")]);
    assert_eq!(causes(json!({"width": 1, "frame": {"weight": 2}})), [required("spec.frame.name")]);
    assert_eq!(causes(Value::Null), [required("spec")]);
    assert_eq!(
        causes(json!({"width": 1, "frame": {"name": "f"}, "parts": [{"name": "a"}, {}]})),
        [required("spec.parts[1].name")]
    );
    assert_eq!(
        causes(json!({"width": 1, "frame": {"name": "f"}, "ports": [{}]})),
        [required("spec.ports[0].number")]
    );
}

#[test]
fn zero_is_not_missing() {
    let server = Harness::new();
    let spec = json!({"width": 0, "frame": {"name": ""}, "ports": [{"number": 0}], "parts": []});
    server.client.post(WIDGETS, &json!({"metadata": {"name": "w"}, "spec": spec})).expect(201);
}

#[test]
fn allowed_values() {
    let spec = json!({"width": 1, "frame": {"name": "f"}, "colour": "Blue"});
    let expected = "Unsupported value: \"Blue\": supported values: \"Red\", \"Green\"";
    assert_eq!(causes(spec), [cause("NotSupported", "spec.colour", expected)]);
}

#[test]
fn keys_of_lists() {
    let spec = |field: &str, value: Value| {
        let mut spec = json!({"width": 1, "frame": {"name": "f"}});
        spec[field] = value;
        spec
    };
    let parts = json!([{"name": "a", "weight": 1}, {"name": "b"}, {"name": "a"}]);
    assert_eq!(
        causes(spec("parts", parts)),
        [cause("Duplicate", "spec.parts[2].name", "Duplicate value: \"a\"")]
    );
    // An absent key has its default value.
    let ports = json!([{"number": 1, "protocol": "TCP"}, {"number": 1, "protocol": "UDP"}, {"number": 1}]);
    assert_eq!(
        causes(spec("ports", ports)),
        [cause("Duplicate", "spec.ports[2]", "Duplicate value: {\"number\":1,\"protocol\":\"TCP\"}")]
    );
    let tags = json!(["a", "b", "a", "a"]);
    assert_eq!(
        causes(spec("tags", tags)),
        [
            cause("Duplicate", "spec.tags[2]", "Duplicate value: \"a\""),
            cause("Duplicate", "spec.tags[3]", "Duplicate value: \"a\""),
        ]
    );
}

#[test]
fn each_version_is_validated_by_its_own_schema() {
    let server = Harness::new();
    let old = "/apis/old.example.com/v1beta1/namespaces/a/widgets";
    server.client.post(old, &json!({"metadata": {"name": "w"}, "spec": {}})).expect(201);
    // An object from the older version may lack fields that the newer version requires: it can be
    // read and written back.
    let path = format!("{WIDGETS}/w");
    let mut widget = server.client.get(&path).expect(200);
    widget["spec"]["tags"] = json!(["a"]);
    widget["spec"]["parts"] = json!([{"name": "p"}]);
    let mut widget = server.client.put(&path, &widget).expect(200);
    // Fields that were present remain required.
    widget["spec"]["parts"] = json!([{"weight": 1}]);
    let status = server.client.put(&path, &widget).expect(422);
    assert_eq!(status["message"], "Widget.example.com \"w\" is invalid: spec.parts[0].name: Required value");
    widget["spec"] = json!({"width": 1, "frame": {"name": "f"}});
    let mut widget = server.client.put(&path, &widget).expect(200);
    widget["spec"]["width"] = Value::Null;
    server.client.put(&path, &widget).expect(422);
}

#[test]
fn a_status_is_validated_by_its_subresource() {
    let server = Harness::new();
    let widget = json!({"metadata": {"name": "w"}, "spec": {"width": 1, "frame": {"name": "f"}}});
    server.client.post(WIDGETS, &widget).expect(201);
    let status = json!({"metadata": {"name": "w"}, "status": {"ready": 1}});
    let updated = server.client.put(&format!("{WIDGETS}/w/status"), &status).expect(200);
    assert_eq!((&updated["spec"]["width"], &updated["status"]["ready"]), (&json!(1), &json!(1)));
}

#[test]
fn annotations_have_a_limit() {
    let server = Harness::new();
    let note = |length: usize| json!({"metadata": {"name": "n", "annotations": {"a": "x".repeat(length)}}});
    let notes = "/api/v1/namespaces/a/notes";
    let status = server.client.post(notes, &note(262_144)).expect(422);
    assert_eq!(
        status["message"],
        "Note \"n\" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes"
    );
    assert!(server.stored().1.is_empty());
    server.client.post(notes, &note(262_143)).expect(201);
}

/// The metadata of all kinds has the same rules, with upstream's messages.
#[test]
fn metadata() {
    let server = Harness::new();
    let owner = |controller: bool, name: &str| json!({"apiVersion": "v1", "kind": "Note", "name": name, "uid": "u", "controller": controller});
    let notes = "/api/v1/namespaces/a/notes";
    for (field, value, expected) in [
        ("labels", json!({"a b": "c"}), "metadata.labels: Invalid value: \"a b\": name part must consist of"),
        (
            "labels",
            json!({"a": "b c"}),
            "metadata.labels: Invalid value: \"b c\": a valid label must be an empty string",
        ),
        (
            "annotations",
            json!({"a/b/c": ""}),
            "metadata.annotations: Invalid value: \"a/b/c\": a valid label key must",
        ),
        (
            "finalizers",
            json!(["/f"]),
            "metadata.finalizers: Invalid value: \"/f\": prefix part must be non-empty",
        ),
        (
            "finalizers",
            json!(["orphan", "foregroundDeletion"]),
            "metadata.finalizers: Invalid value: [\"orphan\",\"foregroundDeletion\"]: finalizer orphan and \
             foregroundDeletion cannot be both set",
        ),
        (
            "ownerReferences",
            json!([{"apiVersion": "v1", "kind": "Note", "name": "n", "uid": ""}]),
            "metadata.ownerReferences[0].uid: Required value: must not be empty",
        ),
        (
            "ownerReferences",
            json!([owner(false, "n"), {"apiVersion": "a/b/c", "kind": "Note", "name": "n", "uid": "u"}]),
            "metadata.ownerReferences[1].apiVersion: Invalid value: \"a/b/c\": must be <group>/<version> or <version>",
        ),
        (
            "ownerReferences",
            json!([owner(true, "a"), owner(false, "b"), owner(true, "c")]),
            "metadata.ownerReferences: Invalid value: [",
        ),
    ] {
        let mut note = json!({"metadata": {"name": "n"}});
        note["metadata"][field] = value;
        let status = server.client.post(notes, &note).expect(422);
        let message = status["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("Note \"n\" is invalid: {expected}")), "{message}");
        assert_eq!(status["details"]["causes"].as_array().unwrap().len(), 1, "{status}");
    }
    assert!(server.stored().1.is_empty());
    let good = json!({"metadata": {"name": "n", "labels": {"example.com/A": "", "b": "C_d.e"},
        "annotations": {"Example.COM/a": "anything at all"}, "finalizers": ["example.com/f", "f"],
        "ownerReferences": [owner(true, "a"), owner(false, "b")]}});
    server.client.post(notes, &good).expect(201);
}
