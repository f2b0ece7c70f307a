//! The developers' checks: they test the claims of this project on many objects.
//!
//! [`golden`] decodes and encodes objects that the reference implementation wrote. [`codecs`] and [`laws`]
//! generate objects, and encode or convert them. [`differential`] compares our answers with those of another
//! implementation, and [`operators`] the rules for an operator's kinds with its own conversions. [`served`] writes and reads objects through a
//! server. `cargo xtask check` starts the program. The laws themselves are in
//! [`hubgen_laws`], so that tests of other types do not need this crate.
//!
//! Every check returns a [`Report`]. It ends with one line `N of N …`, and succeeds only if all passed and there
//! was something to check.

mod annotations;
mod clients;
pub mod codecs;
mod compare;
mod dice;
pub mod differential;
mod family;
mod generating;
pub mod go_module;
pub mod golden;
pub mod laws;
mod objects;
pub mod operators;
mod report;
pub mod served;
mod single;
pub mod watches;
mod wire;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::{Parser, Subcommand};
use hubgen_kubernetes::machinery::scheme::KindEntry;
use hubgen_terminal::{Color, Diagnostic, FAILURE, Messages, Progress};
use serde_json::json;

pub use self::report::{Failure, Report};

/// Check conversions, codecs and defaults
///
/// Each check ends with a line `N of N …`, and succeeds only if all of them passed and there was something to
/// check.
#[derive(Parser)]
#[command(name = "hubgen-checks", bin_name = "cargo xtask check", max_term_width = 100)]
#[command(after_long_help = "\
Examples:
  Check the conversions of one kind on generated objects:
    cargo xtask check laws --kind apps/Deployment
  Check all codecs:
    cargo xtask check codecs
  Compare with the recorded answers of another implementation:
    cargo xtask check differential convert --against tests/whole/recorded/convert/scheme-1.37.jsonl

