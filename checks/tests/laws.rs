//! `cargo xtask check laws`, a few rounds of it: every family, every version.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn check(args: &[&str]) -> Output {
    // Where the schemas are.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hubgen-checks"));
    command.current_dir(root).arg("laws").args(args).output().unwrap()
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

/// A rule that could be wrong without anybody noticing is no rule. Three counts
/// tell who notices; a panic of the interpreter is none of them.
#[test]
fn every_mutated_rule_is_noticed() {
    let output = check(&["--schemas", "schemas/kubernetes", "--mutations", "--iterations", "1", "--json"]);
    let result: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(result["failures"], Value::Array(Vec::new()));
    assert!(output.status.success());
    let count = |name: &str| result[name].as_u64().unwrap();
    assert!(count("total") > 900, "{result}");
    let noticed = ["refused_by_the_generator", "fail_a_law", "change_a_recorded_answer"].map(count);
    assert_eq!(noticed.iter().sum::<u64>(), count("total"));
    assert_eq!((count("missed"), count("panicked")), (0, 0));
    assert!(count("change_a_recorded_answer") > 130, "{result}");
}

fn answers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/differential/rules")
}

/// The recorded answers of a kind, each line changed; those that `change` has
/// none for are left out.
fn changed_answers(kind: &str, change: impl Fn(&str) -> Option<String>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let wanted = format!(r#""kind":"{kind}""#);
    for name in ["scheme.jsonl", "hand.jsonl"] {
        let text = std::fs::read_to_string(answers().join(name)).unwrap();
        let lines = text.lines().filter(|line| line.contains(&wanted)).filter_map(&change);
        std::fs::write(folder.path().join(name), lines.map(|line| line + "\n").collect::<String>()).unwrap();
    }
    folder
}

/// Every change of one field that a conversion does not simply copy is in a
/// recorded answer. A new rule needs a new answer.
#[test]
fn every_rule_path_has_an_answer() {
    let output = check(&["--answered", "--json"]);
    let result: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| {
        panic!("{}", String::from_utf8_lossy(&output.stderr));
    });
    assert_eq!(result["failures"], Value::Array(Vec::new()));
    let count = |name: &str| result[name].as_u64().unwrap();
    assert_eq!(count("missing"), 0);
    assert_eq!(count("families"), 28);
    assert_eq!(
        (count("total"), count("by_another_implementation"), count("checked_by_hand")),
        (6050, 3788, 2262)
    );
    assert!(output.status.success());
}

/// A rule without an answer is told, with its path and what to ask.
#[test]
fn a_rule_path_without_an_answer_is_told() {
    let other_fields = |line: &str| (!line.contains(r#""nodeName""#)).then(|| line.to_owned());
    let folder = changed_answers("EndpointSlice", other_fields);
    let args = ["--answered", "--kind", "discovery.k8s.io/EndpointSlice", "--answers"];
    let output = check(&[&args[..], &[folder.path().to_str().unwrap()]].concat());
    let said = stdout(&output);
    assert!(said.contains("endpoints[].nodeName \"a\": discovery.k8s.io/v1 → "), "{said}");
    assert!(said.contains("no answer is recorded"), "{said}");
    assert!(!output.status.success());
}

/// An answer that our conversions do not give is never passed over.
#[test]
fn an_answer_that_is_not_ours_fails() {
    let other = |line: &str| Some(line.replace(r#""strategy":"a""#, r#""strategy":"b""#));
    let folder = changed_answers("LeaseCandidate", other);
    let args = ["--answered", "--kind", "coordination.k8s.io/LeaseCandidate", "--answers"];
    let output = check(&[&args[..], &[folder.path().to_str().unwrap()]].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("hand.jsonl:1: "), "{said}");
    assert!(said.contains("strategy"), "{said}");
    assert!(!output.status.success());
}

/// Every answer names who gave it: a release, or the function of upstream's
/// that it was checked against.
#[test]
fn an_answer_of_nobody_is_refused() {
    for (from, to, expected) in [
        (r#""functions""#, r#""none""#, "expected `release` or `functions`"),
        (": Convert_", ": ", "functions.coordination.k8s.io/v1alpha2: expected upstream's function"),
    ] {
        let folder = changed_answers("LeaseCandidate", |line| Some(line.replace(from, to)));
        let args = ["--answered", "--kind", "coordination.k8s.io/LeaseCandidate", "--answers"];
        let output = check(&[&args[..], &[folder.path().to_str().unwrap()]].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(expected), "{said}");
        assert!(!output.status.success());
    }
}

/// Without recorded answers, the laws of round trips see no exchange of names.
#[test]
fn a_mutation_that_nobody_notices_is_told() {
    let empty = tempfile::tempdir().unwrap();
    let answers = empty.path().to_str().unwrap();
    let args = ["--schemas", "schemas/kubernetes", "--mutations", "--iterations", "1", "--answers", answers];
    let output = check(&[&args[..], &["--kind", "core/Event"]].concat());
    assert!(stdout(&output).contains("core/Event: move: "), "{}", stdout(&output));
    assert!(stdout(&output).contains(": nobody notices\n"));
    assert!(!output.status.success());
}
