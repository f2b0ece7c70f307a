//! `cargo xtask check`: builds the developers' checks in release and starts them. They are a separate
//! program, because they link generated code.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::programs;

/// Check conversions, codecs and defaults.
///
/// Builds the program `hubgen-checks` in release, which takes some minutes the first time, and starts it
/// with the remaining arguments.
#[derive(clap::Args)]
#[command(
    disable_help_flag = true,
    after_long_help = "\
Examples:
  List the checks:
    cargo xtask check help
  Check that conversions lose nothing:
    cargo xtask check laws
  Compare with the recorded answers of another implementation:
    cargo xtask check differential convert --against tests/whole/recorded/convert/scheme-1.37.jsonl

Exit codes:
  0  everything was as expected, and there was something to check
  1  something was not as expected
  2  wrong arguments"
)]
pub struct Args {
    /// The check and its options; `help` lists the checks
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "CHECK")]
    args: Vec<OsString>,
}

/// Runs the program, with this one's standard input and output.
pub fn run(args: &Args) -> ExitCode {
    programs::release("hubgen-checks", &args.args)
}
