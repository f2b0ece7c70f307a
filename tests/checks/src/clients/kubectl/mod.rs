//! `cargo xtask check clients kubectl`: what people do with kubectl, step by step.

mod manifests;
mod server_side;
mod steps;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::Value;

pub use self::steps::{equal, expect};
use super::serving::Serving;
use super::session::Session;
use super::tally::Tally;
use super::{on_the_path, scratch};
use crate::Report;

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The program `hubgen`
    #[arg(long, value_name = "FILE")]
    hubgen: PathBuf,
    /// A kubectl; may be given several times [default: every kubectl and kubectl.VERSION on the PATH]
    #[arg(long, value_name = "FILE")]
    kubectl: Vec<PathBuf>,
    /// A folder of manifests, each of which is applied twice
    #[arg(long, value_name = "DIR")]
    manifests: Option<PathBuf>,
    /// Only the steps whose names contain this text
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// The encodings of stored objects.
const ENCODINGS: [&str; 2] = ["application/json", "application/vnd.kubernetes.protobuf"];

/// Takes all steps with each kubectl and each encoding.
///
/// # Errors
/// If there is no kubectl, or the server does not start.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let found = if args.kubectl.is_empty() { on_the_path("kubectl") } else { args.kubectl.clone() };
    if found.is_empty() {
        return Err("no kubectl on the PATH; name one with --kubectl".to_owned());
    }
    Ok(scratch(|folder| all(args, &found, folder))?.print(args.json))
}

fn all(args: &Args, kubectls: &[PathBuf], scratch: &Path) -> Result<Report, String> {
    let mut tally = Tally::default();
    for (number, kubectl) in kubectls.iter().enumerate() {
        let version = version(kubectl)?;
        for (other, encoding) in ENCODINGS.into_iter().enumerate() {
            let folder = scratch.join(format!("{number}-{other}"));
            // The one by which kubectl 1.27 asks who it is.
            let options =
                ["--storage-media-type", encoding, "--runtime-config", "authentication.k8s.io/v1beta1"];
            let serving = Serving::start(&args.hubgen, &folder, &options)?;
            let session = Session::new("kubectl", kubectl, &folder, &serving)?;
            let steps = steps::ALL.iter().chain(server_side::ALL);
            for (name, step) in steps.filter(|(name, _)| name.contains(&args.only)) {
                tally.take(&format!("kubectl {version}, {encoding}, {name}"), step(&session));
            }
        }
        if let Some(manifests) = &args.manifests {
            let folder = scratch.join(format!("{number}-manifests"));
            manifests::apply_all(args, kubectl, &folder, manifests, |name, result| {
                tally.take(&format!("kubectl {version}, {name}"), result);
            })?;
        }
    }
    Ok(tally.report(vec![("kubectls", kubectls.len()), ("encodings", ENCODINGS.len())]))
}

/// The version of a kubectl, such as `1.33.1`.
///
/// # Errors
/// If it does not run.
pub fn version(kubectl: &Path) -> Result<String, String> {
    let output = Command::new(kubectl)
        .args(["version", "--client", "-o", "json"])
        .output()
        .map_err(|error| format!("{}: {error}", kubectl.display()))?;
    let version: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{}: version: {error}", kubectl.display()))?;
    let text = version["clientVersion"]["gitVersion"].as_str().unwrap_or_default();
    Ok(text.trim_start_matches('v').to_owned())
}
