//! What the server costs, beside a kube-apiserver with etcd.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::costs::{build, versions_text};
use super::{Report, Result};
use crate::programs::{self, compiler, run};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// The program kube-apiserver of the reference release; etcd and openssl are found in PATH
    #[arg(long, value_name = "FILE")]
    kube_apiserver: PathBuf,
    /// How long each sort of request is sent
    #[arg(long, value_name = "SECONDS", default_value_t = 4.0)]
    seconds: f64,
    /// How many pods the lists have
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pods: usize,
    /// How many watches there are when one object is written
    #[arg(long, value_name = "N", num_args = 1.., default_values_t = [1_000, 10_000])]
    watches: Vec<usize>,
}

/// Builds both programs of ours, and measures one server after the other.
pub fn measure(args: &Args) -> Result<Report> {
    let watches: Vec<String> = args.watches.iter().map(ToString::to_string).collect();
    let counts = [args.seconds.to_string(), args.pods.to_string(), watches.join(",")];
    beside("bench-server", &args.kube_apiserver, &counts)
}

/// Builds our server and a program that measures it beside a kube-apiserver, and runs that with these arguments.
pub fn beside(program: &str, kube_apiserver: &Path, arguments: &[String]) -> Result<Report> {
    run(programs::cargo().args(["build", "--release", "--package", "hubgen", "--features", "jemalloc"]))?;
    let bench = build("bench-server", "default", program)?;
    let mut bench = Command::new(bench);
    bench.arg(programs::root().join("target/release/hubgen")).arg(kube_apiserver).args(arguments);
    figures(&mut bench, kube_apiserver)
}

/// Runs a program that measures us beside a kube-apiserver.
pub fn figures(bench: &mut Command, kube_apiserver: &Path) -> Result<Report> {
    let (out, _) = run(bench)?;
    let figures: Value =
        serde_json::from_str(&out).map_err(|error| format!("the benchmark printed no JSON: {error}"))?;
    let (peer, _) = run(Command::new(kube_apiserver).arg("--version"))?;
    let versions = json!({"compiler": compiler()?, "kube-apiserver": peer.trim()});
    Ok(report(&figures, &versions))
}

fn report(figures: &Value, versions: &Value) -> Report {
    let mut text = versions_text(versions);
    let _ = writeln!(text, "{:<40}{:>12}{:>12}{:>9}", "", "ours", "theirs", "ratio");
    for (name, figure) in figures.as_object().into_iter().flatten() {
        let [ours, theirs] = ["ours", "theirs"].map(|side| figure[side].as_f64().unwrap_or(f64::NAN));
        let _ = writeln!(text, "{name:<40}{ours:>12.1}{theirs:>12.1}{:>9.3}", ours / theirs);
    }
    Report { text, json: json!({"versions": versions, "figures": figures}) }
}
