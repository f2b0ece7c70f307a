//! Runs the command with standard input.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// Runs a command with standard input. Returns its exit code, its standard output and its standard error.
pub fn run(command: &mut Command, input: &str) -> (i32, String, String) {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("hubgen runs");
    let mut pipe = child.stdin.take().expect("a pipe");
    let input = input.to_owned();
    // It may write before it has read everything, and may end without reading.
    let writer = std::thread::spawn(move || drop(pipe.write_all(input.as_bytes())));
    let output = child.wait_with_output().expect("hubgen ends");
    writer.join().expect("written");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code().expect("an exit code"), text(output.stdout), text(output.stderr))
}
