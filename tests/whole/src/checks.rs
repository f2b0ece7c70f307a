//! The program behind `cargo xtask check`, for the tests of this crate. Cargo builds it before it runs
//! them; programs of other crates it does not build.

use std::process::ExitCode;

fn main() -> ExitCode {
    hubgen_checks::main()
}
