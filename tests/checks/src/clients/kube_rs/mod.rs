//! `cargo xtask check clients kube-rs`: the tests of kube-rs that need a cluster, from its published crates.

mod listed;
mod suite;

use std::path::PathBuf;
use std::process::ExitCode;

use self::listed::LISTED;
use self::suite::Suite;
use super::judge::judge;
use super::scratch;
use super::serving::Serving;
use super::tally::Tally;
use crate::Report;

/// The crates with such tests.
const CRATES: [&str; 3] = ["kube-client", "kube-runtime", "kube"];

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The program `hubgen`
    #[arg(long, value_name = "FILE")]
    hubgen: PathBuf,
    /// The manifest of a workspace that uses kube: its lock file says which release
    #[arg(long, value_name = "FILE", default_value = "tests/kube/Cargo.toml")]
    manifest: PathBuf,
    /// A crate: kube-client, kube-runtime or kube; may be given several times [default: all]
    #[arg(long = "crate", value_name = "NAME", value_parser = CRATES)]
    crates: Vec<String>,
    /// The kubeconfig of a cluster on which the same tests run
    #[arg(long, value_name = "FILE")]
    beside: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the tests.
///
/// # Errors
/// If a crate is not there, its tests cannot be built, or the server does not start.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let names: Vec<&str> = match args.crates.as_slice() {
        [] => CRATES.to_vec(),
        chosen => chosen.iter().map(String::as_str).collect(),
    };
    let mut tally = Tally::default();
    let mut listed = 0;
    scratch(|folder| {
        for name in &names {
            let suite = Suite::find(&args.manifest, name, folder)?;
            // A server for each crate: tests leave objects behind, and expect that there are none.
            let serving = Serving::start(&args.hubgen, &folder.join(format!("{name}-server")), &[])?;
            let ours = suite.run(&serving.kubeconfig())?;
            let theirs = args.beside.as_ref().map(|kubeconfig| suite.run(kubeconfig)).transpose()?;
            for verdict in judge(LISTED, name, &ours, theirs.as_deref()) {
                if let Some(why) = verdict.listed {
                    listed += 1;
                    tally.notes.push(format!("listed: {name}: {}: {why}", verdict.spec));
                }
                tally.take(&format!("{name}: {}", verdict.spec), verdict.result);
            }
        }
        Ok(())
    })?;
    let report = tally.report(vec![("crates", names.len()), ("listed", listed)]);
    Ok(Report { what: "tests", ..report }.print(args.json))
}
