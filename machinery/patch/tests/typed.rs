//! Tests what a type specifies for the fields of objects.

use hubgen_machinery::reflect::{Described, Reflect};
use hubgen_machinery::{ApiType, Str, StrMap};
use hubgen_patch::fields::Set;
use hubgen_patch::typed::{ItemError, TypedError, check, compare, fields, reconcile};
use serde_json::{Value, json};

#[derive(ApiType)]
struct Thing {
    name: String,
    labels: StrMap<Str>,
    #[field(atomic)]
    selector: StrMap<Str>,
    #[field(list = map("port", "protocol"))]
    ports: Vec<Port>,
    #[field(list = map("name"), atomic)]
    secrets: Vec<Secret>,
    #[field(list = set)]
    tags: Vec<String>,
    items: Vec<Secret>,
    /// Types of old releases have no list types.
    #[field(patch = "merge", merge_key = "name")]
    merged: Vec<Secret>,
    inner: Option<Box<Inner>>,
    any: hubgen_machinery::json::Raw,
    #[field(atomic)]
    whole: hubgen_machinery::json::Raw,
}

#[derive(ApiType)]
struct Inner {
    text: String,
    empty: Option<Box<Inner>>,
}

#[derive(ApiType)]
struct Port {
    port: i32,
    #[field(default = "\"TCP\"")]
    protocol: String,
    text: String,
}

#[derive(ApiType)]
struct Secret {
    name: String,
    text: String,
}

fn of() -> Described {
    Thing::default().descriptor().share()
}

/// What is added, modified and removed.
fn compared(old: Value, new: Value) -> [String; 3] {
    let found = compare(&of(), &old, &new).unwrap();
    [found.added, found.modified, found.removed].map(|set| set.to_string())
}

