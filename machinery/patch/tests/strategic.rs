//! Tests strategic merge patches.

use hubgen_machinery::ApiType;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::{Str, StrMap};
use hubgen_patch::{Error, strategic};
use serde_json::{Value, json};

#[derive(ApiType)]
struct Spec {
    #[field(list = map("name"), patch = "merge", merge_key = "name")]
    containers: Vec<Container>,
    #[field(list = set, patch = "merge")]
    finalizers: Vec<String>,
    #[field(list = atomic)]
    args: Vec<String>,
    #[field(patch = "retainKeys")]
    strategy: Option<Strategy>,
    #[field(patch = "replace")]
    whole: Option<Strategy>,
    labels: StrMap<Str>,
    inner: StrMap<Container>,
    #[field(patch = "merge")]
    keyless: Vec<Container>,
}

#[derive(ApiType)]
struct Container {
    name: String,
    image: String,
    #[field(list = map("port"), patch = "merge", merge_key = "port")]
    ports: Vec<Port>,
}

#[derive(ApiType)]
struct Port {
    port: i32,
    protocol: String,
}

#[derive(ApiType)]
struct Strategy {
    #[field(name = "type")]
    kind: String,
    rolling: Option<Port>,
    paused: bool,
}

fn patched(object: Value, patch: Value) -> Result<Value, Error> {
    strategic(object, patch, &Spec::default().descriptor().share())
}

fn object() -> Value {
    json!({
        "containers": [{"name": "a", "image": "1", "ports": [{"port": 1, "protocol": "TCP"}]}, {"name": "b"}, {"name": "c"}],
        "finalizers": ["x", "y", "z"],
        "args": ["1", "2"],
        "strategy": {"type": "Rolling", "rolling": {"port": 1}},
        "whole": {"type": "Rolling", "paused": true},
        "labels": {"l": "1", "m": "2"},
        "inner": {"i": {"name": "i", "image": "1"}},
        "keyless": [{"name": "a"}],
    })
}

/// What a patch makes of one member of the object.
#[track_caller]
fn check(member: &str, patch: Value, expected: Value) {
    let mut all = object();
    if expected.is_null() {
        all.as_object_mut().unwrap().shift_remove(member);
    } else {
        all[member] = expected;
    }
    assert_eq!(patched(object(), patch.clone()).unwrap(), all, "{patch}");
}

#[test]
fn lists_with_a_key_are_merged() {
    // What the patch has comes in its order; the others stay before what they were before.
    check(
        "containers",
        json!({"containers": [{"name": "d"}, {"name": "a", "image": "2", "ports": [{"port": 2}]}]}),
        json!([
            {"name": "d"},
            {"name": "a", "image": "2", "ports": [{"port": 2}, {"port": 1, "protocol": "TCP"}]},
            {"name": "b"},
            {"name": "c"},
        ]),
    );
    check(
        "containers",
        json!({"containers": [{"name": "b", "$patch": "delete"}, {"name": "c", "image": "3"}]}),
        json!([{"name": "a", "image": "1", "ports": [{"port": 1, "protocol": "TCP"}]}, {"name": "c", "image": "3"}]),
    );
    check(
        "containers",
        json!({"containers": [{"$patch": "replace"}, {"name": "z"}]}),
        json!([{"name": "z"}]),
    );
    check("containers", json!({"containers": [{"name": "a", "$patch": "replace", "image": "2"}]}), json!([]));
    check(
        "containers",
        json!({"$setElementOrder/containers": [{"name": "c"}, {"name": "b"}, {"name": "a"}]}),
        json!([{"name": "c"}, {"name": "b"}, {"name": "a", "image": "1", "ports": [{"port": 1, "protocol": "TCP"}]}]),
    );
    check(
        "containers",
        json!({
            "$setElementOrder/containers": [{"name": "b"}, {"name": "d"}],
            "containers": [{"name": "d", "image": "4"}]
        }),
        json!([
            {"name": "a", "image": "1", "ports": [{"port": 1, "protocol": "TCP"}]},
            {"name": "b"},
            {"name": "d", "image": "4"},
            {"name": "c"},
        ]),
    );
}

