//! A program gets a new version, which becomes the hub: objects that its earlier release stored keep everything.
//!
//! `hub_change/release1` and `release2` are the types of the two releases. `hub_change/stored` has objects as release 1
//! wrote them, in every format that a stash ever had, and `stored_zeros` one with empty values. All later releases of
//! hubgen read these files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::process::hubgen;

/// Release 1 has v1alpha1 and v1beta1, the hub.
const RELEASE_1: &str = "tests/command/hub_change/release1/hubgen.toml";
/// Release 2 also has v1, the hub, where two fields have other names.
const RELEASE_2: &str = "tests/command/hub_change/release2/hubgen.toml";

const BETA: &str = "\
apiVersion: example.com/v1beta1
kind: Bucket
metadata: {name: data}
spec:
  size: 3
  rules:
  - {name: keep, days: 30}
  - {name: none}
  region: eu
";

const STABLE: &str = "\
apiVersion: example.com/v1
kind: Bucket
metadata: {name: data}
spec:
  size: 3
  rules:
  - {name: keep, after: 30}
  - {name: none}
  zone: eu
";

/// Converts an object with a release. Returns what the command prints to standard output and to standard error.
fn convert(release: &str, version: &str, object: &str) -> (String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("object.yaml");
    fs::write(&path, object).expect("written");
    let to = format!("example.com/{version}");
    let output = hubgen()
        .args(["convert", "--config", release, "--to", &to])
        .arg(&path)
        .output()
        .expect("hubgen runs");
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text"));
    assert!(output.status.success(), "{err}");
    (out, err)
}

fn converted(release: &str, version: &str, object: &str) -> String {
    let (out, err) = convert(release, version, object);
    assert_eq!(err, "");
    out
}

fn stored(format: &str) -> String {
    let path: PathBuf = Path::new("tests/command/hub_change/stored").join(format);
    fs::read_to_string(path).expect("read")
}

#[test]
fn release_1_writes_the_newest_format() {
    assert_eq!(converted(RELEASE_1, "v1alpha1", BETA), stored("v1alpha1.yaml"));
}

#[test]
fn release_2_reads_every_format() {
    let formats = fs::read_dir("tests/command/hub_change/stored").expect("read");
    let formats: Vec<_> = formats.map(|format| format.expect("an entry").file_name()).collect();
    assert!(formats.len() >= 2, "{formats:?}");
    for format in formats {
        let object = stored(format.to_str().expect("text"));
        assert_eq!(converted(RELEASE_2, "v1", &object), STABLE, "{format:?}");
        assert_eq!(converted(RELEASE_2, "v1beta1", &object), BETA, "{format:?}");
        assert_eq!(converted(RELEASE_1, "v1beta1", &object), BETA, "{format:?}");
    }
}

/// Release 1 is still running beside release 2 while it is rolled out. It cannot read the newer stash, which stays, and
/// release 2 finds it again.
#[test]
fn what_release_1_cannot_read_stays_and_is_reported() {
    let newer = converted(RELEASE_2, "v1alpha1", STABLE);
    let (kept, warning) = convert(RELEASE_1, "v1beta1", &newer);
    assert!(
        warning.contains(
            "the annotation conversion.hubgen.dev/kept has what this program cannot read: spec.zone, spec.rules, in the \
             terms of example.com/v1; it stays in the annotation"
        ),
        "{warning}"
    );
    assert!(kept.contains(r#""zone":{"is":"eu"}"#), "{kept}");
    assert_eq!(converted(RELEASE_2, "v1", &kept), STABLE);
}

/// An edit at the old version wins, whatever release wrote the annotation.
#[test]
fn an_edit_wins() {
    let object = stored("v1alpha1.yaml").replace("size: 3", "size: 4").replace("  - {name: none}\n", "");
    let expected = STABLE.replace("size: 3", "size: 4").replace("  - {name: none}\n", "");
    assert_eq!(converted(RELEASE_2, "v1", &object), expected);
}

/// A required zero that v1alpha1 lacks. A typed object does not tell it from none.
#[test]
fn a_required_zero_comes_back_at_the_new_hub() {
    let beta =
        "apiVersion: example.com/v1beta1\nkind: Queue\nmetadata: {name: jobs}\nspec: {topic: a, size: 0}\n";
    let stable =
        "apiVersion: example.com/v1\nkind: Queue\nmetadata: {name: jobs}\nspec: {topic: a, capacity: 0}\n";
    let path = "tests/command/hub_change/stored_zeros/v1alpha1.yaml";
    let stored = fs::read_to_string(path).expect("read");
    assert_eq!(converted(RELEASE_1, "v1alpha1", beta), stored);
    assert_eq!(converted(RELEASE_1, "v1beta1", &stored), beta);
    assert_eq!(converted(RELEASE_2, "v1beta1", &stored), beta);
    assert_eq!(converted(RELEASE_2, "v1", &stored), stable);
}
