//! The command line of hubgen, as a library: programs of other crates can be it, such as the one that
//! the tests start.

// The macros of the terminal crate end quietly on a closed pipe.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod adopt;
mod changes;
mod completions;
mod convert;
mod crates_from;
mod crds;
mod decode;
mod deprecations;
mod draft_rules;
mod encode;
mod envtest;
mod explain;
mod explain_conversion;
mod find;
mod generate;
mod import;
mod init;
mod input;
mod man;
mod report;
mod serve;
mod validate;

use std::path::Path;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use hubgen_terminal::{Color, USAGE};

/// One request may take much memory, all of which has to be free again after it. The system's allocator
/// keeps much of it: 64 MiB after an object of 3 MB, where an idle server needs 14.
#[cfg(all(target_os = "linux", feature = "jemalloc", not(test)))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Convert, decode, serve and check Kubernetes objects of any version
///
/// Knows every API that Kubernetes served from 1.7 to 1.37, including versions that no cluster serves any
/// more. Conversions lose nothing: what a version cannot represent is kept in an annotation.
#[derive(Parser)]
#[command(name = "hubgen", bin_name = "hubgen", version, max_term_width = 100)]
#[command(after_long_help = "\
Examples:
  List which manifests use old versions, and what they become:
    hubgen convert --newest --check manifests/
  Read an object from the storage of a cluster:
    etcdctl get /registry/deployments/default/web --print-value-only | hubgen decode
  Serve every kind at every version, in memory:
    hubgen serve --in-memory

Run `hubgen COMMAND --help` for the options of a command, examples, its JSON and its exit codes.")]
struct Args {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    color: Color,
    /// Print no warnings, summaries or progress bars
    #[arg(short, long, global = true, help_heading = "Global options")]
    quiet: bool,
}

#[derive(Subcommand)]
enum Command {
    Convert(Box<convert::Args>),
    Report(Box<report::Args>),
    Validate(validate::Args),
    Decode(decode::Args),
    Encode(encode::Args),
    Explain(explain::Args),
    ExplainConversion(explain_conversion::Args),
    Changes(changes::Args),
    Deprecations(deprecations::Args),
    Serve(Box<serve::Args>),
    Envtest(envtest::Args),
    Init(init::Args),
    Import(import::Args),
    DraftRules(draft_rules::Args),
    Generate(generate::Args),
    Crds(crds::Args),
    Adopt(adopt::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Runs the command that the arguments of the process name, or the program whose name it has.
pub fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    if let Some(name) = arguments.next().and_then(|program| envtest::Name::of(Path::new(&program))) {
        return name.run(&arguments.collect::<Vec<_>>());
    }
    Color::apply();
    let Args { command, quiet, color: _ } = Args::parse();
    match command {
        Command::Convert(args) => convert::run(&args, quiet),
        Command::Validate(args) => validate::run(&args, quiet),
        Command::Decode(args) => decode::run(&args, quiet),
        Command::Encode(args) => encode::run(&args),
        Command::Explain(args) => explain::run(&args, quiet),
        Command::ExplainConversion(args) => explain_conversion::run(&args, quiet),
        Command::Report(args) => report::run(&args, quiet),
        Command::Changes(args) => changes::run(&args, quiet),
        Command::Deprecations(args) => deprecations::run(&args, quiet),
        Command::Serve(args) => serve::run(&args),
        Command::Envtest(args) => envtest::run(&args, quiet),
        Command::Init(args) => init::run(&args, quiet),
        Command::Import(args) => import::run(&args, quiet),
        Command::DraftRules(args) => draft_rules::run(&args, quiet),
        Command::Generate(args) => generate::run(&args, quiet),
        Command::Crds(args) => crds::run(&args, quiet),
        Command::Adopt(args) => adopt::run(&args, quiet),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }
}

/// The definition of all commands, for tests and for what is generated from it.
pub fn command() -> clap::Command {
    let mut command = Args::command();
    command.build();
    command
}

/// Reports wrong arguments of a subcommand, as the argument parser does.
fn usage(subcommand: &str, message: &str) -> ExitCode {
    let mut command = command();
    let error = match command.find_subcommand_mut(subcommand) {
        Some(subcommand) => subcommand.error(ErrorKind::ValueValidation, message),
        None => command.error(ErrorKind::ValueValidation, message),
    };
    // There is nobody left to report to if standard error is closed.
    let _ = error.print();
    ExitCode::from(USAGE)
}
