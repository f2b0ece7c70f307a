//! What a server does with objects follows from the entries of their kinds.

use hubgen_machinery::scheme::{Behaviour, Generation, KindEntry, NameForm, Scheme, SelectableField};
use serde_json::{Value, json};

use crate::harness::{Harness, Setup};
use crate::scheme::scheme;

const NOTES: &str = "/api/v1/namespaces/a/notes";
const WIDGETS: &str = "/apis/example.com/v1/namespaces/a/widgets";
const PODS: &str = "/api/v1/namespaces/a/pods";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/a/deployments";

fn note(name: &str, text: &str) -> Value {
    json!({"metadata": {"name": name}, "text": text})
}

fn widget(name: &str, colour: &str) -> Value {
    json!({"metadata": {"name": name}, "spec": {"width": 1, "colour": colour, "frame": {"name": "f"}}})
}

/// The usual kinds, with another behaviour of notes.
fn with_notes(behaviour: Behaviour) -> Scheme {
    let mut scheme = scheme();
    let entry = scheme.remove("", "v1", "Note").expect("notes");
    let row = entry.row.expect("a compiled kind");
    scheme.add(KindEntry { behaviour, ..KindEntry::from(row) }).expect("the same kind");
    scheme
}

fn names(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().expect("items").iter();
    items.map(|item| item["metadata"]["name"].as_str().expect("a name")).collect()
}

#[test]
fn another_entry_gives_another_answer() {
    let server = Harness::new();
    let usual = &server.client;
    usual.post(NOTES, &note("a.b", "x")).expect(201);
    let created = usual.post(NOTES, &note("n", "x")).expect(201);
    assert_eq!(created["metadata"].get("generation"), None);
    usual.get(&format!("{NOTES}?fieldSelector=text%3Dx")).expect(400);

    let behaviour = Behaviour {
        names: NameForm::Label,
        generation: Generation::Counted,
        selectable_fields: Some(vec![SelectableField { name: "text".to_owned().into(), paths: None }]),
        ..Behaviour::default()
    };
    let server = Setup::new().scheme(with_notes(behaviour)).start();
    let client = &server.client;
    client.post(NOTES, &note("a.b", "x")).expect(422);
    let mut created = client.post(NOTES, &note("n", "x")).expect(201);
    assert_eq!(created["metadata"]["generation"], 1);
    created["text"] = json!("y");
    let updated = client.put(&format!("{NOTES}/n"), &created).expect(200);
    assert_eq!(updated["metadata"]["generation"], 2);
    client.post(NOTES, &note("m", "x")).expect(201);
    assert_eq!(names(&client.get(&format!("{NOTES}?fieldSelector=text%3Dx")).expect(200)), ["m"]);
}

#[test]
fn a_generation_that_is_fixed_stays() {
    let behaviour = Behaviour { generation: Generation::Fixed, ..Behaviour::default() };
    let server = Setup::new().scheme(with_notes(behaviour)).start();
    let client = &server.client;
    let mut created = client.post(NOTES, &note("n", "x")).expect(201);
    assert_eq!(created["metadata"]["generation"], 1);
    created["text"] = json!("y");
    assert_eq!(client.put(&format!("{NOTES}/n"), &created).expect(200)["metadata"]["generation"], 1);
}

#[test]
fn metadata_that_counts_is_that_of_the_object_and_not_of_its_status() {
    let server = Harness::new();
    let client = &server.client;
    let mut created = client.post(DEPLOYMENTS, &json!({"metadata": {"name": "d"}, "spec": {}})).expect(201);
    assert_eq!(created["metadata"]["generation"], 1);
    let path = format!("{DEPLOYMENTS}/d");
    created["metadata"]["labels"] = json!({"a": "b"});
    created = client.put(&path, &created).expect(200);
    assert_eq!(created["metadata"]["generation"], 1);
    created["metadata"]["annotations"] = json!({"a": "b"});
    created = client.put(&path, &created).expect(200);
    assert_eq!(created["metadata"]["generation"], 2);
    created["metadata"]["annotations"] = json!({"a": "c"});
    created = client.put(&format!("{path}/status"), &created).expect(200);
    assert_eq!(created["metadata"]["annotations"], json!({"a": "c"}));
    assert_eq!(created["metadata"]["generation"], 2);
}

#[test]
fn a_status_is_kept_on_creation_where_the_kind_says_so() {
    let server = Harness::new();
    let client = &server.client;
    let object = json!({"metadata": {"name": "o"}, "spec": {}, "status": {"ready": 3}});
    assert_eq!(client.post(PODS, &object).expect(201)["status"]["ready"], 3);
    assert_ne!(client.post(DEPLOYMENTS, &object).expect(201)["status"]["ready"], 3);
}

#[test]
fn fields_are_selected_at_the_version_of_the_request() {
    let server = Harness::new();
    let client = &server.client;
    for (name, colour) in [("r", "Red"), ("g", "Green")] {
        client.post(WIDGETS, &widget(name, colour)).expect(201);
    }
    let selected = |selector: &str| client.get(&format!("{WIDGETS}?fieldSelector={selector}")).expect(200);
    assert_eq!(names(&selected("spec.colour%3DRed")), ["r"]);
    assert_eq!(names(&selected("spec.colour%21%3DRed")), ["g"]);
    assert_eq!(names(&selected("readiness%3D0")), ["g", "r"]);
    assert_eq!(names(&selected("spec.colour%3DRed,metadata.name%3Dg")), [""; 0]);
    // The older version has no such field.
    let old = "/apis/old.example.com/v1beta1/namespaces/a/widgets?fieldSelector=spec.colour%3DRed";
    let status = client.get(old).expect(400);
    assert_eq!(status["message"], "field label not supported: spec.colour");
    // So are collections that are deleted.
    client.delete(&format!("{WIDGETS}?fieldSelector=spec.colour%3DRed")).expect(200);
    assert_eq!(names(&client.get(WIDGETS).expect(200)), ["g"]);
}

#[test]
fn some_kinds_own_nothing() {
    let server = Harness::new();
    let client = &server.client;
    let owned_by = |kind: &str| {
        let owner = json!({"apiVersion": "v1", "kind": kind, "name": "o", "uid": "u"});
        json!({"metadata": {"name": "n", "ownerReferences": [owner]}})
    };
    let status = client.post(NOTES, &owned_by("Namespace")).expect(422);
    let message = status["message"].as_str().expect("a message");
    assert!(message.ends_with(": /v1, Kind=Namespace is disallowed from being an owner"), "{message}");
    client.post(NOTES, &owned_by("Note")).expect(201);
}
