//! Tests one object at all of its versions.

use serde_json::json;

use crate::client::Answer;
use crate::harness::{Harness, Setup};

const NEW: &str = "/apis/example.com/v1/namespaces/a/widgets";
const OLD: &str = "/apis/old.example.com/v1beta1/namespaces/a/widgets";

#[test]
fn an_object_is_the_same_at_all_versions_and_groups() {
    let server = Harness::new();
    let client = server.client;
    let created = client
        .post(OLD, &json!({"metadata": {"name": "w"}, "spec": {"size": 3, "frame": {"name": "f"}}}))
        .expect(201);
    assert_eq!(created["apiVersion"], "old.example.com/v1beta1");
    assert_eq!(created["spec"]["size"], 3);

    let new = client.get(&format!("{NEW}/w")).expect(200);
    assert_eq!((&new["apiVersion"], &new["kind"]), (&json!("example.com/v1"), &json!("Widget")));
    assert_eq!(new["spec"], json!({"width": 3, "frame": {"name": "f"}}));
    assert_eq!(new["metadata"], created["metadata"]);

    // An edit at one version appears at the other, and what the older version cannot represent is
    // preserved.
    let mut edited = new;
    edited["spec"]["colour"] = json!("Red");
    client.put(&format!("{NEW}/w"), &edited).expect(200);
    let mut old = client.get(&format!("{OLD}/w")).expect(200);
    assert_eq!(old["metadata"]["annotations"], json!({"example.com/colour": "Red"}));
    assert_eq!(old["metadata"]["generation"], 2);
    old["spec"]["size"] = json!(4);
    client.put(&format!("{OLD}/w"), &old).expect(200);
    let new = client.get(&format!("{NEW}/w")).expect(200);
    assert_eq!((&new["spec"]["width"], &new["spec"]["colour"]), (&json!(4), &json!("Red")));
    assert!(new["metadata"].get("annotations").is_none(), "{new}");

    // A client that removes the annotation also removes its content.
    let old = json!({"metadata": {"name": "w"}, "spec": {"size": 4, "frame": {"name": "f"}}});
    client.put(&format!("{OLD}/w"), &old).expect(200);
    let new = client.get(&format!("{NEW}/w")).expect(200);
    assert!(new["spec"].get("colour").is_none(), "{new}");
    assert_eq!(new["metadata"]["generation"], 4);
}

#[test]
fn defaults_are_those_of_the_clients_version() {
    let server = Harness::new();
    let client = server.client;
    let widget = json!({"metadata": {"name": "w"}, "spec": {"width": 1, "frame": {"name": "f"}, "ports": [{"number": 1}]}});
    let created = client.post(NEW, &widget).expect(201);
    assert_eq!(created["spec"]["colour"], "Green");
    assert_eq!(created["spec"]["ports"][0]["protocol"], "TCP");
}

#[test]
fn values_are_stored_at_the_storage_version_and_stay_readable_after_a_change() {
    let mut server = Harness::new();
    let widget =
        json!({"metadata": {"name": "w"}, "spec": {"width": 1, "colour": "Red", "frame": {"name": "f"}}});
    server.client.post(NEW, &widget).expect(201);
    let stored = server.stored_at("/registry/example.com/widgets/a/w");
    assert_eq!(stored["apiVersion"], "example.com/v1");
    assert!(stored["metadata"].get("resourceVersion").is_none());
    let answers =
        |server: &Harness| [NEW, OLD].map(|path| server.client.get(&format!("{path}/w")).expect(200));
    let before = answers(&server);

    for choice in ["old.example.com/v1beta1", "example.com=old.example.com/v1beta1", "example.com/v1"] {
        server = Setup::new().storage_versions(choice).restart(server);
        assert_eq!(answers(&server), before, "{choice}");
    }

    server = Setup::new().storage_versions("old.example.com/v1beta1").restart(server);
    let mut widget = server.client.get(&format!("{NEW}/w")).expect(200);
    // The object is unchanged, but it is written at the new storage version.
    server.client.put(&format!("{NEW}/w"), &widget).expect(200);
    let stored = server.stored_at("/registry/example.com/widgets/a/w");
    assert_eq!(stored["apiVersion"], "old.example.com/v1beta1");
    assert_eq!(stored["spec"]["size"], 1);
    widget = server.client.get(&format!("{NEW}/w")).expect(200);
    assert_eq!(widget["spec"], before[0]["spec"]);
    assert_eq!(widget["metadata"]["generation"], 1);

    // A second unchanged write does not change the store.
    let revision = server.stored().0;
    server.client.put(&format!("{NEW}/w"), &widget).expect(200);
    assert_eq!(server.stored().0, revision);
}

