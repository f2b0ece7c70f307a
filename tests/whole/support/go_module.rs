//! Folders of published Go modules, which have the sources and golden objects of a release of Kubernetes.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

/// The folder of a module such as `k8s.io/api@v0.37.1`, which the `go` command downloads if it has not yet. Returns `None`
/// if Go is not installed or the module cannot be downloaded.
pub fn folder(module: &str) -> Option<PathBuf> {
    let why = match Command::new("go").args(["mod", "download", "-json", module]).output() {
        Err(_) => "go is not installed".to_owned(),
        Ok(output) => {
            let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
            match answer["Dir"].as_str() {
                Some(folder) => return Some(folder.into()),
                None => answer["Error"]
                    .as_str()
                    .unwrap_or("no answer")
                    .lines()
                    .next()
                    .unwrap_or_default()
                    .to_owned(),
            }
        }
    };
    // The test harness captures `println!`, but not this.
    let _ = writeln!(std::io::stderr(), "left out: {module}: {why}");
    None
}
