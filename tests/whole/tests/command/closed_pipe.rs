//! Commands whose output nobody reads to the end, as in `hubgen explain Pod | head -1`.

use std::io;

use crate::process::hubgen;

#[test]
fn commands_end_quietly_on_a_closed_pipe() {
    for (arguments, code) in [
        (&["explain", "Deployment"][..], 0),
        (&["explain", "Deployment", "--json"], 0),
        (&["explain", "Deploymnet", "--json"], 1),
        (&["generate", "--json"], 1),
        (&["completions", "bash"], 0),
        (&["man"], 0),
        (&["init", "web"], 0),
        (&["--help"], 0),
    ] {
        for is_output in [true, false] {
            let folder = tempfile::tempdir().expect("a folder");
            let (reader, writer) = io::pipe().expect("a pipe");
            drop(reader);
            let mut command = hubgen();
            command.args(arguments).current_dir(folder.path());
            let output = if is_output { command.stdout(writer) } else { command.stderr(writer) };
            let output = output.output().expect("hubgen runs");
            let error = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
            assert!(!error.contains("panicked"), "{arguments:?}: {error}");
        }
    }
}
