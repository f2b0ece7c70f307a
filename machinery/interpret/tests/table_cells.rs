//! The operator `table`: lists, JSON of any form, and rows for fields without values.

#![allow(missing_docs)]

use hubgen_laws::versions;
use hubgen_machinery::convert::{Convert, STASH};
use serde_json::{Value, json};

use self::api::routes::{v1, v1alpha1};
use self::case::Case;

#[path = "../../../codegen/codegen/tests/modules/cells/expected/mod.rs"]
mod api;
#[path = "support/case.rs"]
mod case;

/// What the rows have, and what comes near it.
const WORDS: &[(&str, &str)] = &[
    ("zone", "a"),
    ("zones", "a"),
    ("origins", "a"),
    ("origins", "a,b"),
    ("origins", "a,,b"),
    ("gateways", "gateway/a"),
    ("gateways", "gateway/default"),
    ("gateways", "gateway/"),
    ("parents", "default"),
    ("parents", "a"),
    ("expiry", "Never"),
    ("expiry", "5s"),
    ("tlsMode", "Always"),
    ("tlsMode", "Never"),
    ("tlsSecret", "a"),
    ("hostnames", "a"),
];

const CASE: Case = Case {
    folder: "cells",
    older: "routes.example.com/v1alpha1",
    kind: "Route",
    empty: [|| Box::new(v1alpha1::Route::default()), || Box::new(v1::Route::default())],
    compiled: || [versions::Version::of::<v1alpha1::Route>(), versions::Version::of::<v1::Route>()],
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

fn old(spec: &Value) -> v1alpha1::Route {
    serde_json::from_value(json!({"spec": spec})).unwrap()
}

fn hub(spec: &Value) -> v1::Route {
    serde_json::from_value(json!({"spec": spec})).unwrap()
}

/// The spec at the hub, with what is there without any value.
fn with_defaults(spec: &Value) -> Value {
    let mut out = json!({"cache": {"expiry": "Never"}, "parents": ["default"]});
    out.as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
    out
}

#[test]
fn values_convert_row_by_row() {
    for (version, expected) in [
        (json!({}), json!({})),
        (json!({"zone": "a"}), json!({"zones": ["a"]})),
        (json!({"origins": "a"}), json!({"cors": {"origins": ["a"]}})),
        (json!({"origins": "a,b"}), json!({"cors": {"origins": ["a", "b"]}})),
        (json!({"gateways": ["gateway/a", "gateway/b"]}), json!({"parents": ["a", "b"]})),
        (json!({"expiry": "5s"}), json!({"cache": {"expiry": "5s"}})),
        (json!({"tls": true}), json!({"tlsMode": "Always"})),
        (json!({"tls": false}), json!({"tlsMode": "Never"})),
        (json!({"tls": "a"}), json!({"tlsSecret": "a"})),
        (json!({"hosts": "a"}), json!({"hostnames": ["a"]})),
        (json!({"hosts": ["a", "b"]}), json!({"hostnames": ["a", "b"]})),
        (
            json!({"rules": [{"range": [1, 5], "enabled": false}, {}]}),
            json!({"rules": [{"from": 1, "to": 5, "on": false}, {"on": true}]}),
        ),
    ] {
        let converted = old(&version).try_to_hub().unwrap();
        assert_eq!(serde_json::to_value(&converted).unwrap()["spec"], with_defaults(&expected), "{version}");
        let back = v1alpha1::Route::from_hub(converted).unwrap();
        assert_eq!(back, old(&version));
        assert!(!back.metadata.annotations.contains_key(STASH), "{version}");
    }
}

/// Several zones, an origin with a comma, an explicit default, a word that no row has, and no value where the version
/// has a row for none.
#[test]
fn what_no_row_has_is_stashed_and_an_edit_wins() {
    for (spec, shown) in [
        (json!({"zones": ["a", "b"]}), json!({})),
        (json!({"cors": {"origins": ["a,b", "c"]}}), json!({})),
        (json!({"parents": ["default", "a"]}), json!({"gateways": ["gateway/default", "gateway/a"]})),
        (json!({"parents": []}), json!({})),
        (json!({"cache": {"expiry": ""}}), json!({})),
        (json!({"tlsMode": "Always", "tlsSecret": "a"}), json!({})),
        (json!({"rules": [{"from": 1}, {}]}), json!({"rules": [{}, {}]})),
    ] {
        let spec = with_defaults(&spec);
        let written = v1alpha1::Route::from_hub(hub(&spec)).unwrap();
        let mut edited = written.clone();
        assert_eq!(written.spec, old(&shown).spec, "{spec}");
        assert_eq!(written.to_hub(), hub(&spec), "{spec}");
        edited.spec.zone = "other".into();
        let back = edited.to_hub();
        assert_eq!(back.spec.zones, ["other"], "{spec}");
        assert_eq!(back.spec.cors, hub(&spec).spec.cors, "{spec}");
        assert_eq!(back.spec.parents, hub(&spec).spec.parents, "{spec}");
    }
}

/// A list that was edited does not use up the tries that the rest of the stash needs.
#[test]
fn a_long_list_that_was_edited_costs_nothing_else() {
    let parents: Vec<String> =
        (0..80).map(|at| if at == 40 { String::new() } else { format!("p{at}") }).collect();
    let spec = with_defaults(&json!({"parents": parents, "zones": ["a", "b"], "rules": [{"from": 1}]}));
    let mut written = v1alpha1::Route::from_hub(hub(&spec)).unwrap();
    assert!(written.spec.gateways.is_empty(), "an item without a name has no gateway");
    written.spec.gateways = vec!["gateway/x".into()];
    let back = written.to_hub().spec;
    assert_eq!((&back.zones, &back.rules), (&hub(&spec).spec.zones, &hub(&spec).spec.rules));
    assert_eq!(back.parents, ["x"]);
}

/// An object has one form of two that are the same. What no row has is refused.
#[test]
fn a_version_has_one_form_of_two() {
    let hub = old(&json!({"expiry": "Never", "hosts": ["a"]})).try_to_hub().unwrap();
    let back = v1alpha1::Route::from_hub(hub).unwrap();
    assert_eq!(back.spec, old(&json!({"hosts": "a"})).spec);
    for (spec, error) in [
        (
            json!({"tls": {"a": 1}}),
            r#"spec.tls: table: no row of the table has {"a":1}; rows have true, or false, or "{secret}""#,
        ),
        (
            json!({"hosts": 1.5}),
            r#"spec.hosts: table: no row of the table has 1.5; rows have "{host}", or ["{host}", "..."]"#,
        ),
        (
            json!({"gateways": ["gateway/"]}),
            r#"spec.gateways: table: no row of the table has ["gateway/"]; rows have nothing, or ["gateway/{name}", "..."]"#,
        ),
        (
            json!({"rules": [{"range": [1, 2, 3]}]}),
            r#"spec.rules[0].range: table: no row of the table has [1,2,3]; rows have ["{from}", "{to}"]"#,
        ),
    ] {
        assert_eq!(old(&spec).try_to_hub().unwrap_err().to_string(), error);
    }
}
