//! The `hubgen` program, for the tests of this crate: Cargo rebuilds it before it runs them, which it does not do for
//! programs of other crates.

use std::process::ExitCode;

fn main() -> ExitCode {
    hubgen::main()
}
