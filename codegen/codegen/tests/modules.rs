//! Generates module trees for users' repositories, compares them with the expected files, and compiles them.
//!
//! Each folder of `tests/modules` is a repository: `hubgen.toml`, `schemas/`, and the expected code in `expected/`, or
//! the expected errors in `errors.txt`, or `src/` with the types in Rust. `UPDATE=1 cargo test -p hubgen-codegen
//! --test all modules` replaces what is expected; read the diff before you commit it. Other Rust files are modules of the
//! repository's crate.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hubgen_codegen::{Target, generate};
use hubgen_documents::folder::{Files, Folder};
use hubgen_documents::generated::Generator;
use hubgen_documents::project::{Output, Project};
use hubgen_documents::schema::Carried;

/// Relative to the package's folder, in which tests run, so that paths in errors are short.
const CASES: &str = "tests/modules";

fn cases() -> Vec<PathBuf> {
    let mut cases: Vec<PathBuf> = fs::read_dir(CASES).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(!cases.is_empty());
    cases
}

/// The files of a case below its folder of generated code, or the errors.
fn outcome(case: &Path) -> Result<(Project, Files), String> {
    let project = Project::read(&case.join("hubgen.toml")).map_err(|errors| lines(&errors))?;
    let carried = Carried::new(hubgen_schemas::kubernetes().iter().copied());
    // The version changes with every release.
    let command = "hubgen generate".to_owned();
    let generator = Generator { command, version: Some("0.0.0".to_owned()) };
    let target = Target { generator, ..Target::project(&project) };
    let generated =
        generate(&case.join(&project.schemas), &carried, &target).map_err(|errors| lines(&errors))?;
    Ok((project, generated.files))
}

fn lines(errors: &[hubgen_documents::Diagnostic]) -> String {
    errors.iter().map(|error| format!("{error}\n")).collect()
}

#[test]
fn output_is_as_expected() {
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    let mut wrong = String::new();
    for case in cases() {
        let made = match outcome(&case) {
            Ok((_, files)) => {
                files.into_iter().map(|(path, text)| (Path::new("expected").join(path), text)).collect()
            }
            Err(errors) => Files::from([(PathBuf::from("errors.txt"), errors)]),
        };
        let mut there = Folder::read(&case).unwrap();
        there.files.retain(|path, _| path.starts_with("expected") || path == Path::new("errors.txt"));
        let changes = there.changes(&made);
        wrong.push_str(&changes.diff());
        if update {
            changes.write().unwrap();
        }
    }
    assert!(update || wrong.is_empty(), "{wrong}\nUPDATE=1 replaces the expected files");
}

/// All warnings are errors, those of lints that generated code is not written for included.
#[test]
fn crates_compile() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("modules");
    let mut crates = Files::new();
    let mut members = Vec::new();
    for case in cases().iter().filter(|case| case.join("expected").exists()) {
        let name = case.file_name().unwrap().to_str().unwrap();
        let (project, files) = outcome(case).unwrap();
        let Output::Modules(path) = &project.output else { panic!("{name} is not a module tree") };
        crates.extend(
            files.into_iter().map(|(path, text)| (Path::new(name).join(&project.out).join(path), text)),
        );
        crates.insert(Path::new(name).join("Cargo.toml"), manifest(name));
        // Formatted with the settings of this repository, if people have written it.
        let skip = if project.source.is_some() { "#[rustfmt::skip]\n" } else { "" };
        let mut modules = vec![format!("{skip}mod {};\n", path[0])];
        for (path, text) in own_modules(case) {
            modules.push(format!("#[rustfmt::skip]\nmod {};\n", path.file_stem().unwrap().to_str().unwrap()));
            crates.insert(Path::new(name).join("src").join(path), text);
        }
        crates.extend(sources(case).into_iter().map(|(path, text)| (Path::new(name).join(path), text)));
        // A program that uses nothing of it, with the lints of careful people.
        let program = format!(
            "#![warn(missing_docs, unreachable_pub, clippy::pedantic)]\n//! A program.\n{}fn main() {{}}\n",
            modules.concat()
        );
        crates.insert(Path::new(name).join("src/main.rs"), program);
        members.push(format!("{name:?}"));
    }
    crates.insert(PathBuf::from("renamed/Cargo.toml"), renamed_manifest());
    let program = fs::read_to_string("tests/programs/renamed.rs").unwrap();
    crates.insert(PathBuf::from("renamed/src/main.rs"), program);
    members.push("\"renamed\"".to_owned());
    let workspace = format!("[workspace]\nresolver = \"3\"\nmembers = [{}]\n", members.join(", "));
    crates.insert(PathBuf::from("Cargo.toml"), workspace);
    // Not the settings of this repository.
    crates.insert(PathBuf::from("rustfmt.toml"), String::new());
    // The versions of dependencies in this repository, which are already downloaded.
    crates.insert(PathBuf::from("Cargo.lock"), fs::read_to_string("../../Cargo.lock").unwrap());
    Folder::read(&root.join("crates")).unwrap().changes(&crates).write().unwrap();
    for command in [&["check", "--workspace", "--offline", "--quiet"][..], &["fmt", "--all", "--check"]] {
        let (is_success, printed) = cargo(&root, command);
        assert!(is_success, "{command:?}: {printed}");
    }
    wrong_functions_are_errors_at_their_calls(&root);
    stale_code_does_not_compile(&root);
}

