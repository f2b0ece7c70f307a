//! `cargo xtask check differential owners`: compares who owns which fields after the same writes to another API server and
//! to ours.

mod compare;
pub mod listed;

use std::process::ExitCode;

use self::compare::judge;
use super::ask::{Generated, What};
use super::sequence;
use super::sequences::Sequences;

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The number of sequences that are sent to a server
    #[arg(long, default_value_t = 500)]
    count: u64,
    #[command(flatten)]
    generated: Generated,
}

/// Plays each recorded sequence to a server of ours, and compares the answers.
///
/// # Errors
/// If there are no answers to compare with, or our server does not start.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let sequences = Sequences { what: "sequences of writes", play: sequence::play_step, judge };
    args.generated.run(What::Writes, args.count, |answers| sequences.compare(answers))
}
