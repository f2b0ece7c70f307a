//! The command line of hubgen, as a library: programs of other crates can be it, such as the one that
//! the tests start.

mod convert;
mod decode;
mod encode;
mod serve;

/// What `hubgen decode` makes of stored values, for checks that compare it with what servers answer.
pub mod stored {
    pub use crate::convert::target::{Choice, Target, Wanted};
    pub use crate::decode::input::{Stored, Values};
    pub use crate::decode::value::{Decoded, Decoder};
}

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// What one request took has to be free again after it. The system's allocator keeps much of it: 64 MiB
/// after an object of 3 MB, where an idle server has 14.
#[cfg(all(target_os = "linux", feature = "jemalloc", not(test)))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Live with versioned Kubernetes APIs.
#[derive(Parser)]
#[command(name = "hubgen", bin_name = "hubgen", version)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Convert(Box<convert::Args>),
    Decode(decode::Args),
    Encode(encode::Args),
    Serve(serve::Args),
}

/// Runs the command that the arguments of the process name.
pub fn main() -> ExitCode {
    match Args::parse().command {
        Command::Convert(args) => convert::run(&args),
        Command::Decode(args) => decode::run(&args),
        Command::Encode(args) => encode::run(&args),
        Command::Serve(args) => serve::run(&args),
    }
}
