//! `cargo xtask generate` as people run it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// A small tree of schemas, in a folder of this test's own.
struct Work(PathBuf);

impl Work {
    fn new(name: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("xtask-generate").join(name);
        if root.exists() {
            fs::remove_dir_all(&root).unwrap();
        }
        let cases = repository().join("codegen/codegen/tests/generate");
        for case in ["kinds", "references"] {
            for (path, (bytes, _)) in files(&cases.join(case).join("schemas")) {
                let to = root.join("schemas/kubernetes").join(path);
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                fs::write(to, bytes).unwrap();
            }
        }
        Self(root)
    }

    fn generate(&self, args: &[&str]) -> Output {
        run(&self.0, args)
    }

    fn files(&self) -> Files {
        files(&self.0)
    }

    fn edit(&self, path: &str, from: &str, to: &str) {
        let path = self.0.join(path);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{}", path.display());
        fs::write(path, text.replace(from, to)).unwrap();
    }
}

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg("generate").args(args).current_dir(folder).output().unwrap()
}

/// Every file, with its content and when it was written.
type Files = BTreeMap<PathBuf, (Vec<u8>, SystemTime)>;

fn files(root: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let modified = fs::metadata(&path).unwrap().modified().unwrap();
                let name = path.strip_prefix(root).unwrap().to_owned();
                files.insert(name, (fs::read(&path).unwrap(), modified));
            }
        }
    }
    files
}

#[track_caller]
fn succeeded(output: &Output) -> String {
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

#[track_caller]
fn failed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stderr)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn what_is_committed_is_fresh() {
    let output = run(&repository(), &["--check"]);
    assert!(succeeded(&output).contains("(0 differ)"), "{}", text(&output.stdout));
}

/// Outside of this repository, the generator reads Kubernetes' schemas from the crate.
#[test]
fn the_packed_schemas_are_all_that_it_reads() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("xtask-generate/packed");
    if root.exists() {
        fs::remove_dir_all(&root).unwrap();
    }
    for (path, text) in hubgen_schemas::kubernetes() {
        let to = root.join("schemas/kubernetes").join(path);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, text).unwrap();
    }
    let generated = repository().join("generated").display().to_string();
    let output = run(&root, &["--check", "--out", &generated]);
    assert!(succeeded(&output).contains("(0 differ)"), "{}", text(&output.stdout));
}

#[test]
fn twice_the_same() {
    let work = Work::new("twice");
    assert!(!succeeded(&work.generate(&[])).contains("(0 written)"));
    let before = work.files();
    assert!(before.contains_key(Path::new("generated/kinds/src/v1/gate.rs")));
    assert!(succeeded(&work.generate(&[])).contains("(0 written)"));
    assert!(succeeded(&work.generate(&["--check"])).contains("(0 differ)"));
    assert!(work.files() == before, "a file was written that is the same");
}

#[test]
fn an_edit_in_generated_code_is_told_and_taken_back() {
    let work = Work::new("edited");
    succeeded(&work.generate(&[]));
    let fresh = work.files();
    work.edit("generated/kinds/src/v1/gate.rs", "pub width: i32", "pub width: i64");
    let edited = work.files();
    let output = work.generate(&["--check"]);
    assert!(
        failed(&output).contains("1 generated file(s) are not what the schemas give"),
        "{}",
        text(&output.stderr)
    );
    let diff = text(&output.stdout);
    for line in ["--- generated/kinds/src/v1/gate.rs", "-    pub width: i64,", "+    pub width: i32,"] {
        assert!(diff.contains(line), "{line} is missing in {diff}");
    }
    assert!(work.files() == edited, "--check wrote something");
    assert!(succeeded(&work.generate(&[])).contains("(1 written)"));
    let content =
        |files: Files| files.into_iter().map(|(path, (bytes, _))| (path, bytes)).collect::<Vec<_>>();
    assert_eq!(content(work.files()), content(fresh));
}

#[test]
fn an_edit_in_the_schemas_is_told() {
    let work = Work::new("schema");
    succeeded(&work.generate(&[]));
    work.edit("schemas/kubernetes/kinds.example.com/v1.json", "\"color\"", "\"colour\"");
    let output = work.generate(&["--check"]);
    failed(&output);
    let diff = text(&output.stdout);
    for line in ["-    pub color: Str,", "+    pub colour: Str,"] {
        assert!(diff.contains(line), "{line} is missing in {diff}");
    }
}

#[test]
fn what_is_generated_no_more_goes() {
    let work = Work::new("stale");
    succeeded(&work.generate(&[]));
    fs::remove_dir_all(work.0.join("schemas/kubernetes/orders.example.com")).unwrap();
    // What an interrupted run leaves.
    fs::write(work.0.join("generated/kinds/src/lib.part"), "").unwrap();
    let output = work.generate(&["--check"]);
    failed(&output);
    let diff = text(&output.stdout);
    let gone = "--- generated/orders/src/v1/order.rs\n+++ /dev/null\n";
    assert!(diff.contains(gone), "{diff}");
    succeeded(&work.generate(&[]));
    assert!(!work.0.join("generated/orders").exists(), "an empty folder is left");
    assert!(!work.0.join("generated/kinds/src/lib.part").exists());
    succeeded(&work.generate(&["--check"]));
}

