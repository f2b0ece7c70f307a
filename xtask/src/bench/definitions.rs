//! What definitions of users' kinds cost the server, beside a kube-apiserver with etcd.

use std::path::PathBuf;

use super::server::beside;
use super::{Report, Result};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// The program kube-apiserver of the reference release; etcd and openssl are found in PATH
    #[arg(long, value_name = "FILE")]
    kube_apiserver: PathBuf,
    /// How many definitions are applied
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    definitions: usize,
    /// How often one definition is changed
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    generations: usize,
}

/// Builds both programs of ours, and measures one server after the other.
pub fn measure(args: &Args) -> Result<Report> {
    let counts = [args.definitions, args.generations].map(|count| count.to_string());
    beside("bench-definitions", &args.kube_apiserver, &counts)
}
