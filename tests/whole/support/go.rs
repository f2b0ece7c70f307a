//! Builds Go programs that use Kubernetes' own code.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds a program of `tests/differential/`. Returns `None` if Go is not installed or its modules cannot be downloaded.
pub fn built(name: &str, into: &Path) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../differential").join(name);
    let report_skipped = |why: &str| {
        // The test harness captures `println!`, but not this.
        let _ = writeln!(std::io::stderr(), "left out: tests/differential/{name}: {why}");
    };
    let go = |args: &[&str]| Command::new("go").current_dir(&source).args(args).output();
    match go(&["mod", "download"]) {
        Err(_) => {
            report_skipped("go is not installed");
            return None;
        }
        Ok(output) if !output.status.success() => {
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            report_skipped(&format!(
                "cannot download its modules: {}",
                errors.lines().next().unwrap_or_default()
            ));
            return None;
        }
        Ok(_) => {}
    }
    let program = into.join(name);
    // Debug tables are half of the program and not needed here.
    let args = ["build", "-ldflags=-s -w", "-o", program.to_str().expect("the path is text"), "."];
    let output = go(&args).expect("go runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(program)
}
