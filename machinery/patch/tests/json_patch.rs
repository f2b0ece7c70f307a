//! Tests JSON patches.

use hubgen_patch::{Error, JsonPatch, Limits};
use serde_json::{Value, json};

fn apply(document: Value, patch: Value) -> Result<Value, Error> {
    JsonPatch::new(patch)?.apply(document, &Limits::default())
}

#[test]
fn operations_are_applied_one_after_the_other() {
    let document = json!({"a": {"b": [1, 2, 3]}, "x/y": {"~": 1}});
    for (patch, expected) in [
        (
            json!([{"op": "add", "path": "/a/b/1", "value": 9}]),
            json!({"a": {"b": [1, 9, 2, 3]}, "x/y": {"~": 1}}),
        ),
        (
            json!([{"op": "add", "path": "/a/b/3", "value": 9}]),
            json!({"a": {"b": [1, 2, 3, 9]}, "x/y": {"~": 1}}),
        ),
        (
            json!([{"op": "add", "path": "/a/b/-", "value": 9}]),
            json!({"a": {"b": [1, 2, 3, 9]}, "x/y": {"~": 1}}),
        ),
        (
            json!([{"op": "add", "path": "/a/b/-1", "value": 9}]),
            json!({"a": {"b": [1, 2, 3, 9]}, "x/y": {"~": 1}}),
        ),
        (json!([{"op": "add", "path": "/a/c"}]), json!({"a": {"b": [1, 2, 3], "c": null}, "x/y": {"~": 1}})),
        (json!([{"op": "remove", "path": "/x~1y/~0"}]), json!({"a": {"b": [1, 2, 3]}, "x/y": {}})),
        (json!([{"op": "remove", "path": "/a/b/-1"}]), json!({"a": {"b": [1, 2]}, "x/y": {"~": 1}})),
        (
            json!([{"op": "replace", "path": "/a/b/0", "value": 7}]),
            json!({"a": {"b": [7, 2, 3]}, "x/y": {"~": 1}}),
        ),
        // Upstream adds what is not there.
        (
            json!([{"op": "replace", "path": "/a/c", "value": 7}]),
            json!({"a": {"b": [1, 2, 3], "c": 7}, "x/y": {"~": 1}}),
        ),
        (json!([{"op": "replace", "path": "", "value": {"z": 1}}]), json!({"z": 1})),
        (
            json!([{"op": "move", "from": "/a/b/0", "path": "/a/b/-"}]),
            json!({"a": {"b": [2, 3, 1]}, "x/y": {"~": 1}}),
        ),
        (
            json!([{"op": "copy", "from": "/x~1y", "path": "/c"}]),
            json!({"a": {"b": [1, 2, 3]}, "x/y": {"~": 1}, "c": {"~": 1}}),
        ),
        (
            json!([{"op": "test", "path": "/a/b/1", "value": 2}, {"op": "test", "path": "/nothing"}]),
            document.clone(),
        ),
        (json!(null), document.clone()),
    ] {
        assert_eq!(apply(document.clone(), patch.clone()), Ok(expected), "{patch}");
    }
}

#[test]
fn what_does_not_apply_is_refused() {
    let document = json!({"a": {"b": [1]}, "s": "text"});
    for (patch, why) in [
        (
            json!([{"op": "add", "path": "/x/y", "value": 1}]),
            "add operation does not apply: doc is missing path: \"/x/y\": missing value",
        ),
        (json!([{"op": "add", "path": "/s/y", "value": 1}]), "doc is missing path"),
        (json!([{"op": "add", "path": "", "value": 1}]), "doc is missing path"),
        (json!([{"op": "add", "path": "/a/b/3", "value": 1}]), "Unable to access invalid index: 3"),
        (json!([{"op": "add", "path": "/a/b/x", "value": 1}]), "parsing \"x\": invalid syntax"),
        (json!([{"op": "remove", "path": "/x"}]), "Unable to remove nonexistent key: x: missing value"),
        (json!([{"op": "remove", "path": "/a/b/1"}]), "Unable to access invalid index: 1"),
        (
            json!([{"op": "replace", "path": "/a/b/1", "value": 1}]),
            "replace operation does not apply: doc is missing key",
        ),
        (json!([{"op": "replace", "path": "", "value": 1}]), "must be object or array"),
        (json!([{"op": "test", "path": "/a/b/0", "value": 2}]), "testing value /a/b/0 failed: test failed"),
        (json!([{"op": "move", "from": "/x", "path": "/y"}]), "Unable to remove nonexistent key: x"),
        (
            json!([{"op": "copy", "from": "/x/y", "path": "/y"}]),
            "copy operation does not apply: doc is missing from path",
        ),
        (json!([{"op": "add"}]), "add operation failed to decode path"),
        (json!([{"op": "move", "path": "/y"}]), "move operation failed to decode from"),
        (json!([{"op": "merge", "path": "/y"}]), "Unexpected kind: merge"),
        (json!([{}]), "Unexpected kind: unknown"),
    ] {
        let Err(Error::Inapplicable(message)) = apply(document.clone(), patch.clone()) else {
            panic!("{patch}")
        };
        assert!(message.contains(why), "{patch}: {message}");
    }
}

#[test]
fn what_is_no_patch_is_refused() {
    for (patch, why) in [
        (json!({"op": "add"}), "error decoding patch: expected a list of operations, found an object"),
        (json!([1]), "error decoding patch: [0]: expected an object, found a number"),
        (
            json!([{"op": "add", "path": 1}]),
            "error decoding patch: [0].path: expected a text, found a number",
        ),
    ] {
        assert_eq!(JsonPatch::new(patch).unwrap_err(), Error::Malformed(why.to_owned()));
    }
    let patch = JsonPatch::new(json!([{"op": "test", "path": "", "Value": 1}, {"x": 1}])).unwrap();
    assert_eq!(patch.unknown().collect::<Vec<_>>(), ["[0].Value", "[1].x"]);
}

#[test]
fn a_patch_takes_no_more_than_its_limits() {
    let limits = Limits { operations: 3, copied_bytes: 20 };
    let copies = |count: usize| {
        let copy = json!({"op": "copy", "from": "/a", "path": "/b"});
        JsonPatch::new(Value::from(vec![copy; count])).unwrap()
    };
    let document = json!({"a": "12345678"});
    assert!(copies(2).apply(document.clone(), &limits).is_ok());
    assert_eq!(
        copies(3).apply(document.clone(), &limits).unwrap_err().to_string(),
        "Unable to complete the copy, the accumulated size increase of copy is 30, exceeding the limit 20"
    );
    assert_eq!(
        copies(4).apply(document, &limits).unwrap_err(),
        Error::TooLarge("The allowed maximum operations in a JSON patch is 3, got 4".to_owned())
    );
}
