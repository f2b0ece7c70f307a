//! Folders of published Go modules, which have the sources and golden objects of a release of Kubernetes.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

/// The folder of a module such as `k8s.io/api@v0.37.1`, which the `go` command downloads if it has not yet. `v0.37` means
/// its newest patch.
///
/// # Errors
/// If Go is not installed, or if the module cannot be downloaded.
pub fn find(module: &str) -> Result<PathBuf, String> {
    let output = Command::new("go").args(["mod", "download", "-json", module]).output();
    let output = output.map_err(|error| format!("{module}: cannot start `go`: {error}"))?;
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    match answer["Dir"].as_str() {
        Some(folder) => Ok(folder.into()),
        None => {
            let why = answer["Error"].as_str().unwrap_or("no answer").lines().next().unwrap_or_default();
            Err(format!("{module}: {why}"))
        }
    }
}

/// The same for tests: `None` if it cannot be had, and a line that says what is left out.
pub fn find_or_leave_out(module: &str) -> Option<PathBuf> {
    find(module)
        .inspect_err(|why| {
            // The test harness captures `println!`, but not this.
            let _ = writeln!(std::io::stderr(), "left out: {why}");
        })
        .ok()
}
