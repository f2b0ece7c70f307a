//! The check of golden objects: what it refuses, and its messages. `tests/whole/tests/kinds/golden.rs` tests
//! the golden objects of Kubernetes themselves.

use std::path::Path;
use std::process::Command;

struct Answer {
    ok: bool,
    text: String,
    last: String,
}

fn check(args: &[&str], dir: &Path) -> Answer {
    let output = Command::new(env!("CARGO_BIN_EXE_hubgen-checks"))
        .arg("golden")
        .args(args)
        .arg(dir)
        .output()
        .expect("the check runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let last = text.lines().last().unwrap_or_default().to_owned();
    Answer { ok: output.status.success(), text, last }
}

/// A folder with one object.
fn folder(name: &str, json: &str, yaml: Option<&str>) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join(format!("{name}.json")), json).expect("written");
    if let Some(yaml) = yaml {
        std::fs::write(dir.path().join(format!("{name}.yaml")), yaml).expect("written");
    }
    std::fs::write(dir.path().join("README.md"), "ignored").expect("written");
    dir
}

const CONFIG_MAP: &str = r#"{
  "kind": "ConfigMap",
  "apiVersion": "v1",
  "metadata": {
    "name": "a"
  },
  "data": {
    "key": "<b>"
  }
}"#;

#[test]
fn nothing_to_check_is_a_failure() {
    let dir = tempfile::tempdir().expect("a folder");
    let answer = check(&[], dir.path());
    assert!(!answer.ok);
    assert_eq!(
        answer.last,
        "0 of 0 golden objects: 0 byte for byte, 0 by value, 0 protobuf byte for byte, 0 protobuf by value, 0 failed"
    );
}

#[test]
fn differences_are_reported_with_their_path() {
    let escaped = CONFIG_MAP.replace("<b>", "\\u003cb\\u003e");
    let dir = folder(
        "core.v1.ConfigMap",
        &escaped,
        Some("kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata: {key: <b>}\n"),
    );
    let answer = check(&["--exact"], dir.path());
    assert!(answer.ok, "{}", answer.text);

    // The same value in other bytes passes, unless `--exact` is given.
    let dir = folder("core.v1.ConfigMap", CONFIG_MAP, None);
    assert!(check(&[], dir.path()).ok);
    let answer = check(&["--exact"], dir.path());
    assert!(!answer.ok && answer.text.contains("not byte for byte"), "{}", answer.text);

    // The YAML twin differs.
    let dir = folder("core.v1.ConfigMap", &escaped, Some("metadata: {name: a}\ndata: {key: other}\n"));
    let answer = check(&[], dir.path());
    assert!(
        !answer.ok && answer.text.contains("core.v1.ConfigMap.yaml: data.key: expected"),
        "{}",
        answer.text
    );

    // A field that does not exist in any release.
    let dir = folder("core.v1.ConfigMap", &escaped.replace("\"data\"", "\"dato\""), None);
    let answer = check(&[], dir.path());
    assert!(!answer.ok && answer.text.contains("unknown fields: dato"), "{}", answer.text);

    // A kind that does not exist.
    let dir = folder("core.v1.Gadget", &escaped, None);
    let answer = check(&["--json"], dir.path());
    let result: serde_json::Value = serde_json::from_str(&answer.text).expect("JSON");
    assert!(!answer.ok);
    assert_eq!((&result["passed"], &result["total"], &result["ok"]), (&0.into(), &1.into(), &false.into()));
    assert!(result["failures"][0]["message"].as_str().is_some_and(|text| text.contains("core.v1.Gadget")));
}
