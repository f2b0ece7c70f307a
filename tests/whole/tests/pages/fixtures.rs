//! The fixtures for test runners of other languages run: those of `docs/testserver.md`.
#![cfg(unix)]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use crate::markdown;

const PAGE: &str = "docs/testserver.md";

/// What uses the fixture for pytest: it asks the server, and finds it in the kubeconfig.
const PYTEST: &str = r#"
import os, urllib.request

def test_a_server_answers(api_server):
    with urllib.request.urlopen(api_server + "/version") as answer:
        assert answer.status == 200
    with open(os.environ["KUBECONFIG"]) as file:
        assert api_server in file.read()
"#;

/// Jest's functions, those of Node's own runner, and a test that uses the fixture.
const JEST: &str = r#"
const { after: afterAll, before: beforeAll, test } = require("node:test");
FIXTURE
test("a server answers", async () => {
  const answer = await fetch(process.env.API_SERVER + "/version");
  if (answer.status !== 200) throw new Error(`status ${answer.status}`);
});
"#;

/// A folder with a program `hubgen`, which is the one under test.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_hubgen-under-test"), folder.path().join("hubgen"))
        .unwrap();
    folder
}

/// The only block of the page in a language.
fn block(language: &str) -> String {
    let blocks = markdown::all().into_iter().filter(|block| block.file == PAGE && block.language == language);
    let [block] = <[_; 1]>::try_from(blocks.collect::<Vec<_>>()).expect("one block");
    block.text
}

/// Runs a command that finds `hubgen` in the folder, unless it is not installed.
fn passes(folder: &Path, program: &str, arguments: &[&str], is_missing: fn(&str) -> bool) {
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let output = Command::new(program).args(arguments).current_dir(folder).env("PATH", path).output();
    let Ok(output) = output else {
        return left_out(program);
    };
    let text =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    if !output.status.success() && is_missing(&text) {
        return left_out(program);
    }
    assert!(output.status.success(), "{program}: {text}");
}

fn left_out(program: &str) {
    let _ = writeln!(std::io::stderr(), "left out: {program} cannot run these tests here");
}

#[test]
fn the_fixture_for_pytest_starts_a_server() {
    let folder = folder();
    fs::write(folder.path().join("conftest.py"), block("python")).unwrap();
    fs::write(folder.path().join("test_server.py"), PYTEST).unwrap();
    passes(folder.path(), "python3", &["-m", "pytest", "-q"], |text| text.contains("No module named pytest"));
}

#[test]
fn the_fixture_for_jest_starts_a_server() {
    let folder = folder();
    fs::write(folder.path().join("server.test.js"), JEST.replace("FIXTURE", &block("javascript"))).unwrap();
    let is_old = |text: &str| text.contains("bad option: --test");
    passes(folder.path(), "node", &["--test", "server.test.js"], is_old);
}
