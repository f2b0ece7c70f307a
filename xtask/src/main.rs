//! The developers' commands: import schemas, generate code, check, measure, fuzz.
//!
//! This program never links generated code, so that it can replace generated code that does not compile.

mod attack;
mod bench;
mod boxes;
mod check;
mod features;
mod fuzz;
mod generate;
mod import;
mod package;
mod programs;
mod release;
mod report;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use hubgen_terminal::Color;

/// Develop hubgen: import schemas, generate code, check it, measure it.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 100)]
#[command(after_long_help = "\
Examples:
  Generate the crates after a change in schemas/ or codegen/:
    cargo xtask generate
  Check conversions of generated objects of every kind:
    cargo xtask check laws

Run `cargo xtask COMMAND --help` for the options of a command, examples, its JSON and its exit codes.")]
struct Args {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    color: Color,
}

#[derive(Subcommand)]
enum Command {
    Import(import::Args),
    Release(release::Args),
    Generate(generate::Args),
    Boxes(boxes::Args),
    Check(check::Args),
    Features(features::Args),
    Bench(bench::Args),
    Fuzz(fuzz::Args),
    Attack(attack::Args),
    Package(package::Args),
}

fn main() -> ExitCode {
    Color::apply();
    match Args::parse().command {
        Command::Import(args) => import::run(&args),
        Command::Release(args) => release::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::Boxes(args) => boxes::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Features(args) => features::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Fuzz(args) => fuzz::run(&args),
        Command::Attack(args) => attack::run(&args),
        Command::Package(args) => package::run(&args),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// Running them takes minutes; that they parse shows that their options exist.
    #[test]
    fn every_command_has_examples_that_parse() {
        Args::command().debug_assert();
        for command in Args::command().get_subcommands() {
            let name = command.get_name();
            let help = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Exit codes:\n  0  "), "{name}: {help}");
            let examples: Vec<&str> = help
                .lines()
                .filter_map(|line| line.split_once("cargo xtask "))
                .map(|(_, example)| example)
                .collect();
            assert!(!examples.is_empty(), "{name}: {help}");
            for example in examples {
                let words = std::iter::once("cargo xtask").chain(example.split_whitespace());
                let parsed = Args::try_parse_from(words);
                assert!(
                    parsed.is_ok(),
                    "{example}: {}",
                    parsed.err().map(|error| error.to_string()).unwrap_or_default()
                );
                assert!(example.starts_with(name), "{example} is an example of another command than {name}");
            }
        }
    }
}