/// The rules of the page for people who come from Go are those of a case, which compiles.
#[test]
fn the_page_about_go_has_rules_that_compile() {
    let page = fs::read_to_string("../../docs/from-go.md").unwrap();
    let rules = fs::read_to_string("tests/modules/from_go/schemas/rules/jobs.example.com.Job.toml").unwrap();
    let blocks = page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines = |text: &str| -> Vec<String> {
        let is_rule = |line: &&str| !line.is_empty() && !line.starts_with(['#', '[']);
        text.lines().filter(is_rule).map(str::to_owned).collect()
    };
    let (mut shown, mut tested) = (blocks.flat_map(lines).collect::<Vec<_>>(), lines(&rules));
    shown.sort();
    shown.dedup();
    tested.sort();
    // Several lists end with the same line.
    tested.dedup();
    assert_eq!(shown, tested);
}

/// Types in users' source that have changed since the code was generated.
fn stale_code_does_not_compile(root: &Path) {
    let file = root.join("crates/written/src/api/v1/mod.rs");
    let text = fs::read_to_string(&file).unwrap();
    for (before, after, name) in [
        ("#[field(default = \"90\")]", "#[field(default = \"30\")]", "CertSpec"),
        ("pub policy: Option<Str>,", "pub policy: Option<Str>, pub days: i32,", "Rotation"),
        ("    Encrypt,", "    Encrypt, Verify,", "Usage"),
    ] {
        assert!(text.contains(before), "{before}");
        fs::write(&file, text.replacen(before, after, 1)).unwrap();
        let (is_success, printed) = cargo(root, &["check", "--package=written", "--offline", "--quiet"]);
        let expected = format!("`{name}` has changed: run `hubgen generate`");
        assert!(!is_success && printed.contains(&expected), "{printed}");
    }
    // What the derive does not read does not matter.
    fs::write(&file, text.replacen("/// What a certificate should be.", "/// Changed.", 1)).unwrap();
    let (is_success, printed) = cargo(root, &["check", "--package=written", "--offline", "--quiet"]);
    assert!(is_success, "{printed}");
}

/// Functions with other types than the rule states.
fn wrong_functions_are_errors_at_their_calls(root: &Path) {
    let days = root.join("crates/functions/src/days.rs");
    let text = fs::read_to_string(&days).unwrap();
    let wrong = text
        .replace("to_hub(days: i32) -> Str", "to_hub(days: i64) -> String")
        .replace("from_hub(duration: Str) -> i32", "from_hub(duration: Str) -> i64")
        .replace("parse::<i32>", "parse::<i64>");
    assert_ne!(wrong, text);
    fs::write(&days, wrong).unwrap();
    let (is_success, printed) =
        cargo(root, &["check", "--package=functions", "--offline", "--quiet", "--message-format=short"]);
    assert!(!is_success, "{printed}");
    let errors: Vec<&str> = printed.lines().filter(|line| line.contains(": error")).collect();
    let is_at_call = |line: &&str| {
        ["convert.rs:", "edits.rs:"]
            .iter()
            .any(|file| line.starts_with(&format!("functions/src/api/jobs/v1alpha1/{file}")))
    };
    assert!(errors.iter().all(is_at_call), "{printed}");
    for expected in [
        "expected `i64`, found `i32`",
        "expected `Str`, found `String`",
        "a function of a rule cannot return `std::string::String`",
        "expected `i32`, found `i64`",
    ] {
        assert!(errors.iter().any(|line| line.contains(expected)), "{printed}");
    }
}

/// Runs cargo in the folder of crates. Returns whether it succeeded, and what it printed.
fn cargo(root: &Path, arguments: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(root.join("crates"))
        .env("CARGO_TARGET_DIR", root.join("target"))
        .env("RUSTFLAGS", "-Dwarnings")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.success(), printed.into_owned())
}

/// The modules of a case that are not generated, whose functions rules name.
fn own_modules(case: &Path) -> Files {
    let mut files = Folder::read(case).unwrap().files;
    files.retain(|path, _| {
        path.parent() == Some(Path::new("")) && path.extension().is_some_and(|end| end == "rs")
    });
    files
}

/// The source from which a case is read, in `src`.
fn sources(case: &Path) -> Files {
    let mut files = Folder::read(case).unwrap().files;
    files.retain(|path, _| path.starts_with("src"));
    files
}

/// A package that has hubgen-machinery only under another name.
fn renamed_manifest() -> String {
    let path = fs::canonicalize("../../machinery/machinery").unwrap();
    format!(
        "[package]\nname = \"renamed\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         engine = {{ package = \"hubgen-machinery\", path = {path:?} }}\n"
    )
}

fn manifest(name: &str) -> String {
    let here = fs::canonicalize("../..").unwrap();
    let path = |folder: &str| here.join(folder);
    let group = |name: &str| {
        let path = path(&format!("generated/{name}"));
        format!("hubgen-{name} = {{ path = {path:?}, default-features = false, features = [\"v1\"] }}\n")
    };
    format!(
        "[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         hubgen-kubernetes-functions = {{ path = {:?} }}\nhubgen-machinery = {{ path = {:?} }}\n{}{}",
        path("machinery/kubernetes-functions"),
        path("machinery/machinery"),
        group("core"),
        group("meta"),
    )
}
