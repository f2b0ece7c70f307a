//! Tests `hubgen convert --velero-backup`.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use tar::{Archive, Builder, Header};

use crate::process::hubgen;

struct Answer {
    code: i32,
    out: Vec<u8>,
    err: String,
}

impl Answer {
    fn text(&self) -> &str {
        str::from_utf8(&self.out).expect("text")
    }
}

/// A folder with a backup.
struct Backup {
    folder: tempfile::TempDir,
    bytes: Vec<u8>,
}

/// Entries below `resources/`, and one that every backup has.
type Entries = Vec<(String, String)>;

impl Backup {
    fn new(entries: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let bytes = backup(entries);
        fs::write(folder.path().join("backup.tar.gz"), &bytes).expect("written");
        Self { folder, bytes }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn convert(&self, args: &[&str]) -> Answer {
        let mut child = hubgen()
            .args(["convert", "--velero-backup"])
            .args(args)
            .current_dir(self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("hubgen runs");
        let mut pipe = child.stdin.take().expect("a pipe");
        let bytes = self.bytes.clone();
        let writer = std::thread::spawn(move || drop(pipe.write_all(&bytes)));
        let output = child.wait_with_output().expect("hubgen ends");
        writer.join().expect("written");
        let err = String::from_utf8(output.stderr).expect("text");
        Answer { code: output.status.code().expect("an exit code"), out: output.stdout, err }
    }

    /// The entries of a file in the folder.
    fn entries(&self, name: &str) -> Entries {
        entries(&fs::read(self.path(name)).expect("read"))
    }

    /// The names of the files in the folder.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).expect("a folder");
        let mut files: Vec<String> =
            entries.map(|entry| entry.expect("read").file_name().into_string().expect("text")).collect();
        files.sort();
        files
    }
}

fn backup(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut tar = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let version = [("metadata/version".to_owned(), "1.1.0\n")];
    let objects = entries.iter().map(|(path, text)| (format!("resources/{path}.json"), *text));
    for (path, text) in version.into_iter().chain(objects) {
        let mut header = Header::new_ustar();
        header.set_size(text.len() as u64);
        header.set_mode(0o755);
        header.set_mtime(1_700_000_000);
        tar.append_data(&mut header, path, text.as_bytes()).expect("appended");
    }
    tar.into_inner().expect("a tar file").finish().expect("gzip")
}

fn entries(file: &[u8]) -> Entries {
    let mut archive = Archive::new(GzDecoder::new(file));
    let mut found = Vec::new();
    for entry in archive.entries().expect("a tar file") {
        let mut entry = entry.expect("an entry");
        let path = entry.path().expect("a path").display().to_string();
        assert_eq!(
            (entry.header().mode().ok(), entry.header().mtime().ok()),
            (Some(0o755), Some(1_700_000_000))
        );
        let mut text = String::new();
        entry.read_to_string(&mut text).expect("text");
        found.push((path, text));
    }
    assert_eq!(found.remove(0), ("metadata/version".to_owned(), "1.1.0\n".to_owned()));
    found
}

fn paths(entries: &Entries) -> Vec<&str> {
    let within =
        |path: &'_ str| path.strip_prefix("resources/").and_then(|path| path.strip_suffix(".json")).is_some();
    entries
        .iter()
        .map(|(path, _)| {
            assert!(within(path), "{path}");
            &path["resources/".len()..path.len() - ".json".len()]
        })
        .collect()
}

const INGRESS: &str = r#"{"apiVersion":"extensions/v1beta1","kind":"Ingress","metadata":{"name":"web","namespace":"shop","uid":"1"},"spec":{"backend":{"serviceName":"web","servicePort":80}}}"#;
const NEW_INGRESS: &str = r#"{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"web","namespace":"shop","uid":"1"},"spec":{"defaultBackend":{"service":{"name":"web","port":{"number":80}}}}}"#;
const POD: &str = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"shop"},"spec":{"containers":[{"name":"a","image":"a"}]}}"#;
const ROLE: &str = r#"{"apiVersion":"rbac.authorization.k8s.io/v1beta1","kind":"ClusterRole","metadata":{"name":"system:a"},"rules":null}"#;

