//! What a test costs that has an API server in its own process, beside tests that share a kube-apiserver.

use std::path::PathBuf;
use std::process::Command;

use super::costs::build;
use super::server::figures;
use super::{Report, Result};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// The program kube-apiserver of the reference release; etcd and openssl are found in PATH
    #[arg(long, value_name = "FILE")]
    kube_apiserver: PathBuf,
    /// How many tests run
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    tests: usize,
    /// How many servers there are at once when their memory is measured
    #[arg(long, value_name = "N", default_value_t = 200)]
    servers: usize,
}

/// Builds the program that measures, and runs it.
pub fn measure(args: &Args) -> Result<Report> {
    let mut bench = Command::new(build("bench-testserver", "default", "bench-testserver")?);
    bench.arg(&args.kube_apiserver).args([args.tests, args.servers].map(|count| count.to_string()));
    figures(&mut bench, &args.kube_apiserver)
}
