//! Tests the server with Kubernetes' Go client, which a program in `tests/differential/` uses. It needs Go and the modules of
//! Kubernetes.
#![cfg(unix)]

use std::process::Command;

use crate::go;
use crate::process::Process;

#[test]
fn the_go_client_works_with_our_server() {
    let directory = tempfile::tempdir().expect("a folder");
    let Some(program) = go::built("client", directory.path()) else { return };
    let server = Process::start(directory.path(), "");
    let output = Command::new(program).arg(format!("http://{}", server.client.0)).output().expect("it runs");
    let [out, errors] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(output.status.success(), "{out}{errors}");
    // Over plain HTTP there is no token. `cargo xtask check clients languages` runs it over TLS, too.
    assert!(out.contains("left out: who asks: there is no token\n"), "{out}");
    assert!(out.ends_with("39 of 39 checks\n"), "{out}");
}
