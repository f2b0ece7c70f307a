//! `hubgen changes`: what it lists between releases of Kubernetes.

use serde_json::{Value, json};

use crate::process::hubgen;

/// The exit code, standard output and standard error.
fn changes(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = hubgen().arg("changes").args(arguments).output().expect("hubgen runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn what_came_and_went_is_listed() {
    let (code, out, error) = changes(&["1.20", "1.25", "policy"]);
    assert_eq!((code, &*error), (Some(0), ""));
    insta::assert_snapshot!("changes-policy", out);
    let (.., out, _) = changes(&["1.27", "1.28", "core"]);
    insta::assert_snapshot!("changes-core", out);
    let (.., out, _) = changes(&["1.7", "1.37"]);
    for line in
        ["  - extensions/v1beta1 (until 1.21)", "  + PodSpec.hostUsers (since 1.25)", "apps/v1", "core/v1"]
    {
        assert!(out.lines().any(|found| found == line), "{line}");
    }
}

#[test]
fn json_has_the_same_changes() {
    let (code, out, error) = changes(&["1.20", "1.25", "policy", "--json"]);
    assert_eq!((code, &*error), (Some(0), ""));
    let report: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&report["from"], &report["to"]), (&json!("1.20"), &json!("1.25")));
    let found = report["changes"].as_array().expect("changes");
    let version = |api_version, how, release| {
        json!({
            "api_version": api_version, "what": "version", "name": "", "how": how, "release": release,
            "fact": null, "was": null, "is": null,
        })
    };
    assert_eq!(*found, [version("policy/v1beta1", "went", "1.24"), version("policy/v1", "came", "1.21")]);
    let (.., out, _) = changes(&["1.29", "1.30", "core", "--json"]);
    let report: Value = serde_json::from_str(&out).expect("JSON");
    let conditions = report["changes"].as_array().expect("changes").iter();
    let found: Vec<&Value> = conditions.filter(|change| change["name"] == "PodStatus.conditions").collect();
    let expected = json!({
        "api_version": "v1", "what": "field", "name": "PodStatus.conditions", "how": "changed", "release": "1.30",
        "fact": "list-type", "was": "", "is": "map(type)",
    });
    assert_eq!(found, [&expected]);
}

#[test]
fn releases_and_groups_that_are_not_there_are_refused() {
    for (arguments, expected) in [
        (&["1.6", "1.20"][..], "the archive has 1.7 to 1."),
        (&["1.20", "1.99"], "the archive has no documents of Kubernetes 1.99"),
        (&["1.20", "1.20"], "1.20 is not before 1.20"),
        (&["1.25", "1.20"], "write the earlier release first"),
        (&["1.20", "1.25", "networking"], "write networking.k8s.io"),
        (&["1.20", "1.25", "nothing"], "there is no group nothing"),
    ] {
        let (code, out, error) = changes(arguments);
        assert_eq!((code, &*out), (Some(1), ""), "{arguments:?}");
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
    let (code, out, _) = changes(&["1.25", "1.20", "--json"]);
    let report: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, &report["ok"]), (Some(1), &json!(false)));
    assert_eq!(changes(&["1.x", "1.20"]).0, Some(2));
}
