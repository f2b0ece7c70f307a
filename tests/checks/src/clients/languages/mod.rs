//! `cargo xtask check clients languages`: client libraries in Go, Python, JavaScript and Java, each in a program that uses the
//! server as its users do. The programs are in `tests/clients` and `tests/differential/client`.

mod judge;
mod programs;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use self::judge::judge;
use self::programs::{LANGUAGES, NAMES};
use super::scratch;
use super::serving::Serving;
use super::tally::Tally;
use crate::Report;

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The program `hubgen`
    #[arg(long, value_name = "FILE", required_unless_present = "kubeconfig")]
    hubgen: Option<PathBuf>,
    /// The kubeconfig of another server, such as a kube-apiserver, which the programs check in the place of hubgen
    #[arg(long, value_name = "FILE", conflicts_with = "hubgen")]
    kubeconfig: Option<PathBuf>,
    /// A language; may be given several times [default: all]
    #[arg(long, value_name = "LANGUAGE", value_parser = NAMES)]
    only: Vec<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the programs.
///
/// # Errors
/// If the server does not start.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    Ok(scratch(|folder| all(args, folder))?.print(args.json))
}

fn all(args: &Args, folder: &Path) -> Result<Report, String> {
    // Everything that it has: the program in Go reads objects at old versions.
    let options = ["--authorization-mode", "RBAC", "--runtime-config", "api/all=true"];
    let serving = args
        .hubgen
        .as_ref()
        .map(|hubgen| Serving::start(hubgen, &folder.join("server"), &options))
        .transpose()?;
    let own = serving.as_ref().map(Serving::kubeconfig);
    let kubeconfig = own.or(args.kubeconfig.clone()).ok_or("neither a program nor a kubeconfig")?;
    // Each program runs in a folder of its own.
    let absolute = |path: &Path| path.canonicalize().map_err(|error| format!("{}: {error}", path.display()));
    let (kubeconfig, hubgen) = (absolute(&kubeconfig)?, args.hubgen.as_deref().map(absolute).transpose()?);
    let mut tally = Tally::default();
    let chosen = LANGUAGES
        .iter()
        .filter(|language| args.only.is_empty() || args.only.iter().any(|name| name == language.name));
    let mut count = 0;
    for language in chosen {
        count += 1;
        let folder = folder.join(language.name);
        let output = language.install(&folder).and_then(|()| language.run(&folder, &kubeconfig));
        let is_installed = output.is_ok();
        judge(language.name, output, &mut tally);
        if let Some(hubgen) = hubgen.as_ref().filter(|_| is_installed)
            && let Some(result) = language.run_fixture(&folder, hubgen)
        {
            tally.take(&format!("{}: tests that start the server", language.name), result);
        }
    }
    Ok(Report { what: "checks", ..tally.report(vec![("languages", count)]) })
}
