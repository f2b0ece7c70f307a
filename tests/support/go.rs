//! Programs in Go over Kubernetes' own code.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds a program of `differential/`; `None` where there is no Go, or where its modules cannot be
/// had.
pub fn built(name: &str, into: &Path) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../differential").join(name);
    let left_out = |why: &str| {
        // Not `println!`: the test harness would keep it to itself.
        let _ = writeln!(std::io::stderr(), "left out: differential/{name}: {why}");
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