/// One object of two groups in both layouts, and one that stays.
fn shop() -> Backup {
    Backup::new(&[
        ("ingresses.extensions/namespaces/shop/web", INGRESS),
        ("ingresses.extensions/v1beta1-preferredversion/namespaces/shop/web", INGRESS),
        ("pods/namespaces/shop/a", POD),
        ("clusterroles.rbac.authorization.k8s.io/v1beta1/cluster/system:a", ROLE),
    ])
}

fn new_shop() -> Entries {
    let new = |path: &str, text: &str| (format!("resources/{path}.json"), text.to_owned());
    vec![
        new("ingresses.networking.k8s.io/namespaces/shop/web", NEW_INGRESS),
        new("ingresses.networking.k8s.io/v1-preferredversion/namespaces/shop/web", NEW_INGRESS),
        new("pods/namespaces/shop/a", POD),
        new("clusterroles.rbac.authorization.k8s.io/v1/cluster/system:a", &ROLE.replace("v1beta1", "v1")),
    ]
}

#[test]
fn a_backup_becomes_a_new_file() {
    let backup = shop();
    let answer = backup.convert(&["backup.tar.gz", "--newest", "--output-file", "new.tar.gz"]);
    assert_eq!((answer.code, answer.err.as_str()), (0, "3 objects changed, in 1 of 1 file; 0 errors\n"));
    assert!(answer.out.is_empty());
    assert_eq!(backup.entries("new.tar.gz"), new_shop());
    assert_eq!(fs::read(backup.path("backup.tar.gz")).expect("read"), backup.bytes);
    assert_eq!(backup.files(), ["backup.tar.gz", "new.tar.gz"]);

    let answer = backup.convert(&["new.tar.gz", "--newest", "--check"]);
    assert_eq!((answer.code, answer.err.as_str()), (0, "0 objects would change, in 0 of 1 file; 0 errors\n"));
}

#[test]
fn a_backup_goes_through_a_pipe() {
    let backup = shop();
    for input in ["-", "backup.tar.gz"] {
        let answer = backup.convert(&[input, "--newest"]);
        assert_eq!((answer.code, answer.err.as_str()), (0, ""));
        assert_eq!(entries(&answer.out), new_shop());
    }
    let back = backup.convert(&["-", "--to", "extensions/v1beta1"]);
    assert_eq!((back.code, entries(&back.out).len()), (0, 4));
}

#[test]
fn a_backup_is_replaced() {
    let backup = shop();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(backup.path("backup.tar.gz"), fs::Permissions::from_mode(0o640)).expect("set");
    }
    let answer = backup.convert(&["backup.tar.gz", "--newest", "--in-place"]);
    assert_eq!((answer.code, answer.err.as_str()), (0, "3 objects changed, in 1 of 1 file; 0 errors\n"));
    assert_eq!(backup.entries("backup.tar.gz"), new_shop());
    assert_eq!(backup.files(), ["backup.tar.gz"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(backup.path("backup.tar.gz")).expect("read").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }
}