#[test]
fn objects_are_compared_field_by_field() {
    let key = r#"k:{\"port\":1,\"protocol\":\"TCP\"}"#;
    for (old, new, added, modified, removed) in [
        (json!({"name": "a"}), json!({"name": "b"}), "{}", r#"{"f:name":{}}"#, "{}"),
        (json!({}), json!({"labels": {"a": "b"}}), r#"{"f:labels":{".":{},"f:a":{}}}"#, "{}", "{}"),
        (
            json!({"labels": {"a": "b", "c": "d"}}),
            json!({"labels": {"a": "x"}}),
            "{}",
            r#"{"f:labels":{"f:a":{}}}"#,
            r#"{"f:labels":{"f:c":{}}}"#,
        ),
        // An empty map is there, and one without a value is none.
        (json!({}), json!({"labels": {}}), r#"{"f:labels":{}}"#, "{}", "{}"),
        (json!({"labels": null}), json!({"labels": {}}), "{}", r#"{"f:labels":{}}"#, "{}"),
        (
            json!({"selector": {"a": "b"}}),
            json!({"selector": {"a": "c"}}),
            "{}",
            r#"{"f:selector":{}}"#,
            "{}",
        ),
        (
            json!({"ports": [{"port": 1, "text": "a"}]}),
            json!({"ports": [{"port": 1, "protocol": "TCP", "text": "b"}]}),
            &format!(r#"{{"f:ports":{{"{key}":{{"f:protocol":{{}}}}}}}}"#),
            &format!(r#"{{"f:ports":{{"{key}":{{"f:text":{{}}}}}}}}"#),
            "{}",
        ),
        (
            json!({"secrets": [{"name": "a", "text": "a"}, {"name": "b"}]}),
            json!({"secrets": [{"name": "b"}, {"name": "a", "text": "b"}]}),
            "{}",
            r#"{"f:secrets":{"k:{\"name\":\"a\"}":{}}}"#,
            "{}",
        ),
        (
            json!({"merged": [{"name": "a", "text": "a"}]}),
            json!({"merged": [{"name": "a", "text": "b"}]}),
            "{}",
            r#"{"f:merged":{"k:{\"name\":\"a\"}":{"f:text":{}}}}"#,
            "{}",
        ),
        (
            json!({"tags": ["a", "b"]}),
            json!({"tags": ["b", "c"]}),
            r#"{"f:tags":{"v:\"c\"":{}}}"#,
            "{}",
            r#"{"f:tags":{"v:\"a\"":{}}}"#,
        ),
        (
            json!({"items": [{"name": "a"}]}),
            json!({"items": [{"name": "b"}]}),
            "{}",
            r#"{"f:items":{}}"#,
            "{}",
        ),
        (
            json!({"any": {"a": 1, "b": [1]}}),
            json!({"any": {"a": 1.0, "b": [2], "c": {"d": null}}}),
            r#"{"f:any":{"f:c":{".":{},"f:d":{}}}}"#,
            r#"{"f:any":{"f:b":{}}}"#,
            "{}",
        ),
        // A value becomes one of another type.
        (
            json!({"any": {"a": {"b": 1}}}),
            json!({"any": {"a": 1}}),
            "{}",
            r#"{"f:any":{"f:a":{}}}"#,
            r#"{"f:any":{"f:a":{"f:b":{}}}}"#,
        ),
        (json!({"any": null}), json!({"any": {"b": 1}}), r#"{"f:any":{"f:b":{}}}"#, "{}", "{}"),
        (json!({"whole": {"a": 1}}), json!({"whole": {"a": 2}}), "{}", r#"{"f:whole":{}}"#, "{}"),
        (json!({"inner": {"text": "a"}}), json!({}), "{}", "{}", r#"{"f:inner":{".":{},"f:text":{}}}"#),
        (json!({"inner": {"empty": {}}}), json!({"inner": {}}), "{}", "{}", r#"{"f:inner":{"f:empty":{}}}"#),
    ] {
        assert_eq!(compared(old.clone(), new.clone()), [added, modified, removed], "{old} {new}");
        assert_eq!(compared(new.clone(), new.clone()), ["{}", "{}", "{}"], "{new}");
    }
}

/// Items that are there more than once are one value together.
#[test]
fn duplicates_are_compared_together() {
    let ports = |texts: &[&str]| {
        let ports: Vec<Value> =
            texts.iter().map(|text| json!({"port": 1, "protocol": "TCP", "text": text})).collect();
        json!({"ports": ports})
    };
    let item = r#"{"f:ports":{"k:{\"port\":1,\"protocol\":\"TCP\"}":{}}}"#;
    let whole = r#"{"f:ports":{"k:{\"port\":1,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:protocol":{},"f:text":{}}}}"#;
    for (old, new, expected) in [
        (&["a", "b"][..], &["a", "b"][..], ["{}", "{}", "{}"]),
        (&["a", "b"], &["b", "a"], ["{}", item, "{}"]),
        (&["a", "b"], &["a", "b", "c"], ["{}", item, "{}"]),
        (&["a", "b"], &["a"], [whole, "{}", item]),
        (&["a", "b"], &[], ["{}", "{}", item]),
        (&["a"], &["a", "b"], [item, "{}", whole]),
    ] {
        let mut found = compared(ports(old), ports(new));
        // A list that is empty is one value, which both have.
        found.iter_mut().for_each(|set| *set = set.replace(r#""f:ports":{".":{},"#, r#""f:ports":{"#));
        assert_eq!(found, expected, "{old:?} {new:?}");
    }
    assert_eq!(
        compared(json!({"tags": ["a", "a"]}), json!({"tags": ["a"]}))[0],
        r#"{"f:tags":{"v:\"a\"":{}}}"#
    );
}

#[test]
fn an_object_has_fields() {
    let object = json!({
        "name": "a", "labels": {"x": "y"}, "selector": {"x": "y"}, "ports": [{"port": 1, "protocol": "TCP"}],
        "secrets": [{"name": "a", "text": "b"}], "tags": ["a", "b", "b"], "items": [{"name": "a"}],
        "inner": {"empty": {}}, "any": {"a": {"b": [1]}}, "whole": {"a": 1},
    });
    let expected =
        r#"{"f:any":{"f:a":{".":{},"f:b":{}}},"f:inner":{"f:empty":{}},"f:items":{},"f:labels":{"f:x":{}},"#
            .to_owned()
            + r#""f:name":{},"f:ports":{"k:{\"port\":1,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:protocol":{}}},"#
            + r#""f:secrets":{"k:{\"name\":\"a\"}":{}},"f:selector":{},"f:tags":{"v:\"a\"":{},"v:\"b\"":{}},"f:whole":{}}"#;
    assert_eq!(fields(&of(), &object).unwrap().to_string(), expected);
}

#[test]
fn items_that_cannot_be_told_apart_are_refused() {
    let error = |path: &str, why: ItemError| TypedError { path: path.to_owned(), why };
    for (object, expected) in [
        (json!({"ports": [1]}), error(".ports[0]", ItemError::NoObject)),
        (
            json!({"secrets": [{"name": "a"}, {}]}),
            error(".secrets[1]", ItemError::NoKeys(vec!["name".to_owned()])),
        ),
        (json!({"tags": ["a", null]}), error(".tags[1]", ItemError::NullInSet)),
        (json!({"tags": [["a"]]}), error(".tags[0]", ItemError::ListInSet)),
    ] {
        assert_eq!(check(&of(), &object, true), Err(expected.clone()), "{object}");
        assert_eq!(compare(&of(), &json!({}), &object), Err(expected.clone()), "{object}");
        assert_eq!(fields(&of(), &object), Err(expected), "{object}");
    }
    let twice = json!({"tags": ["a", "b", "a"]});
    assert_eq!(check(&of(), &twice, true), Ok(()));
    let duplicate = ItemError::Duplicate("[=\"a\"]".to_owned());
    assert_eq!(check(&of(), &twice, false), Err(error(".tags[2]", duplicate)));
}

/// A field that was owned in parts is owned as a whole.
#[test]
fn sets_follow_their_types() {
    for (set, expected) in [
        (r#"{"f:selector":{"f:a":{}}}"#, Some(r#"{"f:selector":{}}"#)),
        (r#"{"f:name":{},"f:selector":{".":{},"f:a":{}}}"#, Some(r#"{"f:name":{},"f:selector":{}}"#)),
        (r#"{"f:items":{"k:{\"name\":\"a\"}":{".":{}}}}"#, Some(r#"{"f:items":{}}"#)),
        (
            r#"{"f:secrets":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}}}}"#,
            Some(r#"{"f:secrets":{"k:{\"name\":\"a\"}":{}}}"#),
        ),
        (r#"{"f:selector":{}}"#, None),
        (r#"{"f:labels":{"f:a":{}},"f:ports":{"k:{\"port\":1}":{"f:text":{}}}}"#, None),
        (r#"{"f:any":{"f:a":{"f:b":{}}},"f:nothing":{"f:a":{}}}"#, None),
    ] {
        let found = reconcile(&of(), &set.parse::<Set>().unwrap());
        assert_eq!(found.map(|set| set.to_string()).as_deref(), expected, "{set}");
    }
}
