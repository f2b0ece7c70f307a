//! Runs `cargo xtask check codecs` with a few objects of every kind at every version.

use std::process::{Command, Output};

use serde_json::Value;

fn check(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hubgen-checks")).arg("codecs").args(args).output().unwrap()
}

#[test]
fn objects_of_every_kind_and_version_survive_round_trips() {
    let output = check(&["--iterations", "20", "--json"]);
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["failures"], Value::Array(Vec::new()));
    assert!(output.status.success());
    let count = |name: &str| result[name].as_u64().unwrap();
    assert!(count("kinds") > 400 && count("versions") > 1000, "{result}");
    assert_eq!(count("total"), count("versions") * 20);
    // A table contains rows of any type, for which protobuf has no message.
    assert_eq!(count("without_protobuf"), 3);
    assert_eq!(result["notes"][0], "meta.k8s.io/v1 Table: has no protobuf, so only its JSON is checked");
}

#[test]
fn one_kind_is_checked_by_its_name() {
    let output = check(&["--kind", "core/Event", "--iterations", "2", "--seed", "5"]);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(stdout, "6 of 6 generated objects: 1 kinds, 3 versions, 0 without protobuf, 0 failed\n");
    assert!(output.status.success());
}

/// The JSON of kinds without protobuf is still compared with the generated object.
#[test]
fn a_kind_without_protobuf_is_checked_in_json() {
    let output = check(&["--kind", "meta.k8s.io/Table", "--iterations", "20"]);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(
        stdout.ends_with("60 of 60 generated objects: 1 kinds, 3 versions, 3 without protobuf, 0 failed\n"),
        "{stdout}"
    );
    assert!(output.status.success());
}

#[test]
fn a_kind_that_there_is_not_is_refused() {
    let output = check(&["--kind", "apps/Pod"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("--kind: expected a kind such as `apps/Deployment`, found apps/Pod"), "{stderr}");
    assert!(!output.status.success());
}

/// A check without objects fails.
#[test]
fn no_objects_are_no_success() {
    assert!(!check(&["--iterations", "0"]).status.success());
}
