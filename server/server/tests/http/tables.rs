//! Tests answers that show objects as rows of a table.

use std::sync::Arc;

use hubgen_machinery::columns::{Cell, Column, Columns, Show};
use hubgen_machinery::reflect::{Ref, Text, Words};
use hubgen_machinery::scheme::{Deprecation, GroupVersionKind, KindEntry, Scheme};
use serde_json::{Value, json};

use crate::client::Answer;
use crate::harness::{Harness, Setup};
use crate::scheme::scheme;
use crate::watch::Watch;

const WIDGETS: &str = "/apis/example.com/v1/namespaces/a/widgets";
const OLD: &str = "/apis/old.example.com/v1beta1/namespaces/a/widgets";
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

/// The columns of the tests: one of each sort.
fn columns() -> Columns {
    let width = Show::of(|object, _| Cell::Integer(object.get("spec.width").integer()), "");
    Columns {
        columns: Ref::Shared(Arc::new([
            Column::NAME,
            Column::fixed("Width", "integer", "", 0, width),
            Column::fixed("Parts", "integer", "", 1, Show::Count(Words::Static(&[".spec.parts"]))),
            Column::AGE,
        ])),
        is_of_version: false,
        completed: Some(|object, _| match object.get("spec.width").integer() {
            99 => Cell::text("Wide"),
            _ => Cell::Null,
        }),
        sorted_by: None,
        default_since: None,
    }
}

/// The kinds of the tests, of which one is changed.
fn changed(change: impl Fn(&mut KindEntry)) -> Scheme {
    let mut all = scheme();
    for (group, version) in [("example.com", "v1"), ("old.example.com", "v1beta1")] {
        let old = all.remove(group, version, "Widget").unwrap();
        let mut entry = KindEntry::from(old.row.unwrap());
        entry.columns = Ref::Shared(Arc::new(columns()));
        change(&mut entry);
        all.add(entry).unwrap();
    }
    all
}

fn server() -> Harness {
    Setup::new().scheme(changed(|_| {})).start()
}

fn send(server: &Harness, method: &str, path: &str, accept: &str, body: &Value) -> Answer {
    let headers = [("Accept", accept), ("Content-Type", "application/json")];
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    server.client.send(method, path, &headers, &body)
}

fn get(server: &Harness, path: &str) -> Answer {
    send(server, "GET", path, TABLE, &Value::Null)
}

/// A widget of a width, with a name.
fn of_width(name: &str, width: i32) -> Value {
    json!({"metadata": {"name": name}, "spec": {"width": width, "frame": {"name": "f"}}})
}

fn cells(table: &Value) -> Vec<Value> {
    table["rows"].as_array().unwrap().iter().map(|row| row["cells"].clone()).collect()
}

#[test]
fn an_object_is_a_row() {
    let server = server();
    server.client.post(WIDGETS, &of_width("w", 3)).expect(201);
    let answer = get(&server, &format!("{WIDGETS}/w"));
    let table = answer.expect(200);
    assert_eq!(answer.header("content-type"), ["application/json"]);
    let whole = server.client.get(&format!("{WIDGETS}/w")).expect(200);
    assert_eq!((&table["kind"], &table["apiVersion"]), (&json!("Table"), &json!("meta.k8s.io/v1")));
    assert_eq!(table["metadata"], json!({"resourceVersion": whole["metadata"]["resourceVersion"]}));
    assert_eq!(
        table["columnDefinitions"],
        json!([
            {"name": "Name", "type": "string", "format": "name", "description": "", "priority": 0},
            {"name": "Width", "type": "integer", "format": "", "description": "", "priority": 0},
            {"name": "Parts", "type": "integer", "format": "", "description": "", "priority": 1},
            {"name": "Age", "type": "string", "format": "", "description": "", "priority": 0},
        ])
    );
    let cells = &table["rows"][0]["cells"];
    assert_eq!((&cells[0], &cells[1]), (&json!("w"), &json!(3)));
    let age = cells[3].as_str().unwrap();
    assert!(age.ends_with(['s', 'm', 'h', 'd', 'y']) || age == "<invalid>", "{age}");
    assert_eq!(
        table["rows"][0]["object"],
        json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": whole["metadata"]})
    );
    assert!(table["rows"][0].get("conditions").is_none());
}

