//! `cargo xtask check clients controller-runtime`: controller-runtime's own tests of its client and its cache, which start the
//! programs of `hubgen envtest install` because KUBEBUILDER_ASSETS names them.

mod costs;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::envtest::{Suite, install};
use super::judge::{Listed, count, judge};
use super::scratch;
use super::tally::Tally;
use crate::{Report, go_module};

/// The suites that need a control plane, and nothing else.
const SUITES: [&str; 2] = ["client", "cache"];

/// The tests that fail.
const LISTED: &[Listed] = &[Listed {
    suite: "client",
    spec: "Client Apply Structured Client should propagate a typed error",
    contains: "to be true",
    why: "the type of a Secret can be changed: validation follows the schema only",
}];

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The program `hubgen`
    #[arg(long, value_name = "FILE")]
    hubgen: PathBuf,
    /// The module with the suites, of which Go builds the tests
    #[arg(long, value_name = "MODULE", default_value = "sigs.k8s.io/controller-runtime@v0.25.2")]
    module: String,
    /// A suite, client or cache; may be given several times [default: both]
    #[arg(long, value_name = "NAME", value_parser = SUITES)]
    suite: Vec<String>,
    /// A folder with the programs of a real control plane, on which the same suites run, and whose costs are measured, too
    #[arg(long, value_name = "DIR")]
    beside: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the suites.
///
/// # Errors
/// If Go or the module is missing, or the programs cannot be installed.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    Ok(scratch(|folder| all(args, folder))?.print(args.json))
}

fn all(args: &Args, folder: &Path) -> Result<Report, String> {
    let module = go_module::find(&args.module)?;
    let assets = install(&args.hubgen, folder)?;
    let names: Vec<&str> = match args.suite.as_slice() {
        [] => SUITES.to_vec(),
        chosen => chosen.iter().map(String::as_str).collect(),
    };
    let mut tally = Tally::default();
    let mut listed = 0;
    for name in &names {
        let suite = Suite::build(&module, &format!("pkg/{name}"), folder)?;
        let ours = suite.run(&assets)?.specs;
        let theirs = args.beside.as_ref().map(|assets| suite.run(assets)).transpose()?.map(|run| run.specs);
        listed += count(name, judge(LISTED, name, &ours, theirs.as_deref()), &mut tally);
    }
    match costs::measured(&assets, args.beside.as_deref(), folder) {
        Ok(lines) => {
            tally.notes.extend(lines);
            tally.take("an environment starts twice, and its users are told what they may do", Ok(()));
        }
        Err(why) => tally.take("an environment starts twice", Err(why)),
    }
    Ok(Report { what: "specs", ..tally.report(vec![("suites", names.len()), ("listed", listed)]) })
}
