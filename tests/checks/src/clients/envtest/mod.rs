//! Suites of Go modules that start a control plane with controller-runtime's envtest, which finds its programs by
//! KUBEBUILDER_ASSETS.

mod suite;

use std::path::{Path, PathBuf};
use std::process::Command;

pub use self::suite::Suite;

/// Installs the programs that are hubgen, as a team would. Returns their folder.
///
/// # Errors
/// If hubgen cannot.
pub fn install(hubgen: &Path, folder: &Path) -> Result<PathBuf, String> {
    let output = Command::new(hubgen).args(["envtest", "install"]).arg(folder.join("assets")).output();
    let output = output.map_err(|error| format!("{}: {error}", hubgen.display()))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim_end()))
}
