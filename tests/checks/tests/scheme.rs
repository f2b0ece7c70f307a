//! Compares with Kubernetes' own Scheme, through a program in `tests/differential/`. It needs Go and the
//! modules of Kubernetes.
#![cfg(unix)]

#[path = "../../whole/support/go.rs"]
mod go;

use std::io::Write as _;
use std::process::{Command, Stdio};

/// The output of a program for an input.
fn through(mut command: Command, input: &[u8]) -> Vec<u8> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input).expect("it reads"));
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        output.stdout
    })
}

fn check(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hubgen-checks"));
    command.arg("differential").args(args);
    command
}

/// Kubernetes' printers show new objects of every kind as we do.
#[test]
fn the_printers_show_what_we_show() {
    let directory = tempfile::tempdir().expect("a folder");
    let Some(tables) = go::built("tables", directory.path()) else { return };
    let seed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a time").as_secs();
    let generate = ["generate", "tables", "--count", "3", "--seed", &seed.to_string()];
    let requests = through(check(&generate), b"");
    let answers = through(Command::new(&tables), &requests);
    let text = through(check(&["tables", "--against", "-"]), &answers);
    let text = String::from_utf8_lossy(&text);
    assert!(text.contains(" 0 different"), "cargo xtask check differential {}: {text}", generate.join(" "));
}

/// Tests newly generated objects of every kind, which are in no recording.
#[test]
fn the_scheme_answers_as_we_do() {
    let directory = tempfile::tempdir().expect("a folder");
    let Some(scheme) = go::built("scheme", directory.path()) else { return };
    let seed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a time").as_secs();
    for part in ["convert", "defaults", "protobuf"] {
        let generate = ["generate", part, "--count", "2", "--seed", &seed.to_string()];
        let requests = through(check(&generate), b"");
        let answers = through(Command::new(&scheme), &requests);
        let mut compare = check(&[part, "--against", "-"]);
        let mut child = compare.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
        child.stdin.take().expect("a pipe").write_all(&answers).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "cargo xtask check differential {}: {text}", generate.join(" "));
    }
}
