//! The operator `table`: objects, and rows for each item or entry.

#![allow(missing_docs)]

use hubgen_laws::versions;
use hubgen_machinery::convert::{Convert, STASH};
use serde_json::{Value, json};

use self::api::mesh::{v1, v1alpha1};
use self::case::Case;

#[path = "../../../codegen/codegen/tests/modules/object_cells/expected/mod.rs"]
mod api;
#[path = "support/case.rs"]
mod case;

/// What the rows have, and what comes near it.
const WORDS: &[(&str, &str)] = &[
    ("form", "text"),
    ("form", "null"),
    ("key", "source"),
    ("service", "https://a"),
    ("service", "http://a"),
    ("service", "a"),
    ("mode", "true"),
    ("mode", "false"),
    ("mode", "text"),
    ("scheme", "http://"),
    ("tag", "a"),
    ("name", "a"),
    ("tagHeaders", "a"),
];

const CASE: Case = Case {
    folder: "object_cells",
    older: "mesh.example.com/v1alpha1",
    kind: "Mesh",
    empty: [|| Box::new(v1alpha1::Mesh::default()), || Box::new(v1::Mesh::default())],
    compiled: || [versions::Version::of::<v1alpha1::Mesh>(), versions::Version::of::<v1::Mesh>()],
    scheme: api::scheme,
    words: WORDS,
};

#[test]
fn all_laws_hold() {
    CASE.all_laws_hold();
}

#[test]
fn all_ways_convert_alike() {
    CASE.all_ways_convert_alike();
}

fn old(spec: &Value) -> v1alpha1::Mesh {
    serde_json::from_value(json!({"spec": spec})).unwrap()
}

fn hub(spec: &Value) -> v1::Mesh {
    serde_json::from_value(json!({"spec": spec})).unwrap()
}

/// The spec at the hub, with what is there in any case.
fn with_service(spec: &Value) -> Value {
    let has = |object: &str, field: &str| spec.get(object).is_some_and(|object| object.get(field).is_some());
    let kind = match () {
        () if has("mappingSelector", "hosts") => "Hosts",
        () if has("retries", "count") => "Count",
        () => "None",
    };
    let mut out = json!({"service": "", "kind": kind});
    out.as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
    out
}

/// The older version where the hub has no retries: they are not enabled.
fn disabled(spec: &Value) -> v1alpha1::Mesh {
    let mut spec = spec.clone();
    spec.as_object_mut().unwrap().entry("enabled").or_insert(json!(false));
    old(&spec)
}