#[test]
fn files_of_others_are_left_alone() {
    let work = Work::new("foreign");
    succeeded(&work.generate(&[]));
    fs::write(work.0.join("generated/kinds/src/notes.md"), "by hand\n").unwrap();
    work.edit("generated/kinds/src/v1/gate.rs", "i32", "i64");
    let before = work.files();
    for args in [&[][..], &["--check"], &["--out", "."]] {
        let output = work.generate(args);
        let printed = failed(&output);
        assert!(printed.contains("kinds/src/notes.md") && printed.contains("move it elsewhere"), "{printed}");
        assert!(work.files() == before);
    }
}

#[test]
fn the_summary_as_json() {
    let work = Work::new("json");
    let first: serde_json::Value = serde_json::from_str(&succeeded(&work.generate(&["--json"]))).unwrap();
    assert_eq!(first["files"], first["changed"]);
    let printed = succeeded(&work.generate(&[]));
    let json: serde_json::Value = serde_json::from_str(&succeeded(&work.generate(&["--json"]))).unwrap();
    assert_eq!(json["changed"], 0);
    let mut counted = 0;
    for line in printed.lines().filter(|line| !line.starts_with("time ")) {
        let (label, rest) = line.split_at(20);
        let number: u64 = rest.split_whitespace().next().unwrap().parse().unwrap();
        assert_eq!(json[label.trim().replace(' ', "_")], number, "{line}");
        counted += 1;
    }
    // Beyond the numbers in the text: success, why versions do not convert, how many changed, and the times.
    assert_eq!(json.as_object().unwrap().len(), counted + 4, "{json}");
    assert_eq!(json["ok"], true);
    assert_eq!(json["groups"], 3);
    assert_eq!(json["group_versions"], 6);
    assert_eq!(json["kinds"], 5);
    let stages: Vec<_> = json["seconds"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(stages, ["read", "model", "emit", "write"]);

    work.edit("generated/kinds/src/v1/gate.rs", "i32", "i64");
    let output = work.generate(&["--check", "--json"]);
    assert!(failed(&output).contains("-    pub width: i64,"));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["changed"], &json["ok"]), (&1.into(), &false.into()));
}

#[test]
fn bad_schemas_write_nothing() {
    let work = Work::new("bad");
    succeeded(&work.generate(&[]));
    work.edit("generated/kinds/src/v1/gate.rs", "i32", "i64");
    work.edit("schemas/kubernetes/kinds.example.com/v1.json", "\"int32\"", "\"int31\"");
    work.edit("schemas/kubernetes/orders.example.com/v1alpha1.json", "/Label\"", "/Labels\"");
    work.edit("schemas/kubernetes/goods.example.com/v1.json", "\"paths\": {},", "\"paths\": {},,");
    // Beyond what the coarsest clock of a file system tells apart.
    std::thread::sleep(Duration::from_millis(20));
    let before = work.files();
    for args in [&[][..], &["--check"]] {
        let output = work.generate(args);
        let message = failed(&output);
        for part in [
            "goods.example.com/v1.json:4:",
            "kinds.example.com/v1.json:",
            "\"int31\"",
            "write one of these",
            "2 errors; nothing was written",
            // The picture of the place.
            " 4 |   \"paths\": {},,",
        ] {
            assert!(message.contains(part), "{part} is missing in {message}");
        }
        assert_eq!(text(&output.stdout), "");
        assert!(work.files() == before, "something was written");
    }

    let output = work.generate(&["--json"]);
    assert_eq!(failed(&output), "");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["ok"], false);
    let diagnostics = json["diagnostics"].as_array().unwrap();
    assert_eq!(diagnostics.len(), 2);
    for diagnostic in diagnostics {
        assert_eq!(diagnostic["severity"], "error");
        assert!(diagnostic["file"].as_str().unwrap().ends_with("/v1.json"), "{diagnostic}");
        assert!(diagnostic["line"].as_u64() > Some(1) && diagnostic["column"].is_u64(), "{diagnostic}");
        assert!(diagnostic["message"].is_string() && diagnostic["help"].is_string(), "{diagnostic}");
    }
    assert!(work.files() == before, "something was written");
}

#[test]
fn folders_that_cannot_be() {
    let work = Work::new("folders");
    let printed = failed(&work.generate(&["--schemas", "nowhere"]));
    assert!(printed.contains("nowhere: cannot be read"), "{printed}");
    fs::write(work.0.join("file"), "not a folder").unwrap();
    let before = work.files();
    for out in ["file", "file/below"] {
        let printed = failed(&work.generate(&["--out", out]));
        assert!(
            printed.contains(&format!("{out}: cannot be read")) && printed.contains("choose another folder"),
            "{printed}"
        );
        assert!(work.files() == before);
    }
}

/// A folder where a file has to go is in nobody's power to replace.
#[test]
fn what_cannot_be_written_is_named() {
    let work = Work::new("unwritable");
    fs::create_dir_all(work.0.join("generated/kinds/src/v1/gate.rs")).unwrap();
    let printed = failed(&work.generate(&[]));
    assert!(printed.contains("generated/kinds/src/v1/gate.rs: cannot be written"), "{printed}");
    fs::remove_dir(work.0.join("generated/kinds/src/v1/gate.rs")).unwrap();
    succeeded(&work.generate(&[]));
    succeeded(&work.generate(&["--check"]));
}