#[test]
fn check_lists_the_entries_that_would_change() {
    let backup = shop();
    let answer = backup.convert(&["backup.tar.gz", "--newest", "--check"]);
    assert_eq!(answer.code, 1);
    assert_eq!(
        answer.text(),
        "resources/ingresses.extensions/namespaces/shop/web.json:1: extensions/v1beta1 Ingress shop/web → networking.k8s.io/v1 Ingress\n\
         resources/ingresses.extensions/v1beta1-preferredversion/namespaces/shop/web.json:1: extensions/v1beta1 Ingress shop/web → networking.k8s.io/v1 Ingress\n\
         resources/clusterroles.rbac.authorization.k8s.io/v1beta1/cluster/system:a.json:1: rbac.authorization.k8s.io/v1beta1 ClusterRole system:a → rbac.authorization.k8s.io/v1 ClusterRole\n"
    );
    assert_eq!(backup.files(), ["backup.tar.gz"]);

    let answer = backup.convert(&["-", "--newest", "--check", "--json"]);
    let report: Value = serde_json::from_slice(&answer.out).expect("JSON");
    assert_eq!(report["changed_objects"], 3);
    assert_eq!(
        report["changes"][0],
        json!({
            "file": "resources/ingresses.extensions/namespaces/shop/web.json",
            "line": 1,
            "from": {"apiVersion": "extensions/v1beta1", "kind": "Ingress"},
            "to": {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress"},
            "namespace": "shop",
            "name": "web",
        })
    );
}

/// A backup of all versions, and a cluster that served ingresses in two groups.
#[test]
fn of_objects_that_meet_the_one_at_the_preferred_version_is_kept() {
    let hpa = |version: &str| {
        format!(
            r#"{{"apiVersion":"autoscaling/{version}","kind":"HorizontalPodAutoscaler","metadata":{{"name":"web","namespace":"shop","labels":{{"from":"{version}"}}}},"spec":{{"maxReplicas":3,"scaleTargetRef":{{"kind":"Deployment","name":"web"}}}}}}"#
        )
    };
    let of_new_group = NEW_INGRESS.replace("\"uid\"", "\"generation\":1,\"uid\"");
    let backup = Backup::new(&[
        ("horizontalpodautoscalers.autoscaling/v2beta1/namespaces/shop/web", &hpa("v2beta1")),
        ("horizontalpodautoscalers.autoscaling/namespaces/shop/web", &hpa("v1")),
        ("horizontalpodautoscalers.autoscaling/v1-preferredversion/namespaces/shop/web", &hpa("v1")),
        ("horizontalpodautoscalers.autoscaling/v2beta2/namespaces/shop/web", &hpa("v2beta2")),
        ("ingresses.extensions/namespaces/shop/web", INGRESS),
        ("ingresses.networking.k8s.io/namespaces/shop/web", &of_new_group),
    ]);
    let answer = backup.convert(&["backup.tar.gz", "--newest", "--output-file", "new.tar.gz"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let new = backup.entries("new.tar.gz");
    assert_eq!(
        paths(&new),
        [
            "horizontalpodautoscalers.autoscaling/namespaces/shop/web",
            "horizontalpodautoscalers.autoscaling/v2-preferredversion/namespaces/shop/web",
            "ingresses.networking.k8s.io/namespaces/shop/web",
        ]
    );
    assert_eq!(new[1].1, hpa("v1").replace("autoscaling/v1", "autoscaling/v2"));
    assert_eq!(new[2].1, of_new_group);
    for (left_out, kept) in [
        (
            "horizontalpodautoscalers.autoscaling/v2beta1",
            "horizontalpodautoscalers.autoscaling/v1-preferredversion",
        ),
        (
            "horizontalpodautoscalers.autoscaling/v2beta2",
            "horizontalpodautoscalers.autoscaling/v1-preferredversion",
        ),
        ("ingresses.extensions", "ingresses.networking.k8s.io"),
    ] {
        let expected = format!(
            "resources/{left_out}/namespaces/shop/web.json: left out: at the new version it is \
             resources/{kept}/namespaces/shop/web.json, which is kept"
        );
        assert!(answer.err.contains(&expected), "{expected}: {}", answer.err);
    }
}

/// Velero writes definitions at v1beta1 where it read them at v1.
#[test]
fn the_folder_of_a_version_need_not_be_that_of_the_object() {
    let definition = r#"{"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"CustomResourceDefinition","metadata":{"name":"pets.example.com"},"spec":{"group":"example.com","names":{"kind":"Pet","plural":"pets"},"scope":"Cluster","version":"v1"}}"#;
    let path = "customresourcedefinitions.apiextensions.k8s.io/v1-preferredversion/cluster/pets.example.com";
    let backup = Backup::new(&[(path, definition)]);
    let answer = backup.convert(&["-", "--newest"]);
    assert_eq!((answer.code, answer.err.as_str()), (0, ""));
    let new = entries(&answer.out);
    assert_eq!(paths(&new), [path]);
    assert!(new[0].1.contains("apiextensions.k8s.io/v1\""), "{}", new[0].1);
}

#[test]
fn objects_with_errors_stay_as_they_are() {
    let wrong = [
        ("pods/namespaces/shop/text", "{\"apiVersion\":", "expected"),
        ("pods/namespaces/shop/empty", "", "expected an object, found nothing"),
        ("pods/namespaces/shop/list", "[1]", "expected an object"),
        ("pods/namespaces/shop/two", "{} {}", "expected one object, found more after it"),
        (
            "ingresses.extensions/namespaces/shop/other",
            INGRESS,
            "metadata.name: expected \"other\", as its path names it, found \"web\"",
        ),
        ("ingresses.extensions/namespaces/other/web", INGRESS, "metadata.namespace: expected \"other\""),
        ("ingresses.extensions/cluster/web", INGRESS, "metadata.namespace: expected none"),
        (
            "ingresses.networking.k8s.io/namespaces/shop/web",
            INGRESS,
            "kind: expected an object of ingresses.networking.k8s.io, as its path names it, found extensions/v1beta1 Ingress",
        ),
        (
            "deployments.extensions/namespaces/shop/web",
            INGRESS,
            "kind: expected an object of deployments.extensions",
        ),
        (
            "ingresses.extensions/v1beta1/namespaces/shop/web",
            &INGRESS.replace("backend", "bakend"),
            "spec.bakend: extensions/v1beta1 Ingress has no such field",
        ),
    ];
    let mut all: Vec<(&str, &str)> = wrong.iter().map(|(path, text, _)| (*path, *text)).collect();
    all.push(("ingresses.extensions/namespaces/shop/web", INGRESS));
    let backup = Backup::new(&all);
    let answer = backup.convert(&["backup.tar.gz", "--newest", "--output-file", "new.tar.gz"]);
    assert_eq!(answer.code, 1);
    assert!(answer.err.ends_with("1 object changed, in 1 of 1 file; 10 errors\n"), "{}", answer.err);
    let new = backup.entries("new.tar.gz");
    for (path, text, message) in wrong {
        let path = format!("resources/{path}.json");
        // The object without an error takes the place of the one with.
        if path.starts_with("resources/ingresses.networking") {
            continue;
        }
        assert!(new.contains(&(path.clone(), text.to_owned())), "{path}");
        let alone = Backup::new(&[(&path["resources/".len()..path.len() - ".json".len()], text)]);
        let answer = alone.convert(&["-", "--newest", "--json"]);
        let report: Value = serde_json::from_str(&answer.err).expect("JSON");
        let found = &report["diagnostics"][0];
        let path_in_object = found["path"].as_str().map(|path| format!("{path}: ")).unwrap_or_default();
        let line = format!("{path_in_object}{}", found["message"].as_str().expect("a message"));
        assert!(line.contains(message), "{message}: {report}");
        assert_eq!(found["file"], path);
        assert_eq!(entries(&answer.out), [(path, text.to_owned())]);
    }

    // In place, nothing changes.
    let answer = backup.convert(&["backup.tar.gz", "--newest", "--in-place"]);
    assert_eq!(answer.code, 1);
    assert!(answer.err.contains("backup.tar.gz stays as it is, because of errors"), "{}", answer.err);
    assert_eq!(fs::read(backup.path("backup.tar.gz")).expect("read"), backup.bytes);

    let answer = backup.convert(&["-", "--newest", "--drop-unknown", "--json"]);
    let report: Value = serde_json::from_str(&answer.err).expect("JSON");
    assert_eq!((&report["errors"], &report["changed_objects"]), (&json!(9), &json!(2)));
}

#[test]
fn kinds_that_nobody_knows_stay_with_a_warning() {
    let pet = r#"{"apiVersion":"example.com/v1","kind":"Pet","metadata":{"name":"a"}}"#;
    let policy = r#"{"apiVersion":"policy/v1beta1","kind":"PodSecurityPolicy","metadata":{"name":"a"}}"#;
    let backup =
        Backup::new(&[("pets.example.com/cluster/a", pet), ("podsecuritypolicies.policy/cluster/a", policy)]);
    let answer = backup.convert(&["-", "--newest"]);
    assert_eq!(answer.code, 0);
    assert_eq!(entries(&answer.out), entries(&backup.bytes));
    for expected in [
        "resources/pets.example.com/cluster/a.json:1:1: example.com/v1 Pet is not a known kind",
        "resources/podsecuritypolicies.policy/cluster/a.json:1:1: no version of policy/v1beta1 PodSecurityPolicy is served",
    ] {
        assert!(answer.err.contains(expected), "{expected}: {}", answer.err);
    }
}

#[test]
fn of_a_file_that_is_refused_nothing_is_written() {
    let mut backup = shop();
    let whole = backup.bytes.clone();
    for (bytes, expected) in [
        (whole[..whole.len() / 2].to_vec(), "the file ends too early; nothing was written"),
        (b"restic".to_vec(), "expected a tar file in gzip, found the bytes [72, 65]; nothing was written"),
    ] {
        backup.bytes = bytes;
        fs::write(backup.path("backup.tar.gz"), &backup.bytes).expect("written");
        fs::write(backup.path("new.tar.gz"), "as it was").expect("written");
        for args in [
            &["-"][..],
            &["backup.tar.gz", "--in-place"],
            &["-", "--output-file", "new.tar.gz"],
            &["-", "--check"],
        ] {
            let answer = backup.convert(&[args, &["--newest"]].concat());
            assert_eq!(answer.code, 1, "{args:?}");
            assert!(answer.err.contains(expected), "{args:?}: {}", answer.err);
            if args.len() == 1 {
                assert!(answer.out.is_empty());
            }
            assert_eq!(fs::read(backup.path("backup.tar.gz")).expect("read"), backup.bytes);
            assert_eq!(fs::read(backup.path("new.tar.gz")).expect("read"), b"as it was");
            assert_eq!(backup.files(), ["backup.tar.gz", "new.tar.gz"]);
        }
    }
    let answer = backup.convert(&["missing.tar.gz", "--newest"]);
    assert_eq!(answer.code, 1);
    assert!(answer.err.contains("missing.tar.gz: cannot be read"), "{}", answer.err);
    let nowhere = Path::new("no-folder").join("new.tar.gz");
    let answer = shop().convert(&["-", "--newest", "--output-file", nowhere.to_str().expect("text")]);
    assert_eq!(answer.code, 1);
    assert!(answer.err.contains("a temporary file for the output cannot be written"), "{}", answer.err);
}

#[test]
fn arguments_that_do_not_go_together() {
    let backup = shop();
    for args in [
        &["-", "--in-place", "--newest"][..],
        &["backup.tar.gz"],
        &["backup.tar.gz", "--newest", "other.yaml"],
        &["backup.tar.gz", "--newest", "-o", "yaml"],
        &["backup.tar.gz", "--newest", "--check", "--output-file", "new.tar.gz"],
        &["backup.tar.gz", "--newest", "--in-place", "--output-file", "new.tar.gz"],
    ] {
        assert_eq!(backup.convert(args).code, 2, "{args:?}");
    }
    let output =
        hubgen().args(["convert", "--newest", "--output-file", "new.yaml"]).output().expect("hubgen runs");
    assert_eq!(output.status.code(), Some(2));
}
