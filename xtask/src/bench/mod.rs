//! `cargo xtask bench`: what is measured, beside the peers of the field.
//!
//! Nothing measured is linked here: programs of their own are built and
//! started. Ratios below 1 are in our favour; times are those of one machine
//! on one day and are printed for the eye only.

mod codec;
mod compile;
mod convert;
mod costs;
mod generate;

use crate::programs::Result;
use std::process::ExitCode;

use serde_json::Value;

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
    /// Print the result as JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum What {
    /// The whole archive generated, into an empty folder and over itself.
    Generate(generate::Args),
    /// Compile times of crates alone, beside the same cut of k8s-openapi.
    Compile(compile::Args),
    /// Objects decoded, encoded and copied, beside k8s-openapi and k8s-pb.
    Codec(codec::Args),
    /// Objects converted, beside one trip of theirs through serde_json.
    Convert(convert::Args),
}

/// A result: for people and for programs.
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
        What::Convert(args) => convert::measure(args),
    };
    match report {
        Ok(report) if args.json => println!("{}", report.json),
        Ok(report) => print!("{}", report.text),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// The least of several runs: what else the machine did only ever adds.
fn least(runs: &[f64]) -> f64 {
    runs.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The one in the middle, the lower one of two.
fn median(runs: &[f64]) -> f64 {
    let mut sorted = runs.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}