JSON (--json):
  {\"checked\": TEXT, \"passed\": N, \"total\": N, \"ok\": true, \"failures\": [{\"file\", \"path\", \"message\"}],
   \"notes\": [TEXT]}, and further counts by name
  If it cannot be checked: {\"ok\": false, \"diagnostics\": [{\"severity\", \"message\"}]}

Exit codes:
  0  all passed, and there was something to check
  1  something failed, or could not be checked
  2  wrong arguments")]
struct Args {
    #[command(subcommand)]
    what: What,
    #[command(flatten)]
    color: Color,
}

#[derive(Subcommand)]
enum What {
    /// Encode generated objects as JSON and as protobuf, decode them, and compare
    #[command(after_long_help = "\
Examples:
  Check one kind, with more objects:
    cargo xtask check codecs --kind core/Pod --iterations 1000
  Repeat the object that a failure names:
    cargo xtask check codecs --kind core/Pod --seed 17 --iterations 1")]
    Codecs(codecs::Args),
    /// Compare conversions, defaults, protobuf, errors and stored values with the answers of another
    /// implementation
    #[command(after_long_help = "\
Examples:
  Compare conversions with recorded answers:
    cargo xtask check differential convert --against tests/whole/recorded/convert/scheme-1.37.jsonl
  Compare defaulting with a running API server:
    cargo xtask check differential defaults --against https://127.0.0.1:6443 --certificate-authority ca.crt")]
    Differential(Box<differential::Args>),
    /// Use the server as real clients do
    #[command(after_long_help = "\
Examples:
  Take the steps of people who use kubectl:
    cargo xtask check clients kubectl --hubgen target/release/hubgen")]
    Clients(clients::Args),
    /// Decode and encode objects that the reference implementation wrote, and compare
    #[command(after_long_help = "\
Examples:
  Compare byte for byte with the objects of the reference release:
    cargo xtask check golden ../shared/golden/kubernetes/v1.35 --exact")]
    Golden(golden::Args),
    /// Convert generated objects to every version and back, edit them on the way, and check that nothing
    /// is lost
    #[command(after_long_help = "\
Examples:
  Check the laws on 1,000 objects of each version of one kind:
    cargo xtask check laws --kind apps/Deployment --iterations 1000
  Compare the generated conversions with the interpreted rules:
    cargo xtask check laws --schemas schemas/kubernetes
  Mutate every rule, and check that something notices it:
    cargo xtask check laws --schemas schemas/kubernetes --mutations
  List fields without a recorded answer:
    cargo xtask check laws --answered")]
    Laws(laws::Args),
    /// Compare rules for the kinds of an operator with the operator's own conversions in Go
    #[command(after_long_help = "\
Examples:
  Build the Go program of an operator, and compare 1,000 objects of each kind and version:
    (cd tests/operators/kueue/go && go build -o /tmp/kueue .)
    cargo xtask check operators tests/operators/kueue --answers /tmp/kueue")]
    Operators(operators::Args),
    /// Write and read objects of repositories' kinds at all their versions, through a server that converts them by rules
    #[command(after_long_help = "\
Examples:
  200 objects for each version of each kind:
    cargo xtask check served examples/cert-manager tests/operators/cert-manager
  Only by the rules that come with the definitions:
    cargo xtask check served tests/operators/emissary --annotations")]
    Served(served::Args),
    /// Watch a server that many clients write to, and compare what each watch tells with what happened
    #[command(after_long_help = "\
Examples:
  The whole check takes a minute, and as long as the watches need to tell the last changes:
    cargo xtask check watches
  A short one:
    cargo xtask check watches --seconds 5 --writers 8 --watchers 50")]
    Watches(watches::Args),
}

/// Runs the check that the arguments of the process name.
pub fn main() -> ExitCode {
    Color::apply();
    let done = match Args::parse().what {
        What::Codecs(args) => codecs::run(&args),
        What::Differential(args) => differential::run(&args),
        What::Clients(args) => clients::run(&args),
        What::Golden(args) => golden::run(&args),
        What::Laws(args) => laws::run(&args),
        What::Operators(args) => operators::run(&args),
        What::Served(args) => served::run(&args),
        What::Watches(args) => watches::run(&args),
    };
    done.unwrap_or_else(|error| {
        let mut messages = Messages::new(wants_json(), false);
        messages.report(&Diagnostic::message(error, ""));
        if messages.are_json() {
            println!("{}", json!({ "ok": false, "diagnostics": messages.take() }));
        }
        ExitCode::from(FAILURE)
    })
}

/// Whether a program reads the result: each check has this option.
fn wants_json() -> bool {
    std::env::args_os().any(|argument| argument == "--json")
}

/// The repository's root, whatever folder the program was started in.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new(".")).to_path_buf()
}

/// `apps/Deployment`: the group and kind of the storage version; `core` is the group with the empty name.
fn title(entry: &KindEntry) -> String {
    let (group, _, kind) = entry.storage();
    format!("{}/{kind}", if group.is_empty() { "core" } else { group })
}

/// Calls `work` with each number below `count`, on all processors, and returns the results in order.
/// Panics that `work` catches print nothing. On terminals, a bar shows the progress.
fn on_all_processors<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let bar = Progress::new(!wants_json()).bar(count, "parts");
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        return;
                    }
                    let found = work(at);
                    done.lock().expect("no thread panics").push((at, found));
                    bar.step();
                }
            });
        }
    });
    std::panic::set_hook(hook);
    let mut done = done.into_inner().expect("no thread panics");
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, found)| found).collect()
}

/// Returns the result of a check; an error is the message of its panic.
fn caught<T>(check: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(check)).map_err(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        format!("panicked: {}", message.or(panic.downcast_ref().copied()).unwrap_or("without a message"))
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// A command and all commands below it.
    fn all(command: clap::Command) -> Vec<clap::Command> {
        let below = command.get_subcommands().filter(|below| below.get_name() != "help").cloned();
        let below: Vec<_> = below.flat_map(all).collect();
        std::iter::once(command).chain(below).collect()
    }

    #[test]
    fn every_command_has_examples_and_they_parse() {
        Args::command().debug_assert();
        for command in all(Args::command()) {
            let help = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
            let examples = help.lines().filter_map(|line| line.strip_prefix("    cargo xtask check "));
            let mut count = 0;
            for example in examples {
                count += 1;
                // The shell does the rest: `… | scheme > answers.jsonl`.
                let words = example.split_whitespace().take_while(|word| !matches!(*word, "|" | ">" | "<"));
                let parsed = Args::try_parse_from(std::iter::once("check").chain(words));
                assert!(parsed.is_ok(), "{example}");
            }
            assert!(count > 0, "`{}` has no examples: {help}", command.get_name());
        }
    }
}
