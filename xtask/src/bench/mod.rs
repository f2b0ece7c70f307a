//! `cargo xtask bench`: measures this project beside its peers.
//!
//! Nothing that is measured is linked here: separate programs are built and started. A ratio below 1 means
//! that ours costs less; times are those of one machine on one day.

mod codec;
mod compile;
mod conversions;
mod convert;
mod costs;
mod definitions;
mod generate;
mod memory;
mod objects;
mod operators;
mod server;
mod testserver;
mod webhook;

use std::process::ExitCode;

use serde_json::Value;

use crate::programs::Result;
use crate::report::stopped;

/// Measure generation, compile times, codecs, memory, conversions, the webhook, the server, definitions and tests with servers.
///
/// Where another crate does the same, it is measured beside ours. Results are in docs/performance.md.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Measure how long generation takes:
    cargo xtask bench generate --runs 1
  Measure decoding, encoding and copying, for a program to read:
    cargo xtask bench codec --json
  Fail if an operation takes more or fewer instructions or allocations than committed:
    cargo xtask bench codec --check
  Commit new counts after a change that is meant to change them:
    cargo xtask bench codec --accept

JSON (--json):
  An object with the versions of the compiler and of the peers, and the measured numbers by name.
  With --check: {\"ok\": true, \"compared\", \"left_out\": reason or null}
  With --accept: {\"ok\": true, \"written\", \"changes\": [text]}
  With an error: {\"ok\": false, \"diagnostics\": [{\"severity\", \"message\"}]}

Exit codes:
  0  success
  1  something could not be built or run, or --check found other counts
  2  wrong arguments")]
pub struct Args {
    #[command(subcommand)]
    what: What,
    /// Print the result as JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum What {
    /// Measure the generation of all crates, into an empty folder and over existing files
    Generate(generate::Args),
    /// Measure compile times, beside the same types of k8s-openapi
    Compile(compile::Args),
    /// Measure decoding, encoding and copying, beside k8s-openapi and k8s-pb
    Codec(codec::Args),
    /// Measure the memory of objects in a cache, beside k8s-openapi and k8s-pb
    Memory(memory::Args),
    /// Measure conversions, beside one round trip of serde_json
    Convert(convert::Args),
    /// Measure the conversion webhook, beside the same conversion by hand
    Webhook(webhook::Args),
    /// Measure lists at another version than the stored one: strategy None, rules in the server, and a webhook
    Conversions(conversions::Args),
    /// Measure conversions of an operator's kinds, beside its own functions in Go
    Operators(operators::Args),
    /// Measure the server, beside a kube-apiserver with etcd
    Server(server::Args),
    /// Measure many definitions of users' kinds, beside a kube-apiserver with etcd
    Definitions(definitions::Args),
    /// Measure tests that have an API server in their process, beside tests that share a kube-apiserver with etcd
    Testserver(testserver::Args),
}

/// A result, for people and for programs.
struct Report {
    text: String,
    json: Value,
}

/// Measures and prints.
pub fn run(args: &Args) -> ExitCode {
    let report = match &args.what {
        What::Generate(args) => generate::measure(args),
        What::Compile(args) => compile::measure(args),
        What::Codec(args) => codec::measure(args),
        What::Memory(args) => memory::measure(args),
        What::Convert(args) => convert::measure(args),
        What::Webhook(args) => webhook::measure(args),
        What::Conversions(args) => conversions::measure(args),
        What::Operators(args) => operators::measure(args),
        What::Server(args) => server::measure(args),
        What::Definitions(args) => definitions::measure(args),
        What::Testserver(args) => testserver::measure(args),
    };
    match report {
        Ok(report) if args.json => println!("{}", report.json),
        Ok(report) => print!("{}", report.text),
        Err(error) => return stopped(args.json, error),
    }
    ExitCode::SUCCESS
}

/// The shortest of several runs: other work of the machine only ever adds time.
fn least(runs: &[f64]) -> f64 {
    runs.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The median; the lower of the two in the middle.
fn median(runs: &[f64]) -> f64 {
    let mut sorted = runs.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}