#[test]
fn a_kind_that_does_not_convert_is_served_at_its_own_version() {
    let server = Harness::new();
    let (alpha, stable) =
        ("/apis/example.com/v1alpha1/namespaces/a/others", "/apis/example.com/v1/namespaces/a/others");
    server.client.post(alpha, &json!({"metadata": {"name": "o"}, "text": "x"})).expect(201);
    assert_eq!(server.stored_at("/registry/example.com/others/a/o")["apiVersion"], "example.com/v1alpha1");
    assert_eq!(server.client.get(&format!("{alpha}/o")).expect(200)["text"], "x");

    let before = server.stored();
    let body = json!({"metadata": {"name": "o"}, "text": "y"});
    for answer in [
        server.client.get(&format!("{stable}/o")),
        server.client.get(stable),
        server.client.put(&format!("{stable}/o"), &body),
        server.client.delete(&format!("{stable}/o")),
    ] {
        let message = why_unreadable(&answer);
        assert!(message.contains("the first one was an experiment"), "{message}");
        assert!(message.contains("example.com/v1alpha1"), "{message}");
    }
    // The name is taken at all versions.
    server.client.post(stable, &body).expect(409);
    assert_eq!(server.stored(), before);

    server.client.put(&format!("{alpha}/o"), &body).expect(200);
    assert_eq!(server.client.get(&format!("{alpha}/o")).expect(200)["text"], "y");
    server.client.delete(&format!("{alpha}/o")).expect(200);
}

/// What the version cannot represent does not fit into annotations. The reader is not at fault, so
/// the code is 500.
#[test]
fn a_stored_object_that_cannot_be_converted_answers_500() {
    let server = Harness::new();
    // Too long for the annotation of the older version.
    let colour = "x".repeat(300_000);
    let stored = json!({"apiVersion": "example.com/v1", "kind": "Widget",
        "metadata": {"name": "w", "namespace": "a"}, "spec": {"width": 1, "colour": colour}});
    server.put("/registry/example.com/widgets/a/w", &stored.to_string());
    server.client.get(&format!("{NEW}/w")).expect(200);
    for answer in [server.client.get(&format!("{OLD}/w")), server.client.get(OLD)] {
        let message = why_unreadable(&answer);
        assert!(message.contains("make it smaller"), "{message}");
    }
}

/// A string value without a counterpart at the hub or the storage version is an error of the writer.
#[test]
fn a_value_without_a_counterpart_is_refused() {
    let server = Harness::new();
    let client = &server.client;
    let spec = |tag| json!({"size": 1, "frame": {"name": "f"}, "tags": ["a", tag]});
    let before = server.stored();
    let answer = client.post(OLD, &json!({"metadata": {"name": "w"}, "spec": spec("old")})).expect(422);
    assert_eq!(answer["reason"], "Invalid");
    let cause = json!({"reason": "FieldValueNotSupported", "field": "spec.tags[1]",
        "message": "Unsupported value: \"old\": supported values: \"new\""});
    assert_eq!(answer["details"]["causes"], json!([cause]));
    assert_eq!(server.stored(), before);

    // An update is refused like the creation.
    client.post(OLD, &json!({"metadata": {"name": "w"}, "spec": spec("b")})).expect(201);
    client.put(&format!("{OLD}/w"), &json!({"metadata": {"name": "w"}, "spec": spec("old")})).expect(422);
}

/// A function of the user's own code refuses an object in its own words, with all the fields that it takes.
#[test]
fn an_object_that_a_function_refuses_is_invalid() {
    let server = Harness::new();
    let client = &server.client;
    let spec = |size: &str, part: &str| json!({size: 1, "frame": {"name": "f"}, "parts": [{"name": part}]});
    let named = json!({"name": "w", "namespace": "a"});
    let before = server.stored();
    let written = client.post(OLD, &json!({"metadata": named, "spec": spec("size", "apart")}));
    assert_eq!(server.stored(), before);
    client.post(NEW, &json!({"metadata": named, "spec": spec("width", "apart")})).expect(201);
    let read = client.get(&format!("{OLD}/w"));
    let why = "Forbidden: `apart` is not joined to the frame";
    let stored_at = "; Widget \"w\" of namespace \"a\" is stored at example.com/v1 and can be read there";
    for (answer, more) in [(written, ""), (read, stored_at)] {
        let status = answer.expect(422);
        assert_eq!(status["reason"], "Invalid");
        let cause = |field: &str| json!({"reason": "FieldValueForbidden", "field": field, "message": format!("{why}{more}")});
        assert_eq!(status["details"]["causes"], json!([cause("spec.parts"), cause("spec.frame")]));
    }
}

