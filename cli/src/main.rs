//! The command line of hubgen.

mod check;
mod convert;
mod decode;
mod encode;
mod serve;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Live with versioned Kubernetes APIs.
#[derive(Parser)]
#[command(name = "hubgen", version)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check that what is claimed holds.
    Check(check::Args),
    Convert(Box<convert::Args>),
    Decode(decode::Args),
    Encode(encode::Args),
    Serve(serve::Args),
}

fn main() -> ExitCode {
    match Args::parse().command {
        Command::Check(args) => check::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Decode(args) => decode::run(&args),
        Command::Encode(args) => encode::run(&args),
        Command::Serve(args) => serve::run(&args),
    }
}
