//! `cargo xtask check clients helm`: a chart is installed, upgraded, rolled back and uninstalled.

pub mod releases;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::kubectl::{equal, expect};
use super::serving::Serving;
use super::session::Session;
use super::tally::Tally;
use super::{on_the_path, scratch};
use crate::{Report, root};

/// The programs that a check of helm starts.
#[derive(clap::Args)]
pub struct Programs {
    /// The program `hubgen`
    #[arg(long, value_name = "FILE")]
    hubgen: PathBuf,
    /// A helm of version 3 or 4; may be given several times [default: every helm, helm3 and helm4 on the PATH]
    #[arg(long, value_name = "FILE")]
    helm: Vec<PathBuf>,
    /// A kubectl, which looks what has become of the chart [default: that of the PATH]
    #[arg(long, value_name = "FILE")]
    kubectl: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Takes all steps with each helm.
///
/// # Errors
/// If there is no helm or no kubectl, or the server does not start.
pub fn run(args: &Programs) -> Result<ExitCode, String> {
    let (helms, kubectl) = programs(args)?;
    Ok(scratch(|folder| all(args, &helms, &kubectl, folder))?.print(args.json))
}

/// Each helm, and kubectl.
fn programs(args: &Programs) -> Result<(Vec<PathBuf>, PathBuf), String> {
    let helms = if args.helm.is_empty() { on_the_path("helm") } else { args.helm.clone() };
    if helms.is_empty() {
        return Err("no helm on the PATH; name one with --helm".to_owned());
    }
    let kubectl = args.kubectl.clone().or_else(|| on_the_path("kubectl").into_iter().next());
    Ok((helms, kubectl.ok_or("no kubectl on the PATH; name one with --kubectl")?))
}

fn all(args: &Programs, helms: &[PathBuf], kubectl: &Path, scratch: &Path) -> Result<Report, String> {
    let mut tally = Tally::default();
    for (number, helm) in helms.iter().enumerate() {
        let folder = scratch.join(number.to_string());
        let serving = Serving::start(&args.hubgen, &folder, &[])?;
        let kubectl = Session::new("kubectl", kubectl, &folder, &serving)?;
        let helm = Session::new("helm", helm, &folder, &serving)?;
        let version = helm.ok("version --template {{.Version}}")?;
        let run = Run { helm, kubectl, applies: !version.starts_with("v3.") };
        for (name, step) in STEPS {
            tally.take(&format!("helm {version}, {name}"), step(&run));
        }
    }
    Ok(tally.report(vec![("helms", helms.len())]))
}

/// A helm, and a kubectl that looks.
struct Run {
    helm: Session,
    kubectl: Session,
    /// Whether this helm applies on the server's side, as those from version 4 on do.
    applies: bool,
}

type Step = fn(&Run) -> Result<(), String>;

/// The steps. They build on each other.
const STEPS: &[(&str, Step)] = &[
    ("install", install),
    ("upgrade", upgrade),
    ("get manifest and history", tell),
    ("rollback", rollback),
    ("upgrade with a conflict", conflict),
    ("uninstall", uninstall),
];

impl Run {
    /// Runs helm about the release, with the chart of this check.
    fn with_chart(&self, verb: &str, options: &str) -> Result<String, String> {
        let chart = root().join("tests/checks/src/clients/helm/chart");
        self.helm.ok(&format!("{verb} lamp '{}' -n n {options}", chart.display()))
    }

    /// The colour of the lamp, and whether it has something extra.
    fn found(&self) -> Result<(Value, bool), String> {
        let maps = self.kubectl.ok("get cm -n n -o name")?;
        let colour = self.kubectl.json("cm lamp -n n")?["data"]["colour"].clone();
        Ok((colour, maps.lines().any(|name| name == "configmap/lamp-extra")))
    }

    fn expect(&self, colour: &str, has_extra: bool) -> Result<(), String> {
        let found = self.found()?;
        if found == (json!(colour), has_extra) {
            return Ok(());
        }
        Err(format!("expected colour {colour} and extra {has_extra}, found {found:?}"))
    }
}

fn install(run: &Run) -> Result<(), String> {
    expect(&run.with_chart("install", "--create-namespace")?, "STATUS: deployed")?;
    run.expect("red", false)?;
    let text = run.kubectl.ok("get deploy lamp -n n -o json --show-managed-fields")?;
    let object: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let entry = &object["metadata"]["managedFields"][0];
    let operation = if run.applies { "Apply" } else { "Update" };
    equal(&json!([entry["manager"], entry["operation"]]), &json!(["helm", operation]))
}

fn upgrade(run: &Run) -> Result<(), String> {
    expect(&run.with_chart("upgrade", "--set colour=green,extra=true")?, "REVISION: 2")?;
    run.expect("green", true)
}

fn tell(run: &Run) -> Result<(), String> {
    run.helm.prints("get manifest lamp -n n", &["kind: Deployment", "colour: \"green\"", "lamp-extra"])?;
    run.helm.prints("history lamp -n n", &["superseded", "deployed"])?;
    run.helm.prints("list -n n", &["lamp-0.1.0"])
}

fn rollback(run: &Run) -> Result<(), String> {
    expect(&run.helm.ok("rollback lamp 1 -n n")?, "Rollback was a success")?;
    run.expect("red", false)
}

/// Somebody else scales what the chart sets. Helm 3 overwrites it; from 4 on, helm names who it was.
fn conflict(run: &Run) -> Result<(), String> {
    run.kubectl.ok("scale deploy lamp -n n --replicas=5")?;
    if run.applies {
        let chart = root().join("tests/checks/src/clients/helm/chart");
        let line = format!("upgrade lamp '{}' -n n --set replicas=3", chart.display());
        run.helm.fails(
            &line,
            "conflict with \"kubectl\" with subresource \"scale\" using apps/v1: .spec.replicas",
        )?;
        run.with_chart("upgrade", "--set replicas=3 --force-conflicts")?;
    } else {
        run.with_chart("upgrade", "--set replicas=3")?;
    }
    equal(&run.kubectl.json("deploy lamp -n n")?["spec"]["replicas"], &json!(3))
}

fn uninstall(run: &Run) -> Result<(), String> {
    expect(&run.helm.ok("uninstall lamp -n n")?, "release \"lamp\" uninstalled")?;
    let left = run.kubectl.ok("get deploy,svc,cm,sa,secret -n n -o name")?;
    if left.is_empty() { Ok(()) } else { Err(format!("expected nothing, found\n{left}")) }
}