#[test]
fn an_object_has_the_same_cells_at_every_version() {
    let server = server();
    server.client.post(WIDGETS, &of_width("w", 3)).expect(201);
    // The older version calls the field `size`.
    let old = get(&server, &format!("{OLD}/w?includeObject=Object")).expect(200);
    assert_eq!(old["rows"][0]["cells"][1], 3);
    let object = &old["rows"][0]["object"];
    assert_eq!(
        (&object["apiVersion"], &object["spec"]["size"]),
        (&json!("old.example.com/v1beta1"), &json!(3))
    );
}

#[test]
fn what_rows_include_is_asked_for() {
    let server = server();
    server.client.post(WIDGETS, &of_width("w", 99)).expect(201);
    let row = |query: &str| get(&server, &format!("{WIDGETS}/w{query}")).expect(200)["rows"][0].clone();
    assert_eq!(row("?includeObject=None")["object"], Value::Null);
    assert_eq!(row("?includeObject=Metadata"), row(""));
    let whole = server.client.get(&format!("{WIDGETS}/w")).expect(200);
    assert_eq!(row("?includeObject=Object")["object"], whole);
    assert_eq!(row("")["conditions"], json!([{"type": "Completed", "status": "True", "reason": "Wide"}]));
    let refused = get(&server, &format!("{WIDGETS}/w?includeObject=all")).expect(400);
    assert_eq!(
        refused["message"],
        "Unable to convert to Table as requested: includeObject: Invalid value: \"all\": must be 'Metadata', 'Object', 'None', or empty"
    );
    // Without a table, the parameter means nothing.
    server.client.get(&format!("{WIDGETS}/w?includeObject=all")).expect(200);
}

#[test]
fn tables_are_one_of_several_alternatives() {
    let server = server();
    let kind = |accept: &str| send(&server, "GET", WIDGETS, accept, &Value::Null).expect(200)["kind"].clone();
    let beta = TABLE.replace("v=v1", "v=v1beta1");
    // As kubectl asks.
    assert_eq!(kind(&format!("{TABLE},{beta},application/json")), "Table");
    assert_eq!(kind(&format!("application/json;q=0.9,{TABLE}")), "Table");
    assert_eq!(kind(&format!("application/json,{TABLE}")), "WidgetList");
    assert_eq!(kind(&format!("{},application/json", TABLE.replace("v=v1", "v=v2"))), "WidgetList");
    assert_eq!(kind(&format!("{},application/json", TABLE.replace("meta.k8s.io", "apps"))), "WidgetList");
    let answered = send(&server, "GET", WIDGETS, &beta, &Value::Null).expect(200);
    assert_eq!(answered["apiVersion"], "meta.k8s.io/v1beta1");
    for accept in
        ["application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io", &TABLE.replace("v=v1", "v=v2")]
    {
        let refused = send(&server, "GET", WIDGETS, accept, &Value::Null).expect(406);
        assert_eq!(refused["reason"], "NotAcceptable", "{accept}");
    }
}

