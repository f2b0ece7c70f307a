//! `cargo xtask check clients kubectl`: what people do with kubectl, step by step.

mod manifests;
mod session;
mod steps;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use self::session::Session;
use super::serving::Serving;
use crate::{Failure, Report};

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
    let found = if args.kubectl.is_empty() { on_the_path() } else { args.kubectl.clone() };
    if found.is_empty() {
        return Err("no kubectl on the PATH; name one with --kubectl".to_owned());
    }
    let scratch = env::temp_dir().join(format!("hubgen-clients-{}", std::process::id()));
    let result = all(args, &found, &scratch);
    let _ = fs::remove_dir_all(&scratch);
    Ok(result?.print(args.json))
}

fn all(args: &Args, kubectls: &[PathBuf], scratch: &Path) -> Result<Report, String> {
    let mut tally = Tally::default();
    for (number, kubectl) in kubectls.iter().enumerate() {
        let version = session::version(kubectl)?;
        tally.clients += 1;
        for (other, encoding) in ENCODINGS.into_iter().enumerate() {
            let folder = scratch.join(format!("{number}-{other}"));
            // The one by which kubectl 1.27 asks who it is.
            let options =
                ["--storage-media-type", encoding, "--runtime-config", "authentication.k8s.io/v1beta1"];
            let serving = Serving::start(&args.hubgen, &folder, &options)?;
            let session = Session::new(kubectl, &folder, &serving)?;
            for (name, step) in steps::ALL.iter().filter(|(name, _)| name.contains(&args.only)) {
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
    Ok(tally.report())
}

#[derive(Default)]
struct Tally {
    clients: usize,
    total: usize,
    failures: Vec<Failure>,
}

impl Tally {
    fn take(&mut self, name: &str, result: Result<(), String>) {
        self.total += 1;
        if let Err(message) = result {
            self.failures.push(Failure { file: name.to_owned(), path: String::new(), message });
        }
    }

    fn report(self) -> Report {
        Report {
            what: "steps",
            passed: self.total - self.failures.len(),
            total: self.total,
            details: vec![("kubectls", self.clients), ("encodings", ENCODINGS.len())],
            failures: self.failures,
            notes: Vec::new(),
        }
    }
}

/// Every kubectl on the PATH: `kubectl`, and others with their version in the name. The same program counts once.
fn on_the_path() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in env::split_paths(&env::var_os("PATH").unwrap_or_default()) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let is_kubectl = |name: &str| {
            let rest = name.strip_prefix("kubectl");
            rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '-'))
        };
        let named = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_kubectl));
        found.extend(named.filter_map(|entry| entry.path().canonicalize().ok()));
    }
    found.sort();
    found.dedup();
    found
}
