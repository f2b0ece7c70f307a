//! Compares generated Rust with the expected files, and then compiles it.
//!
//! Each folder of `tests/generate` is a case: `schemas/`, and either the expected crates in
//! `expected/` or the expected errors in `errors.txt`. `UPDATE=1 cargo test -p hubgen-codegen
//! --test all generate` replaces the expected files; read the diff before you commit it.
//!
//! `functions.rs` contains functions that the rules of a case name. It is the crate
//! `fixture_functions` when the code is compiled.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hubgen_codegen::{Generated, Target, definitions, generate};
use hubgen_documents::Diagnostic;
use hubgen_documents::schema::Carried;

type Files = BTreeMap<PathBuf, String>;

/// Relative to the package's folder, in which tests run, so that paths in errors are short.
const CASES: &str = "tests/generate";

/// Functions of a user's own code, in the folder of a case.
const FUNCTIONS: &str = "functions.rs";

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

fn kubernetes(schemas: &Path) -> Result<Generated, Vec<Diagnostic>> {
    generate(schemas, &Carried::default(), &Target::kubernetes())
}

fn generated(schemas: &Path) -> Files {
    kubernetes(schemas).unwrap_or_else(|errors| panic!("{}: {errors:#?}", schemas.display())).files
}

/// Does not touch files whose content is as wanted, so that cargo does not compile them again.
fn write(root: &Path, wanted: &Files) {
    let there = files(root);
    for path in there.keys().filter(|path| !wanted.contains_key(*path)) {
        fs::remove_file(root.join(path)).unwrap();
        // An empty folder would still be a member of the workspace. Removing stops at the first
        // folder that is not empty.
        for folder in path.ancestors().skip(1).take_while(|folder| *folder != Path::new("")) {
            if fs::remove_dir(root.join(folder)).is_err() {
                break;
            }
        }
    }
    for (path, text) in wanted.iter().filter(|(path, text)| there.get(*path) != Some(text)) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// The output of a case: crates or errors.
fn outcome(case: &Path) -> Files {
    match kubernetes(&case.join("schemas")) {
        Ok(made) => {
            made.files.into_iter().map(|(path, text)| (Path::new("expected").join(path), text)).collect()
        }
        Err(errors) => {
            let errors: String = errors.iter().map(|error| format!("{error}\n")).collect();
            Files::from([(PathBuf::from("errors.txt"), errors)])
        }
    }
}

fn is_outcome(path: &Path) -> bool {
    !path.starts_with("schemas") && path != Path::new(FUNCTIONS)
}

#[test]
fn output_is_as_expected() {
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    let mut wrong = Vec::new();
    for case in cases() {
        let made = outcome(&case);
        if update {
            let mut all = files(&case);
            all.retain(|path, _| !is_outcome(path));
            all.extend(made.clone());
            write(&case, &all);
        }
        let there = files(&case);
        for path in there.keys().filter(|path| is_outcome(path) && !made.contains_key(*path)) {
            wrong.push(format!("{}: is no longer generated\n", case.join(path).display()));
        }
        for (path, text) in &made {
            let old = there.get(path).map(String::as_str).unwrap_or_default();
            if old != text {
                let path = case.join(path).display().to_string();
                let diff = similar::TextDiff::from_lines(old, text);
                wrong.push(diff.unified_diff().header(&path, "generated").to_string());
            }
        }
    }
    assert!(wrong.is_empty(), "{}\nUPDATE=1 replaces the expected files", wrong.concat());
}

/// Names of groups, versions, types and fields that are not valid in Rust, or clash there, are valid in definitions.
#[test]
fn definitions_have_no_names_in_rust() {
    for (case, message) in [("bad-names", None), ("bad-crates", Some("contains itself"))] {
        let schemas = Path::new(CASES).join(case).join("schemas");
        let read = definitions(&schemas, &Carried::default(), &Target::kubernetes());
        let errors = read.err().unwrap_or_default();
        assert_eq!(errors.is_empty(), message.is_none(), "{errors:#?}");
        assert!(
            errors.iter().all(|error| error.message.contains(message.unwrap_or_default())),
            "{errors:#?}"
        );
    }
}

/// All cases are generated together, which must not change any of them, and compiled in one go.
#[test]
fn crates_compile() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generate");
    let (mut schemas, mut expected) = (Files::new(), Files::new());
    for case in cases().iter().filter(|case| case.join("expected").exists()) {
        for (path, text) in files(&case.join("schemas")) {
            // Each case has tables of its own groups.
            if path == Path::new("boxes.toml") {
                schemas.entry(path).or_default().push_str(&text);
                continue;
            }
            let name = path.display().to_string();
            assert_eq!(schemas.insert(path, text), None, "{name} is in two cases");
        }
        let alone = generated(&case.join("schemas"));
        // The crate of all groups differs, because it depends on all of them.
        let is_of_one = |path: &Path| path.components().count() > 1 && !path.starts_with("kubernetes");
        expected.extend(alone.into_iter().filter(|(path, _)| is_of_one(path)));
    }
    write(&root.join("schemas"), &schemas);
    let mut crates = generated(&root.join("schemas"));
    for (path, text) in &expected {
        assert_eq!(crates.get(path), Some(text), "{} depends on other groups", path.display());
    }
    crates.insert(PathBuf::from("Cargo.toml"), workspace());
    let mut of_users = cases().into_iter().map(|case| case.join(FUNCTIONS)).filter(|path| path.exists());
    let (functions, None) = (of_users.next().unwrap(), of_users.next()) else {
        panic!("only one case has functions")
    };
    crates.insert(PathBuf::from("fixture_functions/src/lib.rs"), fs::read_to_string(functions).unwrap());
    let manifest = "[package]\nname = \"fixture_functions\"\nedition.workspace = true\n\n\
                    [dependencies]\nhubgen-machinery.workspace = true\n";
    crates.insert(PathBuf::from("fixture_functions/Cargo.toml"), manifest.to_owned());
    write(&root.join("crates"), &crates);
    // The versions of dependencies in this repository, which are already downloaded.
    fs::copy("../../Cargo.lock", root.join("crates/Cargo.lock")).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["check", "--workspace", "--all-features", "--offline", "--quiet", "--message-format=short"])
        .current_dir(root.join("crates"))
        // With the folder and the flags of the other tests that compile, which then need not compile dependencies.
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("modules/target"))
        .env("RUSTFLAGS", "-Dwarnings")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn workspace() -> String {
    let path = |name: &str| fs::canonicalize(Path::new("../../machinery").join(name)).unwrap();
    let (machinery, functions) = (path("machinery"), path("kubernetes-functions"));
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\nexclude = [\"target\"]\n\n\
         [workspace.package]\nversion = \"{version}\"\nedition = \"2024\"\nrust-version = \"1.95\"\n\
         license = \"Apache-2.0\"\ninclude = [\"/src\"]\n\n\
         [workspace.dependencies]\nhubgen-machinery = {{ path = {machinery:?} }}\n\
         hubgen-kubernetes-functions = {{ path = {functions:?} }}\n\
         fixture_functions = {{ path = \"fixture_functions\" }}\n"
    )
}
