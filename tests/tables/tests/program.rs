//! The program as `cargo xtask fuzz tables` starts it.

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hubgen-tables")).args(arguments).output().expect("the program runs")
}

#[test]
fn tables_keep_the_laws() {
    let output = run(&["--count", "3", "--seed", "1"]);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains('3'), "{printed}");
}

#[test]
fn wrong_arguments_have_a_code_of_their_own() {
    assert_eq!(run(&["--seeds", "1"]).status.code(), Some(2));
}