#[test]
fn objects_convert_row_by_row() {
    let key = |key: &str| json!({"source": {"key": key}});
    for (version, expected) in [
        (json!({}), json!({})),
        // Entries of maps.
        (json!({"headers": {"a": "x"}}), json!({"headers": {"a": {"value": "x", "form": "text"}}})),
        (json!({"headers": {"a": ""}}), json!({"headers": {"a": {"value": "", "form": "text"}}})),
        (json!({"headers": {"a": null}}), json!({"headers": {"a": {"form": "null"}}})),
        (
            json!({"headers": {"a": {"append": false, "value": "x"}, "b": {}}}),
            json!({"headers": {"a": {"append": false, "value": "x"}, "b": {}}}),
        ),
        // Items of lists of maps, and an entry that is a key.
        (json!({"labels": {"a": []}}), json!({"labels": {"a": []}})),
        (
            json!({"labels": {"a": ["source", "x"], "b": [{"generic": "x"}, {"k": {"header": "h"}}]}}),
            json!({"labels": {
                "a": [key("source"), {"generic": {"value": "x", "short": true}}],
                "b": [{"generic": {"value": "x"}}, {"header": {"name": "h", "key": "k"}}],
            }}),
        ),
        // Whole objects, and one that tells how the version wrote the same.
        (json!({"selector": {"hosts": ["a"]}}), json!({"mappingSelector": {"hosts": ["a"]}})),
        (
            json!({"tls": true, "service": "http://a"}),
            json!({"service": "https://a", "explicit": {"mode": "true", "scheme": "http://"}}),
        ),
        (
            json!({"tls": true, "service": "a"}),
            json!({"service": "https://a", "explicit": {"mode": "true", "scheme": ""}}),
        ),
        (json!({"tls": "x", "service": "a"}), json!({"tls": "x", "service": "a", "explicit": {}})),
        (json!({"tls": "", "service": "a"}), json!({"service": "a", "explicit": {"mode": "text"}})),
        (json!({"service": "a"}), json!({"service": "a"})),
        // Whether an object is there.
        (json!({"enabled": true}), json!({"retries": {}})),
        (json!({"enabled": true, "retries": {"count": 3}}), json!({"retries": {"count": 3}})),
        // Several maps with the same keys, and a list of some.
        (json!({"params": {}}), json!({})),
        (
            json!({"params": {"a": "x", "b": true, "c": true}, "patterns": {"c": "y+", "d": ""}}),
            json!({"params": {"a": "x"}, "patterns": {"b": ".*", "c": "y+", "d": ""}, "flags": ["b", "c"]}),
        ),
        // A value that is in two members.
        (json!({"tagHeaders": ["a"]}), json!({"tags": [{"tag": "a", "header": {"name": "a"}}]})),
    ] {
        let converted = old(&version).try_to_hub().unwrap();
        let found = serde_json::to_value(&converted).unwrap();
        assert_eq!(found["spec"], with_service(&expected), "{version}");
        let back = v1alpha1::Mesh::from_hub(converted).unwrap();
        assert!(!back.metadata.annotations.contains_key(STASH), "{version}");
        if version.get("tagHeaders").is_none() {
            assert_eq!(back, disabled(&version), "{version}");
        }
    }
}

/// Members that no cell names, values that contradict each other, and a key of another form.
#[test]
fn what_no_row_has_is_stashed() {
    for (spec, shown) in [
        (json!({"headers": {"a": {"value": "x", "form": "other"}}}), json!({})),
        (json!({"headers": {"a": {"form": "null", "append": true}}}), json!({})),
        (json!({"labels": {"a": [{"source": {"key": "other"}}]}}), json!({})),
        (json!({"labels": {"a": [{}, {"generic": {"value": "x", "short": false}}]}}), json!({})),
        (json!({"mappingSelector": {"hosts": ["a"]}, "selector": {"hosts": ["b"]}}), json!({})),
        (json!({"service": "a", "explicit": {"mode": "other"}}), json!({"service": "a"})),
        (json!({"tls": "x", "service": "a"}), json!({"tls": "x", "service": "a"})),
        (json!({"flags": ["a"], "params": {"a": "x"}}), json!({"params": {"a": "x"}})),
        (
            json!({"flags": ["b", "a", "b"], "patterns": {"a": "x", "b": "y"}}),
            json!({"params": {"a": true, "b": true}, "patterns": {"a": "x", "b": "y"}}),
        ),
    ] {
        let written = v1alpha1::Mesh::from_hub(hub(&spec)).unwrap();
        assert_eq!(written.spec, disabled(&shown).spec, "{spec}");
        assert_eq!(written.to_hub(), hub(&spec), "{spec}");
    }
}

#[test]
fn what_no_row_of_a_version_has_is_refused() {
    const HEADERS: &str = r#"{ value = "{value}", append = "{append}" }, or "{value}", or nothing"#;
    for (spec, error) in [
        (
            json!({"headers": {"a": 5}}),
            format!("spec.headers: table: no row of the table has 5; rows have {HEADERS}"),
        ),
        (
            json!({"headers": {"a": {"value": "x", "more": 1}}}),
            format!(
                r#"spec.headers: table: no row of the table has {{"more":1,"value":"x"}}; rows have {HEADERS}"#
            ),
        ),
    ] {
        assert_eq!(old(&spec).try_to_hub().unwrap_err().to_string(), error);
    }
    assert!(
        old(&json!({"labels": {"a": [{"k": {"header": "h"}, "l": {"header": "h"}}]}})).try_to_hub().is_err()
    );
}
