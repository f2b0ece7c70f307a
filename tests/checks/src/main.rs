//! The program that `cargo xtask check` starts.

use std::process::ExitCode;

fn main() -> ExitCode {
    hubgen_checks::main()
}
