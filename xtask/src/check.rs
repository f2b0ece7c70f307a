//! `cargo xtask check`: builds the developers' checks in release and starts them. They are a program of
//! their own, because they link generated code.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::programs;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct Args {
    /// What to check; `help` lists it.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

/// Runs the program, with this one's standard input and output.
pub fn run(args: &Args) -> ExitCode {
    let mut program = programs::cargo();
    program.args(["run", "--quiet", "--release", "--package", "hubgen-checks", "--manifest-path"]);
    program.arg(programs::root().join("Cargo.toml")).arg("--").args(&args.args);
    match program.status() {
        Ok(status) => {
            status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
        }
        Err(error) => {
            eprintln!("{program:?}: {error}");
            ExitCode::FAILURE
        }
    }
}
