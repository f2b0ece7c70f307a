//! `cargo xtask check clients`: real clients against `hubgen serve`.

mod kubectl;
mod serving;

use std::process::ExitCode;

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    client: Client,
}

#[derive(clap::Subcommand)]
enum Client {
    /// What people do with kubectl, with each kubectl at hand, and objects stored as JSON and as protobuf
    #[command(after_long_help = "\
Examples:
  With each kubectl on the PATH, after `cargo build --release --package hubgen`:
    cargo xtask check clients kubectl --hubgen target/release/hubgen
  With one of them, and a folder of manifests, each of which is applied twice:
    cargo xtask check clients kubectl --hubgen target/release/hubgen --kubectl kubectl-1.33 --manifests manifests")]
    Kubectl(kubectl::Args),
}

/// Runs the check.
///
/// # Errors
/// If there is no such client, or the server does not start.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    match &args.client {
        Client::Kubectl(args) => kubectl::run(args),
    }
}
