//! Kubernetes' own code, asked by the programs in `conformance/`: its Scheme, and its client
//! against our server. They need Go and the modules of Kubernetes.
#![cfg(unix)]

#[path = "../support/client.rs"]
mod client;
#[path = "../support/process.rs"]
mod process;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use process::{Process, hubgen};

/// Builds a program of `conformance/`; `None` where there is no Go, or where its modules cannot be
/// had.
fn built(name: &str, into: &Path) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance").join(name);
    let left_out = |why: &str| {
        // Not `println!`: the test harness would keep it to itself.
        let _ = writeln!(std::io::stderr(), "left out: conformance/{name}: {why}");
    };
    let go = |args: &[&str]| Command::new("go").current_dir(&source).args(args).output();
    match go(&["mod", "download"]) {
        Err(_) => {
            left_out("go is not installed");
            return None;
        }
        Ok(output) if !output.status.success() => {
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            left_out(&format!("its modules cannot be had: {}", errors.lines().next().unwrap_or_default()));
            return None;
        }
        Ok(_) => {}
    }
    let program = into.join(name);
    // Nothing of it is debugged here, and tables for that are half of it.
    let args = ["build", "-ldflags=-s -w", "-o", program.to_str().expect("the path is text"), "."];
    let output = go(&args).expect("go runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(program)
}

/// The output of a program that is given an input.
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
    let mut command = hubgen();
    command.args(["check", "conformance"]).args(args);
    command
}

/// Objects that nobody has recorded: fresh ones of every kind.
#[test]
fn the_scheme_answers_as_we_do() {
    let directory = tempfile::tempdir().expect("a folder");
    let Some(scheme) = built("scheme", directory.path()) else { return };
    let seed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a time").as_secs();
    for part in ["convert", "defaults", "protobuf"] {
        let draw = ["draw", part, "--count", "2", "--seed", &seed.to_string()];
        let requests = through(check(&draw), b"");
        let answers = through(Command::new(&scheme), &requests);
        let mut compare = check(&[part, "--against", "-"]);
        let mut child = compare.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
        child.stdin.take().expect("a pipe").write_all(&answers).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "hubgen check conformance {}: {text}", draw.join(" "));
    }
}

#[test]
fn the_go_client_works_with_our_server() {
    let directory = tempfile::tempdir().expect("a folder");
    let Some(program) = built("client", directory.path()) else { return };
    let server = Process::start(directory.path(), "");
    let output = Command::new(program).arg(format!("http://{}", server.client.0)).output().expect("it runs");
    let [out, errors] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(output.status.success(), "{out}{errors}");
    assert!(out.ends_with("14 of 14 checks\n"), "{out}");
}
