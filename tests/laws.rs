//! `hubgen check laws`, a few rounds of it: every family, every version.

use std::process::{Command, Output};

use serde_json::Value;

fn check(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hubgen")).args(["check", "laws"]).args(args).output().unwrap()
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

#[test]
fn the_laws_hold_for_every_family_and_version() {
    let output = check(&["--iterations", "3", "--json"]);
    let result: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(result["failures"], Value::Array(Vec::new()));
    assert!(output.status.success());
    let count = |name: &str| result[name].as_u64().unwrap();
    assert!(count("families") > 40 && count("versions") > 100, "{result}");
    assert_eq!(count("total"), count("versions") * count("laws") * 3);
}

#[test]
fn one_kind_is_checked_by_its_name() {
    let output = check(&["--kind", "core/Event", "--iterations", "2", "--seed", "5"]);
    let said = stdout(&output);
    assert!(said.starts_with("30 of 30 cases: 1 families, 3 versions, 5 laws"), "{said}");
    assert!(output.status.success());
}

#[test]
fn a_kind_that_does_not_convert_is_refused() {
    let output = check(&["--kind", "apps/Pod"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("--kind apps/Pod: no such kind converts; there are ")
            && said.contains("apps/Deployment")
    );
    assert!(!output.status.success());
}

/// Nothing checked is nothing shown.
#[test]
fn no_cases_are_no_success() {
    assert!(!check(&["--iterations", "0"]).status.success());
}
