//! Field facts: what only the Go types tell.

use std::process::{Command, Stdio};

use super::failed;
use super::modules::Module;
use crate::import::Errors;
use crate::programs::root;

/// The field facts of the modules, as the Go program in `xtask/field-facts` prints them.
pub fn read(modules: &[Module]) -> Result<Vec<u8>, Errors> {
    let mut command = Command::new("go");
    command.args(["run", "."]).current_dir(root().join("xtask/field-facts")).stdin(Stdio::null());
    for Module { path, folder } in modules {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
        command.arg(format!("{path}={}", folder.display()));
    }
    let output = command.output().map_err(|error| {
        failed(
            format!("cannot start `go`: {error}"),
            "install Go (https://go.dev/dl/), which reads the types",
        )
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let errors = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(failed(format!("the Go types cannot be read:\n{errors}"), "give the modules as they are published"))
}
