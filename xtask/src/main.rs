//! What is done to this repository: importing schemas, generating code,
//! checking, measuring, fuzzing. Never linked to generated code, so that a broken generation can
//! always be generated anew.

mod attack;
mod bench;
mod check;
mod features;
mod fuzz;
mod generate;
mod import;
mod programs;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Work on this repository.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Distil published documents into schemas.
    Import(import::Args),
    /// Write the generated crates from the schemas.
    Generate(generate::Args),
    /// Check what the APIs, their conversions and their codecs claim; `check help` lists the checks.
    Check(check::Args),
    /// Check that crates build with each of their features alone, with none and with all.
    Features(features::Args),
    /// Measure, beside other crates.
    Bench(bench::Args),
    /// Look for inputs that break the codecs.
    Fuzz(fuzz::Args),
    /// Attack the server, and see that it goes on.
    Attack(attack::Args),
}

fn main() -> ExitCode {
    match Args::parse().command {
        Command::Import(args) => import::run(args),
        Command::Generate(args) => generate::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Features(args) => features::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Fuzz(args) => fuzz::run(&args),
        Command::Attack(args) => attack::run(&args),
    }
}
