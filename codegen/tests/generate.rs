//! Schemas with the expected Rust beside them, compared file by file and then
//! compiled.
//!
//! Each folder of `tests/generate` is a case: `schemas/` and the crates that
//! are to come out of them in `expected/`. `UPDATE=1 cargo test -p
//! hubgen-codegen --test generate` writes what comes out over what was
//! expected; read the difference before you commit it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hubgen_codegen::generate;

type Files = BTreeMap<PathBuf, String>;

/// Tests run in the package's folder, and errors are to name short paths.
const CASES: &str = "tests/generate";

fn cases() -> Vec<PathBuf> {
    let mut cases: Vec<PathBuf> = fs::read_dir(CASES).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(!cases.is_empty());
    cases
}

fn files(root: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(root).unwrap().to_owned(), fs::read_to_string(&path).unwrap());
            }
        }
    }
    files
}

fn generated(schemas: &Path) -> Files {
    generate(schemas).unwrap_or_else(|errors| panic!("{}: {errors:#?}", schemas.display())).files
}

/// Files that are as wanted keep their times, so that nothing is compiled
/// anew for them.
fn write(root: &Path, wanted: &Files) {
    let there = files(root);
    for path in there.keys().filter(|path| !wanted.contains_key(*path)) {
        fs::remove_file(root.join(path)).unwrap();
    }
    for (path, text) in wanted.iter().filter(|(path, text)| there.get(*path) != Some(text)) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

#[test]
fn crates_are_as_expected() {
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    let mut wrong = Vec::new();
    for case in cases() {
        let expected = case.join("expected");
        let made = generated(&case.join("schemas"));
        if update {
            write(&expected, &made);
        }
        let there = files(&expected);
        for path in there.keys().filter(|path| !made.contains_key(*path)) {
            wrong.push(format!("{}: no longer generated", expected.join(path).display()));
        }
        for (path, text) in &made {
            let old = there.get(path).map(String::as_str).unwrap_or_default();
            if old != text {
                let path = expected.join(path).display().to_string();
                let diff = similar::TextDiff::from_lines(old, text);
                wrong.push(diff.unified_diff().header(&path, "generated").to_string());
            }
        }
    }
    assert!(wrong.is_empty(), "{}\nUPDATE=1 takes this over", wrong.join("\n"));
}

/// All cases are generated together, which changes nothing about any of them,
/// and compiled by one call.
#[test]
fn crates_compile() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generate");
    let (mut schemas, mut expected) = (Files::new(), Files::new());
    for case in cases() {
        for (path, text) in files(&case.join("schemas")) {
            let name = path.display().to_string();
            assert_eq!(schemas.insert(path, text), None, "{name} is in two cases");
        }
        let alone = generated(&case.join("schemas"));
        expected.extend(alone.into_iter().filter(|(path, _)| !path.starts_with("kubernetes")));
    }
    write(&root.join("schemas"), &schemas);
    let mut crates = generated(&root.join("schemas"));
    for (path, text) in &expected {
        assert_eq!(crates.get(path), Some(text), "{} depends on other groups", path.display());
    }
    crates.insert(PathBuf::from("Cargo.toml"), workspace());
    write(&root.join("crates"), &crates);
    // The versions that this repository is built with, which are there.
    fs::copy("../Cargo.lock", root.join("crates/Cargo.lock")).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["check", "--workspace", "--all-features", "--offline", "--quiet"])
        .current_dir(root.join("crates"))
        .env("CARGO_TARGET_DIR", root.join("target"))
        .env("RUSTFLAGS", "--deny warnings")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn workspace() -> String {
    let machinery = fs::canonicalize("../machinery").unwrap();
    format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\nexclude = [\"target\"]\n\n\
         [workspace.package]\nversion = \"0.0.0\"\nedition = \"2024\"\nrust-version = \"1.95\"\n\
         license = \"Apache-2.0\"\n\n\
         [workspace.dependencies]\nhubgen-machinery = {{ path = {machinery:?} }}\n"
    )
}
