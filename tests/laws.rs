//! `hubgen check laws`, a few rounds of it: every family, every version.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn check(args: &[&str]) -> Output {
    // Where the schemas are.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hubgen"));
    command.current_dir(root).args(["check", "laws"]).args(args).output().unwrap()
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

#[test]
fn the_laws_hold_for_every_family_and_version() {
    let output = check(&["--iterations", "3", "--schemas", "schemas/kubernetes", "--json"]);
    let result: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(result["failures"], Value::Array(Vec::new()));
    assert!(output.status.success());
    // As compiled, and as the rules are written.
    assert_eq!(result["laws"], 6);
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

/// A rule that could be wrong without anybody noticing is no rule.
#[test]
fn every_broken_rule_is_noticed() {
    let output = check(&["--schemas", "schemas/kubernetes", "--breaks", "--iterations", "1", "--json"]);
    let result: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(result["failures"], Value::Array(Vec::new()));
    assert!(output.status.success());
    assert!(result["total"].as_u64().unwrap() > 900, "{}", result["total"]);
}

/// Without recorded answers, the laws of round trips see no exchange of names.
#[test]
fn a_break_that_nobody_notices_is_told() {
    let empty = tempfile::tempdir().unwrap();
    let answers = empty.path().to_str().unwrap();
    let args = ["--schemas", "schemas/kubernetes", "--breaks", "--iterations", "1", "--answers", answers];
    let output = check(&[&args[..], &["--kind", "core/Event"]].concat());
    assert!(stdout(&output).contains("core/Event: move: "), "{}", stdout(&output));
    assert!(stdout(&output).contains(": nobody notices\n"));
    assert!(!output.status.success());
}
