//! `cargo xtask import` as people run it.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use hubgen_checks::go_module;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// An empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).unwrap();
    }
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn import(paths: &[&Path], out: &Path, stdin: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("import")
        .args(paths)
        .arg("--out")
        .arg(out)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                files.insert(path.clone(), std::fs::read(path).unwrap());
            }
        }
    }
    files
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn twice_the_same_and_what_goes_is_removed() {
    let out = folder("twice");
    let zoo = root().join("codegen/documents/tests/import");
    let broken = out.join("broken.json");
    std::fs::write(&broken, "{").unwrap();
    let schemas = out.join("schemas");
    let first = import(&[&zoo, &broken], &schemas, "");
    assert!(!first.status.success(), "{}", text(&first.stdout));
    assert!(text(&first.stderr).contains("broken.json:1:2"), "{}", text(&first.stderr));
    assert!(!schemas.exists(), "nothing is written unless all of it can be");

    let swagger = zoo.join("v1.20/swagger.json");
    let fields = out.join("v1.20.json");
    std::fs::write(
        &fields,
        r#"{"com.example.zoo.v1.CageSpec": {"doors": {"shape": "value", "type": "int32", "protobuf": 1}}}"#,
    )
    .unwrap();
    std::fs::create_dir_all(schemas.join("gone")).unwrap();
    std::fs::create_dir_all(schemas.join("rules")).unwrap();
    let gone = r#"{"info": {"version": "v1", "x-group": "gone"}, "components": {"schemas": {}}}"#;
    std::fs::write(schemas.join("gone/v1.json"), gone).unwrap();
    std::fs::write(schemas.join("rules/kept.json"), "{}").unwrap();
    let second = import(&[&swagger, &fields], &schemas, "");
    assert!(second.status.success(), "{}", text(&second.stderr));
    let printed = text(&second.stdout);
    assert!(printed.contains("+ zoo.example.com/v1 (2 types)") && printed.contains("- gone/v1"), "{printed}");
    let written = files(&schemas);
    let names: Vec<_> = written.keys().map(|path| path.strip_prefix(&schemas).unwrap().to_owned()).collect();
    let expected = [
        "INDEX.md",
        "archive.toml",
        "history.toml",
        "meta.k8s.io/v1.json",
        "rules/kept.json",
        "zoo.example.com/v1.json",
    ];
    assert_eq!(names, expected.map(PathBuf::from));

    let third = import(&[&fields, &swagger], &schemas, "");
    assert!(text(&third.stdout).starts_with("2 documents:"), "{}", text(&third.stdout));
    assert_eq!(files(&schemas), written);
}

#[test]
fn one_document_from_standard_input() {
    let out = folder("stdin");
    let document =
        std::fs::read_to_string(root().join("codegen/documents/tests/import/v1.21/apis/zoo/v1.json"))
            .unwrap();
    let output = import(&[Path::new("-")], &out, &document);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let zoo = text(&files(&out)[&out.join("zoo.example.com/v1.json")]);
    assert!(
        zoo.contains(
            r#""guards": {"type": "integer", "format": "int64", "x-presence": "pointer", "default": 2}"#
        ),
        "{zoo}"
    );
    let before = files(&out);
    let broken = import(&[Path::new("-")], &out, "{\"openapi\": ");
    assert!(!broken.status.success());
    assert!(text(&broken.stderr).contains("<stdin>:1:13"), "{}", text(&broken.stderr));
    assert_eq!(files(&out), before);
}

/// The committed schemas are what the archive up to 1.35 gives, with each release since added to it by `cargo xtask
/// release` from its published modules, to the byte.
#[test]
fn the_archive_gives_what_is_committed() {
    let archive = root().join("../shared/upstream/kubernetes");
    if !archive.is_dir() {
        // Straight to the terminal: the test harness keeps `println!` to itself.
        let _ = writeln!(std::io::stderr(), "left out: {} is not there", archive.display());
        return;
    }
    let out = folder("archive");
    let output = import(&[&archive], &out, "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    // What a server of the newest release says of itself changes nothing.
    let before = files(&out);
    let lone = import(&[&archive.join("openapi/v1.35")], &out, "");
    assert!(lone.status.success(), "{}", text(&lone.stderr));
    assert_eq!(text(&lone.stdout).lines().count(), 1, "{}", text(&lone.stdout));
    assert!(files(&out) == before, "a document of a known release changed something");

    for (release, modules) in [("1.36.1", "v0.36.1"), ("1.37.1", "v0.37.1")] {
        let names = ["api", "apimachinery", "apiextensions-apiserver", "kube-aggregator"];
        let modules = names.iter().map(|name| format!("k8s.io/{name}@{modules}"));
        let modules = modules.chain([format!("k8s.io/kubernetes@v{release}")]);
        let Some(modules) =
            modules.map(|module| go_module::find_or_leave_out(&module)).collect::<Option<Vec<_>>>()
        else {
            return;
        };
        let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(["release", release, "--from"])
            .args(modules)
            .arg("--out")
            .arg(&out)
            .output()
            .unwrap();
        assert!(output.status.success(), "{release}: {}", text(&output.stderr));
    }
    let committed = root().join("schemas/kubernetes");
    for (path, bytes) in files(&out) {
        let name = path.strip_prefix(&out).unwrap();
        let same = std::fs::read(committed.join(name)).is_ok_and(|committed| committed == bytes);
        assert!(same, "{} differs: see \"Import a release\" in CONTRIBUTING.md", name.display());
    }
}

#[test]
fn programs_read_json() {
    let out = folder("json");
    let zoo = root().join("codegen/documents/tests/import");
    let output = import(&[&zoo, Path::new("--json")], &out.join("schemas"), "");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["ok"], text(&output.stderr).as_str()), (&true.into(), ""));
    let changes: Vec<_> =
        json["changes"].as_array().unwrap().iter().filter_map(|line| line.as_str()).collect();
    assert!(changes.iter().any(|line| line.starts_with("+ zoo.example.com/v1 (")), "{changes:?}");
    for number in ["documents", "group_versions", "kinds", "types", "changed_files"] {
        assert!(json[number].as_u64() > Some(0), "{number}: {json}");
    }
    assert_eq!(json["removed_files"], 0);

    let output = import(&[Path::new("-"), Path::new("--json")], &out, "{\"openapi\": ");
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(1), ""));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["ok"], false);
    let found = &json["diagnostics"][0];
    assert_eq!(
        (&found["file"], &found["line"], &found["column"]),
        (&"<stdin>".into(), &1.into(), &13.into())
    );
}
