//! The `hubgen` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    hubgen::main()
}