#[test]
fn writes_are_answered_with_tables() {
    let server = server();
    let created = send(&server, "POST", WIDGETS, TABLE, &of_width("w", 3)).expect(201);
    assert_eq!(cells(&created)[0][1], 3);
    let mut widget = server.client.get(&format!("{WIDGETS}/w")).expect(200);
    widget["spec"]["width"] = 4.into();
    let updated = send(&server, "PUT", &format!("{WIDGETS}/w"), TABLE, &widget).expect(200);
    assert_eq!(cells(&updated)[0][1], 4);
    let headers = [("Accept", TABLE), ("Content-Type", "application/merge-patch+json")];
    let patched =
        server.client.send("PATCH", &format!("{WIDGETS}/w"), &headers, br#"{"spec": {"width": 5}}"#);
    assert_eq!(cells(&patched.expect(200))[0][1], 5);
    // What is no object stays what it is.
    let failed = send(&server, "POST", WIDGETS, TABLE, &of_width("w", 3)).expect(409);
    assert_eq!((&failed["kind"], &failed["reason"]), (&json!("Status"), &json!("AlreadyExists")));
    let deleted = send(&server, "DELETE", &format!("{WIDGETS}/w"), TABLE, &Value::Null).expect(200);
    assert_eq!((&deleted["kind"], &deleted["status"]), (&json!("Status"), &json!("Success")));
}

#[test]
fn lists_in_parts_are_tables() {
    let server = server();
    for (name, width) in [("a", 1), ("b", 2), ("c", 3)] {
        server.client.post(WIDGETS, &of_width(name, width)).expect(201);
    }
    let first = get(&server, &format!("{WIDGETS}?limit=2")).expect(200);
    assert_eq!(first["rows"].as_array().unwrap().len(), 2);
    assert_eq!(first["metadata"]["remainingItemCount"], 1);
    let token = first["metadata"]["continue"].as_str().unwrap();
    let last = get(&server, &format!("{WIDGETS}?limit=2&continue={token}")).expect(200);
    assert_eq!(cells(&last)[0][0], "c");
    assert!(last["metadata"].get("continue").is_none());
    assert_eq!(last["columnDefinitions"], first["columnDefinitions"]);
    let selected = get(&server, &format!("{WIDGETS}?fieldSelector=metadata.name=b")).expect(200);
    assert_eq!(cells(&selected)[0][0], "b");
    let none = get(&server, "/apis/example.com/v1/namespaces/none/widgets").expect(200);
    assert_eq!(none["rows"], json!([]));
}

#[test]
fn lists_are_sorted_and_tell_the_default() {
    let sorted = changed(|entry| {
        let default: hubgen_machinery::columns::CellFunction = |object, _| {
            let wide = object.get("spec.width").integer() == 2;
            if wide { Cell::text(object.get("metadata.name").text()) } else { Cell::Null }
        };
        let columns = Columns {
            sorted_by: Some(Text::Static(".spec.width")),
            default_since: Some(default),
            ..columns()
        };
        entry.columns = Ref::Shared(Arc::new(columns));
    });
    let server = Setup::new().scheme(sorted).start();
    for (name, width) in [("a", 3), ("b", 2), ("c", 1), ("d", 2)] {
        server.client.post(WIDGETS, &of_width(name, width)).expect(201);
    }
    let names: Vec<Value> =
        cells(&get(&server, WIDGETS).expect(200)).iter().map(|cells| cells[0].clone()).collect();
    assert_eq!(names, ["c", "b", "d (default)", "a"]);
    // An object alone is not compared with others.
    assert_eq!(cells(&get(&server, &format!("{WIDGETS}/d")).expect(200))[0][0], "d");
}

#[test]
fn watches_tell_columns_once() {
    let server = server();
    server.client.post(WIDGETS, &of_width("a", 1)).expect(201);
    server.client.post(WIDGETS, &of_width("b", 2)).expect(201);
    let mut events = Watch::open(server.client, &format!("{WIDGETS}?watch=1"), &[("Accept", TABLE)]);
    let (event_type, first) = events.next().unwrap();
    assert_eq!((&*event_type, &first["kind"]), ("ADDED", &json!("Table")));
    assert_eq!(first["columnDefinitions"].as_array().unwrap().len(), 4);
    assert_eq!(cells(&first)[0][0], "a");
    let (_, second) = events.next().unwrap();
    assert_eq!((&second["columnDefinitions"], &cells(&second)[0][0]), (&Value::Null, &json!("b")));
    server.client.delete(&format!("{WIDGETS}/a")).expect(200);
    let (event_type, gone) = events.next().unwrap();
    assert_eq!((&*event_type, &cells(&gone)[0][0]), ("DELETED", &json!("a")));
    assert_eq!(gone["rows"][0]["object"]["kind"], "PartialObjectMetadata");
    // Another watch has its own first event.
    let mut others = Watch::open(server.client, &format!("{WIDGETS}?watch=1"), &[("Accept", TABLE)]);
    assert_eq!(others.next().unwrap().1["columnDefinitions"].as_array().unwrap().len(), 4);
}

#[test]
fn kinds_without_columns_have_names_and_times() {
    let server = Harness::new();
    server.client.post(WIDGETS, &of_width("a", 1)).expect(201);
    let table = get(&server, WIDGETS).expect(200);
    let names: Vec<&Value> =
        table["columnDefinitions"].as_array().unwrap().iter().map(|column| &column["name"]).collect();
    assert_eq!(names, ["Name", "Created At"]);
    assert_eq!(cells(&table), [json!(["a", "2026-01-02T03:04:05Z"])]);
}

#[test]
fn columns_of_definitions_show_the_version() {
    let defined = changed(|entry| {
        let path = if &*entry.version == "v1" { ".spec.width" } else { ".spec.size" };
        let columns = [
            (path, "integer"),
            (path, "string"),
            (path, "boolean"),
            (".spec.none", "string"),
            (".metadata.labels", "string"),
            (".metadata.creationTimestamp", "date"),
        ];
        let columns = columns.map(|(path, ty)| Column {
            show: Show::Defined { path: Text::Static(path), ty: Text::Static(ty) },
            ..Column::fixed(path, ty, "", 0, Show::text_at(path))
        });
        entry.columns = Ref::Shared(Arc::new(Columns::defined(columns)));
    });
    let server = Setup::new().scheme(defined).start();
    let mut widget = of_width("a", 7);
    widget["metadata"]["labels"] = json!({"b": "c"});
    server.client.post(WIDGETS, &widget).expect(201);
    for path in [WIDGETS, OLD] {
        let cells = cells(&get(&server, path).expect(200));
        let mut cells = cells[0].as_array().unwrap().clone();
        cells.pop();
        assert_eq!(
            cells,
            [json!("a"), json!(7), json!("7"), Value::Null, Value::Null, json!("{\"b\":\"c\"}")]
        );
    }
}

#[test]
fn deprecated_versions_warn() {
    let deprecated = changed(|entry| {
        if &*entry.version == "v1beta1" {
            let replacement = Some(GroupVersionKind::from(("example.com", "v1", "Widget")));
            let since = Some((1, 19));
            entry.behaviour.deprecation = Some(Deprecation { since, replacement, ..Deprecation::default() });
        } else {
            entry.behaviour.deprecation =
                Some(Deprecation { since: Some((1, 99)), ..Deprecation::default() });
        }
    });
    let server = Setup::new().scheme(deprecated).start();
    let warning =
        "299 - \"old.example.com/v1beta1 Widget is deprecated in v1.19+; use example.com/v1 Widget\"";
    let warnings =
        |answer: &Answer| answer.header("warning").iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    assert_eq!(warnings(&server.client.post(WIDGETS, &of_width("a", 1))), Vec::<String>::new());
    assert_eq!(warnings(&server.client.get(&format!("{OLD}/a"))), [warning]);
    assert_eq!(warnings(&server.client.get(OLD)), [warning]);
    assert_eq!(warnings(&server.client.get(&format!("{OLD}/none"))), [warning]);
    assert_eq!(warnings(&server.client.delete(&format!("{OLD}/none"))), [warning]);
    // It comes before all others.
    let unknown = json!({"metadata": {"name": "b"}, "spec": {"size": 1, "frame": {"name": "f"}, "none": 1}});
    let found = warnings(&server.client.post(OLD, &unknown));
    assert_eq!((found.len(), &*found[0]), (2, warning));
}
