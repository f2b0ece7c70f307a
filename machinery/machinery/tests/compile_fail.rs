//! The error messages of the derive.

use std::io::Write as _;
use std::process::Command;

#[test]
fn messages_are_as_recorded() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/compile_fail/*.rs");
    // These messages also contain the compiler's own words, which differ
    // between its versions.
    let rustc = Command::new("rustc").arg("--version").output().expect("rustc runs");
    if String::from_utf8_lossy(&rustc.stdout).starts_with("rustc 1.95.") {
        cases.compile_fail("tests/compiler_messages/*.rs");
    } else {
        let _ =
            writeln!(std::io::stderr(), "skipped: the compiler's messages are recorded for rustc 1.95 only");
    }
}
