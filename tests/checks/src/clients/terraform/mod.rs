//! `cargo xtask check clients terraform`: objects are made, changed and destroyed by Terraform's provider.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;

use super::kubectl::{equal, expect};
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
    /// The provider hashicorp/kubernetes, as a program [default: terraform-provider-kubernetes on the PATH]
    #[arg(long, value_name = "FILE")]
    provider: Option<PathBuf>,
    /// The program terraform [default: that of the PATH]
    #[arg(long, value_name = "FILE")]
    terraform: Option<PathBuf>,
    /// A kubectl, which looks what has become of the objects [default: that of the PATH]
    #[arg(long, value_name = "FILE")]
    kubectl: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Takes all steps.
///
/// # Errors
/// If a program is missing, or the server does not start.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let find = |given: &Option<PathBuf>, name: &str| {
        let found = given.clone().or_else(|| on_the_path(name).into_iter().next());
        found.ok_or_else(|| format!("no {name} on the PATH; name one with an option"))
    };
    let terraform = find(&args.terraform, "terraform")?;
    let provider = find(&args.provider, "terraform-provider-kubernetes")?;
    let kubectl = find(&args.kubectl, "kubectl")?;
    let report = scratch(|folder| all(&args.hubgen, [&terraform, &provider, &kubectl], folder))?;
    Ok(report.print(args.json))
}

fn all(hubgen: &Path, [terraform, provider, kubectl]: [&Path; 3], folder: &Path) -> Result<Report, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let serving = Serving::start(hubgen, folder, &[])?;
    let kubectl = Session::new("kubectl", kubectl, folder, &serving)?;
    // Terraform takes a provider from a folder by the name of its file.
    let providers = folder.join("providers");
    fs::create_dir_all(&providers).map_err(failed)?;
    fs::copy(provider, providers.join("terraform-provider-kubernetes")).map_err(failed)?;
    let settings = folder.join("terraform.rc");
    let text = format!(
        "disable_checkpoint = true\nprovider_installation {{\n  dev_overrides {{ \"hashicorp/kubernetes\" = {} }}\n  direct {{}}\n}}\n",
        json!(providers)
    );
    fs::write(&settings, text).map_err(failed)?;
    let kubeconfig = serving.kubeconfig();
    let terraform = Session::new("terraform", terraform, folder, &serving)?
        .with("TF_CLI_CONFIG_FILE", settings)
        .with("TF_VAR_kubeconfig", kubeconfig);
    fs::write(terraform.file("main.tf"), include_str!("main.tf")).map_err(failed)?;
    let mut tally = Tally::default();
    for (name, step) in STEPS {
        tally.take(&format!("terraform, {name}"), step(&terraform, &kubectl));
    }
    Ok(tally.report(vec![("objects", 3)]))
}

type Step = fn(&Session, &Session) -> Result<(), String>;

/// The steps. They build on each other.
const STEPS: &[(&str, Step)] = &[("apply", apply), ("change", change), ("plan", plan), ("destroy", destroy)];

fn apply(terraform: &Session, kubectl: &Session) -> Result<(), String> {
    let told = terraform.ok("apply -auto-approve -no-color")?;
    expect(&told, "Apply complete! Resources: 3 added, 0 changed, 0 destroyed.")?;
    equal(&kubectl.json("deploy lamp -n lamps")?["spec"]["replicas"], &json!(2))
}

fn change(terraform: &Session, kubectl: &Session) -> Result<(), String> {
    let told = terraform.ok("apply -auto-approve -no-color -var colour=green")?;
    expect(&told, "Apply complete! Resources: 0 added, 1 changed, 0 destroyed.")?;
    equal(&kubectl.json("cm lamp -n lamps")?["data"], &json!({"colour": "green"}))
}

/// What was applied is what Terraform finds: defaults of the server are no difference.
fn plan(terraform: &Session, _: &Session) -> Result<(), String> {
    terraform.prints("plan -detailed-exitcode -no-color -var colour=green", &["No changes."])
}

fn destroy(terraform: &Session, kubectl: &Session) -> Result<(), String> {
    let told = terraform.ok("destroy -auto-approve -no-color")?;
    expect(&told, "Destroy complete! Resources: 3 destroyed.")?;
    kubectl.fails("get ns lamps", "namespaces \"lamps\" not found")
}