/// A stored object has a word that only its own version knows. The other version neither loses nor invents one: the answer
/// names the object, the field, the word and the version that has it. Nobody's server is broken, so it is no 500.
#[test]
fn a_word_that_the_version_does_not_know_is_named() {
    let server = Harness::new();
    let client = &server.client;
    let widget = |api_version: &str, name: &str, tag: &str| {
        let finalizers = if name == "kept" { vec!["example.com/f"] } else { Vec::new() };
        let metadata = json!({"name": name, "namespace": "a", "finalizers": finalizers});
        let size = if api_version == "example.com/v1" { "width" } else { "size" };
        json!({"apiVersion": api_version, "kind": "Widget", "metadata": metadata,
            "spec": {size: 1, "frame": {"name": "f"}, "tags": ["a", tag]}})
    };
    for (name, tag) in [("fine", "b"), ("gone", "new"), ("kept", "new")] {
        server.put(
            &format!("/registry/example.com/widgets/a/{name}"),
            &widget("example.com/v1", name, tag).to_string(),
        );
    }
    client.get(&format!("{NEW}/kept")).expect(200);
    client.get(&format!("{OLD}/fine")).expect(200);
    let why = |name: &str| {
        format!(
            "Unsupported value: \"new\": supported values: \"old\"; Widget \"{name}\" of namespace \"a\" is stored at \
             example.com/v1 and can be read there"
        )
    };
    let before = server.stored();
    // A write is not made if its answer cannot be given.
    for answer in [client.get(&format!("{OLD}/kept")), client.delete(&format!("{OLD}/kept"))] {
        let status = answer.expect(422);
        assert_eq!(status["reason"], "Invalid");
        assert_eq!(
            status["message"],
            format!("Widget.old.example.com \"kept\" is invalid at v1beta1: spec.tags[1]: {}", why("kept"))
        );
        let cause =
            json!({"reason": "FieldValueNotSupported", "field": "spec.tags[1]", "message": why("kept")});
        assert_eq!(status["details"]["causes"], json!([cause]));
        assert_eq!(status["details"]["name"], "kept");
    }
    let status = client.get(OLD).expect(422);
    assert_eq!(status["reason"], "Invalid");
    assert_eq!(
        status["message"],
        format!(
            "widgets.old.example.com cannot be listed at v1beta1: spec.tags[1]: {}, and 1 more; see the causes",
            why("gone")
        )
    );
    let causes = status["details"]["causes"].as_array().unwrap();
    assert_eq!(causes.len(), 2);
    assert_eq!(causes[1]["message"], why("kept"));
    // It is no corrupt value, so the option for these does not remove it.
    let option = "ignoreStoreReadErrorWithClusterBreakingPotential=true";
    client.delete(&format!("{OLD}/gone?{option}")).expect(422);
    assert_eq!(server.stored(), before);

    // A corrupt value beside it is the server's problem.
    server.put("/registry/example.com/widgets/a/corrupt", "{");
    let status = client.get(OLD).expect(500);
    assert_eq!(status["reason"], "StorageReadError");
    let causes = status["details"]["causes"].as_array().unwrap();
    let fields: Vec<_> = causes.iter().map(|cause| cause["field"].as_str().unwrap()).collect();
    assert_eq!(fields, ["/registry/example.com/widgets/a/corrupt", "spec.tags[1]", "spec.tags[1]"]);

    // A deletion that answers with no object succeeds.
    client.delete(&format!("{OLD}/gone")).expect(200);

    // Lists can leave such objects out, as they do with corrupt values.
    let server = Setup::new().omit_unreadable().restart(server);
    let answer = server.client.get(OLD);
    assert_eq!(answer.expect(200)["items"].as_array().unwrap().len(), 1);
    let warnings = answer.header("warning").join("\n");
    assert!(warnings.contains("Widget \\\"kept\\\""), "{warnings}");
}

/// The hub does not know a word of a stored object, so that no version can change or delete it. The option removes it.
#[test]
fn an_object_with_a_word_that_the_hub_does_not_know_can_be_removed() {
    let server = Harness::new();
    let stored = json!({"apiVersion": "old.example.com/v1beta1", "kind": "Widget",
        "metadata": {"name": "w", "namespace": "a"}, "spec": {"size": 1, "tags": ["old"]}});
    server.put("/registry/example.com/widgets/a/w", &stored.to_string());
    server.client.get(&format!("{OLD}/w")).expect(200);
    let body = json!({"metadata": {"name": "w"}, "spec": {"size": 1, "tags": ["b"], "frame": {"name": "f"}}});
    for answer in [
        server.client.get(&format!("{NEW}/w")),
        server.client.delete(&format!("{OLD}/w")),
        server.client.put(&format!("{OLD}/w"), &body),
    ] {
        assert!(answer.body.contains("is stored at old.example.com/v1beta1"), "{answer:?}");
        answer.expect(422);
    }
    let option = "ignoreStoreReadErrorWithClusterBreakingPotential=true";
    server.client.delete(&format!("{OLD}/w?{option}")).expect(200);
    server.client.get(&format!("{OLD}/w")).expect(404);
}

/// The reason why a stored object cannot be read; for a list, the reason of the first object.
#[track_caller]
fn why_unreadable(answer: &Answer) -> String {
    let status = answer.expect(500);
    let message = if status["reason"] == "StorageReadError" {
        &status["details"]["causes"][0]["message"]
    } else {
        assert_eq!(status["reason"], "InternalError");
        assert!(status["message"].as_str().unwrap().starts_with("Internal error occurred: "), "{status}");
        &status["message"]
    };
    message.as_str().unwrap().to_owned()
}
