//! Objects that the reference implementation wrote come back as they were.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The golden objects, which are not part of the repository.
fn golden(release: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/golden/kubernetes").join(release);
    if !path.exists() {
        // Not `println!`: the test harness would keep it to itself.
        let _ = writeln!(std::io::stderr(), "left out: no golden objects of {release} at {}", path.display());
        return None;
    }
    Some(path)
}

struct Answer {
    ok: bool,
    text: String,
    last: String,
}

fn check(args: &[&str], dir: &Path) -> Answer {
    let output = Command::new(env!("CARGO_BIN_EXE_hubgen-under-test"))
        .args(["check", "golden"])
        .args(args)
        .arg(dir)
        .output()
        .expect("hubgen runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let last = text.lines().last().unwrap_or_default().to_owned();
    Answer { ok: output.status.success(), text, last }
}

#[test]
fn the_reference_release_comes_back_byte_for_byte() {
    let Some(dir) = golden("v1.35") else { return };
    let answer = check(&["--exact"], &dir);
    assert!(answer.ok, "{}", answer.text);
    let counts = "183 byte for byte, 0 by value, 183 protobuf byte for byte, 0 protobuf by value, 0 failed";
    assert_eq!(answer.last, format!("183 of 183 golden objects: {counts}"));
}

#[test]
fn older_releases_come_back_by_value() {
    // What the reference release always writes and these left out.
    let zeros = [
        "apps.v1.StatefulSet: status.availableReplicas: absent there, zero here",
        "apps.v1beta1.StatefulSet: status.availableReplicas: absent there, zero here",
        "apps.v1beta2.StatefulSet: status.availableReplicas: absent there, zero here",
        "certificates.k8s.io.v1beta1.CertificateSigningRequest: status.conditions[].status: absent there, zero here",
        // JSON left it out, protobuf wrote it.
        "core.v1.Event: series.state: absent there, zero here",
    ];
    let cases = [("v1.28", 158, &zeros[..0]), ("v1.22", 144, &zeros[..0]), ("v1.16", 125, &zeros[..])];
    for (release, count, zeros) in cases {
        let Some(dir) = golden(release) else { continue };
        let answer = check(&[], &dir);
        assert!(answer.ok, "{}", answer.text);
        assert!(answer.last.starts_with(&format!("{count} of {count} golden objects: ")), "{}", answer.last);
        let notes: Vec<&str> = answer.text.lines().filter(|line| line.contains("zero here")).collect();
        assert_eq!(notes, zeros, "{release}");
        let values =
            answer.text.lines().filter_map(|line| Some(line.strip_prefix("protobuf ")?.split_once(':')?.0));
        for value in values {
            assert!(VALUES_SINCE.contains(&value), "{release}: {value}");
        }
    }
}

/// Fields of protobuf that upstream added, or made values, after 1.16: it writes values always.
const VALUES_SINCE: [&str; 15] = [
    "CertificateSigningRequestCondition.lastTransitionTime",
    "CertificateSigningRequestCondition.status",
    "CreateOptions.fieldValidation",
    "JobStatus.completedIndexes",
    "ListOptions.resourceVersionMatch",
    "ManagedFieldsEntry.subresource",
    "PatchOptions.fieldValidation",
    "PodCondition.observedGeneration",
    "PodLogOptions.insecureSkipTLSVerifyBackend",
    "PodStatus.observedGeneration",
    "PodStatus.resize",
    "ResourceClaim.request",
    "StatefulSetSpec.minReadySeconds",
    "StatefulSetStatus.availableReplicas",
    "UpdateOptions.fieldValidation",
];

/// A folder with one object, written here.
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
fn what_differs_is_named_with_its_path() {
    let escaped = CONFIG_MAP.replace("<b>", "\\u003cb\\u003e");
    let dir = folder(
        "core.v1.ConfigMap",
        &escaped,
        Some("kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata: {key: <b>}\n"),
    );
    let answer = check(&["--exact"], dir.path());
    assert!(answer.ok, "{}", answer.text);

    // The same value in other bytes holds, but not exactly.
    let dir = folder("core.v1.ConfigMap", CONFIG_MAP, None);
    assert!(check(&[], dir.path()).ok);
    let answer = check(&["--exact"], dir.path());
    assert!(!answer.ok && answer.text.contains("not byte for byte"), "{}", answer.text);

    // A twin that says something else.
    let dir = folder("core.v1.ConfigMap", &escaped, Some("metadata: {name: a}\ndata: {key: other}\n"));
    let answer = check(&[], dir.path());
    assert!(
        !answer.ok && answer.text.contains("core.v1.ConfigMap.yaml: data.key: expected"),
        "{}",
        answer.text
    );

    // A field that no release ever had.
    let dir = folder("core.v1.ConfigMap", &escaped.replace("\"data\"", "\"dato\""), None);
    let answer = check(&[], dir.path());
    assert!(!answer.ok && answer.text.contains("unknown fields: dato"), "{}", answer.text);

    // A kind that nobody has.
    let dir = folder("core.v1.Gadget", &escaped, None);
    let answer = check(&["--json"], dir.path());
    let result: serde_json::Value = serde_json::from_str(&answer.text).expect("JSON");
    assert!(!answer.ok);
    assert_eq!((&result["held"], &result["total"], &result["ok"]), (&0.into(), &1.into(), &false.into()));
    assert!(result["failures"][0]["message"].as_str().is_some_and(|text| text.contains("core.v1.Gadget")));
}