#[test]
fn lists_of_values_are_sets_or_are_replaced() {
    check("finalizers", json!({"finalizers": ["w", "y"]}), json!(["w", "x", "y", "z"]));
    check("finalizers", json!({"$deleteFromPrimitiveList/finalizers": ["x", "nothing"]}), json!(["y", "z"]));
    check(
        "finalizers",
        json!({"$setElementOrder/finalizers": ["z", "x", "n"], "finalizers": ["n"]}),
        json!(["y", "z", "x", "n"]),
    );
    check("args", json!({"args": ["3"]}), json!(["3"]));
    check("args", json!({"args": null}), Value::Null);
}

#[test]
fn objects_are_merged_replaced_or_emptied() {
    check("labels", json!({"labels": {"m": null, "n": "3"}}), json!({"l": "1", "n": "3"}));
    check("labels", json!({"labels": {"$patch": "replace", "n": "3"}}), json!({"n": "3"}));
    check("labels", json!({"labels": {"$patch": "delete"}}), json!({}));
    check(
        "strategy",
        json!({"strategy": {"type": "Recreate", "$retainKeys": ["type"]}}),
        json!({"type": "Recreate"}),
    );
    check("whole", json!({"whole": {"type": "Recreate"}}), json!({"type": "Recreate"}));
    check("inner", json!({"inner": {"j": {"name": "j", "image": null}}}), {
        json!({"i": {"name": "i", "image": "1"}, "j": {"name": "j"}})
    });
}

#[test]
fn directives_where_they_have_no_meaning_are_refused() {
    let malformed = |why: &str| Error::Malformed(why.to_owned());
    let misused = |why: &str| Error::Misused(why.to_owned());
    for (patch, error) in [
        (
            json!({"labels": {"$patch": "merge"}}),
            misused(r#"unknown patch type: merge in map: {"$patch":"merge"}"#),
        ),
        (json!({"$retainKeys": "labels"}), malformed("invalid patch format of retainKeys")),
        (json!({"$retainKeys": ["labels"], "args": []}), malformed("invalid patch format of retainKeys")),
        (
            json!({"$deleteFromPrimitiveListfinalizers": []}),
            malformed("invalid patch format of primitive list"),
        ),
        (json!({"$setElementOrder": []}), malformed("invalid patch format of setElementOrder list")),
        (json!({"$setElementOrder/args": "x"}), misused("expected a []interface {}, but received a string")),
        (
            json!({"containers": [{"image": "x"}]}),
            misused(r#"map: {"image":"x"} does not contain declared merge key: name"#),
        ),
        (
            json!({"containers": [{"$patch": "merge"}]}),
            misused("merging lists cannot yet be specified in the patch"),
        ),
        (json!({"keyless": [{"name": "x"}]}), misused("cannot merge lists without merge key for struct")),
        (
            json!({"inner": {"i": {"name": "x"}}}),
            misused("merging an object in json but data type is not struct, instead is: map"),
        ),
        (
            json!({"$setElementOrder/nothing": []}),
            misused("unable to find api field in struct Spec for the json field \"nothing\""),
        ),
        (
            json!({"$setElementOrder/labels": []}),
            misused("expected a []interface {}, but received a map[string]interface {}"),
        ),
        (json!([]), malformed("expected a patch that is an object")),
    ] {
        assert_eq!(patched(object(), patch.clone()), Err(error), "{patch}");
    }
    let Err(Error::Misused(why)) =
        patched(object(), json!({"$setElementOrder/finalizers": ["a", "b"], "finalizers": ["b", "a"]}))
    else {
        panic!("another order is accepted")
    };
    assert!(
        why.starts_with("The order in patch list:\n[\"b\",\"a\"]\n doesn't match $setElementOrder list:"),
        "{why}"
    );
}
