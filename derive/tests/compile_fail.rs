//! What the derive says when it is used wrongly.

use std::io::Write as _;
use std::process::Command;

#[test]
fn messages_help() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/compile_fail/*.rs");
    // Here the compiler speaks, in words of its own beside ours, and it has
    // others in every version.
    let rustc = Command::new("rustc").arg("--version").output().expect("rustc runs");
    if String::from_utf8_lossy(&rustc.stdout).starts_with("rustc 1.95.") {
        cases.compile_fail("tests/compiler_says/*.rs");
    } else {
        let _ = writeln!(std::io::stderr(), "left out: what the compiler says is known for rustc 1.95 only");
    }
}
