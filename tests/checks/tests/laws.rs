//! Runs `cargo xtask check laws` with a few objects of every family and version.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn check(args: &[&str]) -> Output {
    // The check needs the folder with the schemas.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
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
    // Compiled conversions, and interpreted rules.
    assert_eq!(result["laws"], 7);
    let count = |name: &str| result[name].as_u64().unwrap();
    assert!(count("families") > 40 && count("versions") > 100, "{result}");
    assert_eq!(count("total"), count("versions") * count("laws") * 3);
}

/// Kinds that are generated from definitions have one law more: their JSON comes back as it was.
#[test]
fn json_comes_back_for_kinds_from_definitions() {
    for (example, versions) in [("cert-manager", 24), ("gateway-api", 8)] {
        let schemas = format!("examples/{example}/schemas");
        let output = check(&["--iterations", "3", "--schemas", &schemas, "--json"]);
        let result: Value = serde_json::from_str(stdout(&output)).unwrap();
        assert_eq!(result["failures"], Value::Array(Vec::new()));
        assert_eq!((&result["laws"], &result["versions"]), (&8.into(), &versions.into()), "{result}");
        assert_eq!(result["total"], versions * 8 * 3);
        assert!(output.status.success());
    }
}

#[test]
fn one_kind_is_checked_by_its_name() {
    let output = check(&["--kind", "core/Event", "--iterations", "2", "--seed", "5"]);
    let output_text = stdout(&output);
    assert!(output_text.starts_with("36 of 36 cases: 1 families, 3 versions, 6 laws"), "{output_text}");
    assert!(output.status.success());
}

#[test]
fn a_kind_that_does_not_convert_is_refused() {
    let output = check(&["--kind", "apps/Pod"]);
    let output_text = String::from_utf8(output.stderr).unwrap();
    assert!(
        output_text.contains("--kind apps/Pod: no such kind has conversions; choose one of ")
            && output_text.contains("apps/Deployment")
    );
    assert!(!output.status.success());
}

/// A check without objects fails.
#[test]
fn no_cases_are_no_success() {
    assert!(!check(&["--iterations", "0"]).status.success());
}

/// Every mutation of a rule must be noticed. Three counts show what noticed them; a panic of the
/// interpreter is not among them.
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
    assert_eq!((count("missed"), count("not_interpreted")), (0, 0));
    assert!(count("change_a_recorded_answer") > 130, "{result}");
}

fn answers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../whole/recorded/rules")
}

/// The recorded answers of a kind, each line changed. Lines for which `change` returns `None` are
/// omitted.
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

/// Every change of a leaf that a conversion does not simply copy is in a recorded answer. A new
/// rule needs a new answer.
#[test]
fn every_rule_path_has_an_answer() {
    let output = check(&["--answered", "--json"]);
    let result: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| {
        panic!("{}", String::from_utf8_lossy(&output.stderr));
    });
    assert_eq!(result["failures"], Value::Array(Vec::new()));
    let count = |name: &str| result[name].as_u64().unwrap();
    assert_eq!(count("missing"), 0);
    assert_eq!(count("families"), 31);
    assert_eq!(
        (count("total"), count("by_another_implementation"), count("checked_by_hand")),
        (6679, 3959, 2720)
    );
    assert!(output.status.success());
}

/// A rule without an answer is reported with its path and the request that is missing.
#[test]
fn a_rule_path_without_an_answer_is_reported() {
    let other_fields = |line: &str| (!line.contains(r#""nodeName""#)).then(|| line.to_owned());
    let folder = changed_answers("EndpointSlice", other_fields);
    let args = ["--answered", "--kind", "discovery.k8s.io/EndpointSlice", "--answers"];
    let output = check(&[&args[..], &[folder.path().to_str().unwrap()]].concat());
    let output_text = stdout(&output);
    assert!(output_text.contains("endpoints[].nodeName \"a\": discovery.k8s.io/v1 → "), "{output_text}");
    assert!(output_text.contains("no answer is recorded"), "{output_text}");
    assert!(!output.status.success());
}

/// An answer that differs from our conversion is an error.
#[test]
fn an_answer_that_is_not_ours_fails() {
    let other = |line: &str| Some(line.replace(r#""strategy":"a""#, r#""strategy":"b""#));
    let folder = changed_answers("LeaseCandidate", other);
    let args = ["--answered", "--kind", "coordination.k8s.io/LeaseCandidate", "--answers"];
    let output = check(&[&args[..], &[folder.path().to_str().unwrap()]].concat());
    let output_text = String::from_utf8(output.stderr).unwrap();
    assert!(output_text.contains("hand.jsonl:1: "), "{output_text}");
    assert!(output_text.contains("strategy"), "{output_text}");
    assert!(!output.status.success());
}

/// Every answer names its source: a release, or the upstream function that it was checked against.
#[test]
fn an_answer_of_nobody_is_refused() {
    for (from, to, expected) in [
        (r#""functions""#, r#""none""#, "`release` or `functions`, found neither"),
        (": Convert_", ": ", "functions.coordination.k8s.io/v1alpha2: expected upstream's function"),
    ] {
        let folder = changed_answers("LeaseCandidate", |line| Some(line.replace(from, to)));
        let args = ["--answered", "--kind", "coordination.k8s.io/LeaseCandidate", "--answers"];
        let output = check(&[&args[..], &[folder.path().to_str().unwrap()]].concat());
        let output_text = String::from_utf8(output.stderr).unwrap();
        assert!(output_text.contains(expected), "{output_text}");
        assert!(!output.status.success());
    }
}

/// Without recorded answers, laws of round trips cannot notice swapped names.
#[test]
fn a_mutation_that_is_not_noticed_is_reported() {
    let empty = tempfile::tempdir().unwrap();
    let answers = empty.path().to_str().unwrap();
    let args = ["--schemas", "schemas/kubernetes", "--mutations", "--iterations", "1", "--answers", answers];
    let output = check(&[&args[..], &["--kind", "core/Event"]].concat());
    assert!(stdout(&output).contains("core/Event: move: "), "{}", stdout(&output));
    assert!(stdout(&output).contains(": not noticed\n"));
    assert!(!output.status.success());
}
