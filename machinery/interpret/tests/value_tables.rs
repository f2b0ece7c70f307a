//! The operator `table`.

#![allow(missing_docs)]

use hubgen_laws::versions;
use hubgen_machinery::convert::{Convert, STASH};
use serde_json::{Value, json};

use self::api::stores::{v1, v1alpha1};
use self::case::Case;

#[path = "../../../codegen/codegen/tests/modules/tables/expected/mod.rs"]
mod api;
#[path = "support/case.rs"]
mod case;

/// What the rows have, and what comes near it.
const WORDS: &[(&str, &str)] = &[
    ("address", "db:5432"),
    ("address", "db:http"),
    ("address", "db"),
    ("host", "db"),
    ("host", "a:1"),
    ("match", "Exact"),
    ("match", "RegularExpression"),
    ("classSource", "own"),
    ("classSource", "cluster"),
    ("group", "stores.example.com"),
    ("kind", "StoreClass"),
    ("group", "core.example.com"),
    ("kind", "Class"),
    ("size", "small"),
    ("size", "large"),
    ("size", "huge"),
    ("size", "12 replicas"),
    ("target", "a/b"),
    ("target", "b"),
    ("namespace", "a"),
    ("name", "b"),
];

const CASE: Case = Case {
    folder: "tables",
    older: "stores.example.com/v1alpha1",
    kind: "Store",
    empty: [|| Box::new(v1alpha1::Store::default()), || Box::new(v1::Store::default())],
    compiled: || [versions::Version::of::<v1alpha1::Store>(), versions::Version::of::<v1::Store>()],
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

fn old(spec: &Value) -> v1alpha1::Store {
    serde_json::from_value(json!({"spec": spec})).unwrap()
}

fn hub(spec: &Value) -> v1::Store {
    serde_json::from_value(json!({"spec": spec})).unwrap()
}

#[test]
fn values_convert_row_by_row() {
    for (version, expected) in [
        (json!({"address": "db:5432"}), json!({"endpoint": {"host": "db", "port": 5432}})),
        (json!({"address": "db"}), json!({"endpoint": {"host": "db"}})),
        (json!({"regex": true}), json!({"match": "RegularExpression"})),
        (
            json!({"classSource": "own", "className": "fast"}),
            json!({"class": {"group": "stores.example.com", "kind": "StoreClass", "name": "fast"}}),
        ),
        (json!({"classSource": "cluster"}), json!({"class": {"group": "core.example.com", "kind": "Class"}})),
        (json!({"enabled": false}), json!({"disabled": true})),
        (json!({"size": "small"}), json!({"replicas": 1})),
        (json!({"size": "large"}), json!({"replicas": 3, "dedicated": true})),
        (json!({"size": "7 replicas"}), json!({"replicas": 7})),
        (
            json!({"rules": [{"target": "a/b"}, {"target": "b", "weight": 1}]}),
            json!({"rules": [{"namespace": "a", "name": "b"}, {"name": "b", "weight": 1}]}),
        ),
        // Fields of one name in different objects are not exchanged.
        (
            json!({"primary": "a/1", "standby": "b/2", "mirrors": "c+d"}),
            json!({
                "primary": {"host": "a", "zone": "1"},
                "standbyAt": {"host": "b", "zone": "2"},
                "mirrors": {"first": {"host": "c"}, "second": {"host": "d"}},
            }),
        ),
        (json!({}), json!({})),
    ] {
        let converted = old(&version).try_to_hub().unwrap();
        assert_eq!(serde_json::to_value(&converted).unwrap().get("spec").unwrap_or(&json!({})), &expected);
        let back = v1alpha1::Store::from_hub(converted).unwrap();
        assert_eq!(back, old(&version));
        assert!(!back.metadata.annotations.contains_key(STASH), "{version}");
    }
}

/// A word that nobody knows, a row that another one hides, and a text that can be read in two ways.
#[test]
fn what_no_row_has_is_stashed_and_an_edit_wins() {
    for (spec, shown) in [
        (json!({"match": "Glob"}), json!({})),
        (json!({"class": {"group": "a", "kind": "b", "name": "c"}}), json!({})),
        (json!({"endpoint": {"host": "a:1", "port": 2}}), json!({})),
        (json!({"endpoint": {"port": 2}}), json!({})),
        (json!({"replicas": 1, "dedicated": true}), json!({"size": "1 replicas"})),
        (json!({"rules": [{"namespace": "a"}]}), json!({"rules": [{"target": ""}]})),
    ] {
        let written = v1alpha1::Store::from_hub(hub(&spec)).unwrap();
        let mut edited = written.clone();
        assert_eq!(written.spec, old(&shown).spec, "{spec}");
        assert_eq!(written.to_hub(), hub(&spec), "{spec}");
        edited.spec.address = Some("other".into());
        let back = edited.to_hub();
        assert_eq!(back.spec.endpoint.as_ref().map(|endpoint| &*endpoint.host), Some("other"), "{spec}");
        assert_eq!(back.spec.match_, hub(&spec).spec.match_, "{spec}");
    }
}

/// An older word for the same comes back as the first one.
#[test]
fn a_hidden_row_counts_in_one_direction() {
    let huge = old(&json!({"size": "huge"})).try_to_hub().unwrap();
    assert_eq!(huge.spec, hub(&json!({"replicas": 3, "dedicated": true})).spec);
    assert_eq!(v1alpha1::Store::from_hub(huge).unwrap().spec.size.as_deref(), Some("large"));
}

#[test]
fn what_no_row_has_is_refused_at_the_version() {
    let error = old(&json!({"classSource": "other", "className": "a"})).try_to_hub().unwrap_err();
    assert_eq!(
        error.to_string(),
        "spec.classSource, spec.className: table: no row of the table has \"other\" and \"a\"; rows have \"own\" and \
         \"{name}\", or \"cluster\" and \"{name}\""
    );
    let in_list = old(&json!({"rules": [{"target": "a/b/c"}]})).try_to_hub();
    // It is a name, which the second row has.
    assert_eq!(in_list.unwrap().spec.rules[0].name, "a/b/c");
}
