//! Tests kinds that are validated by a schema.

use hubgen_server::validation::Schemas;
use hubgen_validation::Schema;
use serde_json::{Value, json};

use crate::harness::{Harness, Setup};

const WIDGETS: &str = "/apis/example.com/v1/namespaces/a/widgets";

fn schemas() -> Schemas {
    let schema = json!({
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "required": ["width"],
                "properties": {
                    "width": {"type": "integer", "minimum": 1, "maximum": 10},
                    "tags": {
                        "type": "array", "x-kubernetes-list-type": "set",
                        "items": {"type": "string", "pattern": "^[a-z]+$"}
                    },
                    "frame": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 3}}}
                }
            },
            "status": {"type": "object", "properties": {"ready": {"type": "integer", "maximum": 5}}}
        }
    });
    let mut schemas = Schemas::default();
    schemas.add("example.com", "v1", "Widget", Schema::compile(&schema).unwrap());
    schemas
}

fn server() -> Harness {
    Setup::new().schemas(schemas()).start()
}

fn widget(spec: Value) -> Value {
    json!({"metadata": {"name": "w"}, "spec": spec})
}

/// The reason, field and message of each cause.
fn causes(status: &Value) -> Vec<String> {
    let causes = status["details"]["causes"].as_array().unwrap_or_else(|| panic!("{status}"));
    let text = |cause: &Value, name: &str| cause[name].as_str().unwrap().to_owned();
    let line =
        |cause| format!("{} {}: {}", text(cause, "reason"), text(cause, "field"), text(cause, "message"));
    causes.iter().map(line).collect()
}

#[test]
fn a_new_object_is_validated_by_its_schema() {
    let server = server();
    let wrong = widget(json!({"width": 11, "tags": ["a", "B", "a"], "frame": {"name": "long"}}));
    let status = server.client.post(WIDGETS, &wrong).expect(422);
    assert_eq!(
        causes(&status),
        [
            "FieldValueTooLong spec.frame.name: Too long: may not be more than 3 bytes",
            "FieldValueInvalid spec.tags[1]: Invalid value: \"B\": spec.tags[1] in body should match '^[a-z]+$'",
            "FieldValueInvalid spec.width: Invalid value: 11: spec.width in body should be less than or equal to 10",
            "FieldValueDuplicate spec.tags[2]: Duplicate value: \"a\"",
        ]
    );
    assert_eq!(status["details"]["name"], "w");
    server.client.post(WIDGETS, &widget(json!({"width": 10}))).expect(201);
}

#[test]
fn a_value_of_a_wrong_type_is_an_error_at_its_field() {
    let server = server();
    let status = server.client.post(WIDGETS, &widget(json!({"width": "1", "tags": [2]}))).expect(422);
    assert_eq!(
        causes(&status),
        [
            "FieldValueTypeInvalid spec.tags[0]: Invalid value: \"integer\": \
             spec.tags[0] in body must be of type string: \"integer\"",
            "FieldValueTypeInvalid spec.width: Invalid value: \"string\": \
             spec.width in body must be of type integer: \"string\"",
        ]
    );
    // A body of another kind is refused for its kind.
    let mut other = widget(json!({"width": "1"}));
    other["kind"] = "Gadget".into();
    server.client.post(WIDGETS, &other).expect(400);
}

#[test]
fn an_update_may_keep_errors_but_not_add_any() {
    // The object was stored before there was a schema.
    let old = widget(json!({"width": 20, "tags": ["A"], "frame": {"name": "f"}}));
    let server = Harness::new();
    server.client.post(WIDGETS, &old).expect(201);
    let server = Setup::new().schemas(schemas()).restart(server);

    let with =
        |width: i32, tags: Value| widget(json!({"width": width, "tags": tags, "frame": {"name": "f"}}));
    let path = format!("{WIDGETS}/w");
    let status = server.client.put(&path, &with(21, json!(["A"]))).expect(422);
    assert_eq!(causes(&status).len(), 1);
    assert!(causes(&status)[0].starts_with("FieldValueInvalid spec.width: "));
    // A set is one value: it has changed.
    let status = server.client.put(&path, &with(20, json!(["a", "A"]))).expect(422);
    assert_eq!(causes(&status).len(), 1);
    assert!(causes(&status)[0].starts_with("FieldValueInvalid spec.tags[1]: "));
    server.client.put(&path, &with(9, json!(["A"]))).expect(200);
}

/// An object may have more errors than an answer lists.
#[test]
fn an_update_may_keep_many_errors() {
    let tags: Vec<String> = (0..300).map(|tag| format!("T{tag}")).collect();
    let old = widget(json!({"width": 20, "tags": tags, "frame": {"name": "f"}}));
    let server = Harness::new();
    server.client.post(WIDGETS, &old).expect(201);
    let server = Setup::new().schemas(schemas()).restart(server);

    let path = format!("{WIDGETS}/w");
    let read = server.client.get(&path).expect(200);
    server.client.put(&path, &read).expect(200);
    let mut changed = read;
    changed["metadata"].as_object_mut().unwrap().remove("resourceVersion");
    changed["spec"]["frame"]["name"] = "g".into();
    server.client.put(&path, &changed).expect(200);
    // A set is one value.
    changed["spec"]["tags"][299] = "t".into();
    let status = server.client.put(&path, &changed).expect(422);
    assert_eq!(status["details"]["causes"].as_array().unwrap().len(), 101);
}

#[test]
fn only_the_status_of_an_update_of_the_status_is_validated() {
    let server = server();
    let mut object = widget(json!({"width": 1}));
    object["status"] = json!({"ready": 9});
    // The status of a new object is dropped.
    server.client.post(WIDGETS, &object).expect(201);
    object["spec"] = json!({"width": 99});
    let status = server.client.put(&format!("{WIDGETS}/w/status"), &object).expect(422);
    assert_eq!(
        causes(&status),
        ["FieldValueInvalid status.ready: Invalid value: 9: ready in body should be less than or equal to 5"]
    );
    object["status"] = json!({"ready": 5});
    server.client.put(&format!("{WIDGETS}/w/status"), &object).expect(200);
}
