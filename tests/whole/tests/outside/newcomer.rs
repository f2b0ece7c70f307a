//! What somebody does first: builds `hubgen` from this checkout, runs `hubgen init`, and tests the new crate; or does what
//! `docs/own-apis.md` shows. Nothing is published, and nothing is patched.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use crate::crates::Outside;
use crate::markdown::{self, TUTORIAL};
use crate::pages;
use crate::process;
use crate::terminal::{self, Shown};

#[test]
fn a_new_crate_builds_with_the_checkout() {
    let demo = Outside::unpacked("newcomer");
    let output = process::hubgen().args(["init", "."]).current_dir(&demo.folder).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{err}");
    let root = pages::root().canonicalize().unwrap();
    let note = format!(
        "hubgen's crates are from the checkout {}, where this hubgen is from; --crates-from chooses another source\n",
        root.display()
    );
    assert!(out.contains(&note), "{out}");
    // Nobody else has the checkout: not a colleague, nor a runner of CI.
    assert!(out.contains("next: before others build the crate, name a source that they have: "), "{out}");
    let workflow = pages::read(&demo.folder.join(".github/workflows/ci.yml"));
    assert!(workflow.contains("# This folder is on your machine. A runner needs a source"), "{workflow}");
    demo.lock();
    let printed = demo.cargo(&["test", "--", "--format=pretty"]);
    for test in ["conversions_lose_nothing", "older_objects_are_read"] {
        assert!(printed.contains(&format!("test {test} ... ok")), "{printed}");
    }
}

/// The crate of the tutorial builds and passes its tests wherever the page runs them, with its commands and files.
/// `documentation.rs` compares what the commands print.
#[test]
fn the_tutorial_builds_with_the_checkout() {
    let certs = Outside::unpacked("certs");
    let package = "[package]\nname = \"certs\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n";
    certs.write("Cargo.toml", package);
    certs.write("src/lib.rs", "");
    std::fs::create_dir(certs.folder.join("definitions")).unwrap();
    certs.lock();
    let mut passed = Vec::new();
    for block in markdown::all().into_iter().filter(|block| block.file == TUTORIAL) {
        if block.language == "rust" {
            certs.write(block.crate_file().expect("the first line names the file"), &block.text);
        } else if block.language == "console" {
            for shown in terminal::commands(&block) {
                passed.extend(follow(&certs, &shown));
            }
        }
    }
    assert_eq!(passed, ["conversions_lose_nothing", "an_old_cert_is_read_and_comes_back"]);
}

/// Does what a command of the tutorial does. Returns the tests that the page shows to pass, after they passed.
fn follow(certs: &Outside<'_>, shown: &Shown) -> Vec<String> {
    let command = &*shown.command;
    if command == "cargo test" {
        let printed = certs.cargo(&["test", "--", "--format=pretty"]);
        let passed = |line: &str| {
            let name = line.strip_prefix("test ")?.strip_suffix(" ... ok")?;
            assert!(printed.contains(line), "{line}: {printed}");
            Some(name.to_owned())
        };
        return shown.output.lines().filter_map(passed).collect();
    }
    // The crate is there already.
    if !command.starts_with("cd ") && !command.starts_with("cargo new ") {
        let checkout = pages::root().canonicalize().unwrap();
        let command = command.replace("../hubgen/", &format!("{}/", checkout.display()));
        let script =
            format!("hubgen() {{ '{}' \"$@\"; }}\n{command}", env!("CARGO_BIN_EXE_hubgen-under-test"));
        // One of them fails, as the page shows.
        Command::new("bash").args(["-c", &script]).current_dir(&certs.folder).output().expect("bash runs");
    }
    Vec::new()
}

/// `cargo fmt --check` finds nothing to do in a new crate, whatever its names are.
#[test]
fn new_code_is_formatted() {
    let short = ["a", "--group", "b.c", "--kind", "D"];
    let long = [
        "a-long-name-for-a-crate-that-nobody-would-choose-for-one-of-theirs",
        "--group",
        "backup.a-long-name-of-a-company-that-nobody-would-choose.example.com",
        "--kind",
        "ALongNameForAKindThatNobodyWouldChooseForOneOfTheirsOrOfOthers",
    ];
    // Before and after `hubgen` in the alphabet, and attributes around the 70 letters that fit into a line.
    let lengths = (14..19).map(|length| "n".repeat(length));
    let plain: Vec<String> = ["demo", "printers"].map(str::to_owned).into_iter().chain(lengths).collect();
    let plain: Vec<[&str; 1]> = plain.iter().map(|name| [name.as_str()]).collect();
    for arguments in plain.iter().map(|name| &name[..]).chain([&short[..], &long[..]]) {
        let folder = tempfile::tempdir().unwrap();
        let init = process::hubgen().arg("init").args(arguments).current_dir(&folder).output().unwrap();
        assert!(init.status.success(), "{}", String::from_utf8_lossy(&init.stderr));
        let files = ["src/lib.rs", "tests/laws.rs", "tests/versions.rs"];
        let files = files.map(|file| Path::new(arguments[0]).join(file));
        let check = ["--check", "--edition", "2024"];
        let checked = Command::new("rustfmt").args(check).args(files).current_dir(&folder).output();
        let Ok(checked) = checked else { return eprintln!("left out: rustfmt is not installed") };
        assert!(checked.status.success(), "{arguments:?}\n{}", String::from_utf8_lossy(&checked.stdout));
    }
}
