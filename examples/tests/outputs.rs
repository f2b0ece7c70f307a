//! Runs every example and compares what it prints with `expected/NAME.txt`.
//!
//! `UPDATE=1 cargo test --package hubgen-examples` writes these files anew.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use similar::TextDiff;

#[path = "../server_in_a_test.rs"]
#[allow(dead_code, reason = "its `main` is for the example")]
mod server_in_a_test;

/// The folder of this crate.
fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The names of the files of a folder that end in `suffix`, without it.
fn names(folder: &Path, suffix: &str) -> BTreeSet<String> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    files.filter_map(|file| file.strip_suffix(suffix).map(str::to_owned)).collect()
}

/// The program of an example. Cargo builds it before it runs the tests of the crate, but not when
/// it runs one test target alone.
fn program(name: &str) -> PathBuf {
    let test = env::current_exe().unwrap();
    let program = test
        .ancestors()
        .nth(2)
        .unwrap()
        .join("examples")
        .join(name)
        .with_extension(env::consts::EXE_EXTENSION);
    let modified = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let source = folder().join(name).with_extension("rs");
    assert!(
        modified(&program) >= modified(&source),
        "{} is missing or older than {}: run `cargo test --package hubgen-examples`, which builds it",
        program.display(),
        source.display(),
    );
    program
}

#[test]
fn every_example_prints_what_is_recorded() {
    let update = env::var_os("UPDATE").is_some();
    let expected = folder().join("expected");
    let examples = names(folder(), ".rs");
    assert!(examples.len() >= 6, "{examples:?}");
    for name in &examples {
        let output = Command::new(program(name)).output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let printed = String::from_utf8(output.stdout).unwrap();
        let file = expected.join(name).with_extension("txt");
        if update {
            fs::write(&file, &printed).unwrap();
        }
        let recorded = fs::read_to_string(&file).unwrap_or_default();
        let diff = TextDiff::from_lines(&recorded, &printed);
        assert!(recorded == printed, "{}\n{}", file.display(), diff.unified_diff());
    }
    assert_eq!(names(&expected, ".txt"), examples);
}
