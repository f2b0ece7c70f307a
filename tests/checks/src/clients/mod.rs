//! `cargo xtask check clients`: real clients against `hubgen serve`.

mod controller_runtime;
mod envtest;
mod helm;
mod judge;
mod kube_rs;
mod kubectl;
mod languages;
mod operators;
mod reports;
mod serving;
mod session;
mod tally;
mod terraform;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

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
    /// Install, upgrade, roll back and uninstall a chart with each helm at hand
    #[command(after_long_help = "\
Examples:
  With two helms, which Go builds from the modules helm.sh/helm/v3 and helm.sh/helm/v4:
    cargo xtask check clients helm --hubgen target/release/hubgen --helm helm3 --helm helm4")]
    Helm(helm::Programs),
    /// Upgrade the cluster under releases of old charts, and convert what helm remembers of them
    #[command(after_long_help = "\
Examples:
  With charts of the archived repository github.com/helm/charts, from before Kubernetes 1.16:
    cargo xtask check clients helm-releases --hubgen target/release/hubgen --helm helm3 --charts charts
  Beside the plugin helm-mapkubeapis:
    cargo xtask check clients helm-releases --hubgen target/release/hubgen --helm helm3 --helm helm4 --charts charts \
      --mapkubeapis mapkubeapis --map config/Map.yaml")]
    HelmReleases(helm::releases::Args),
    /// Make, change and destroy objects with Terraform's provider
    #[command(after_long_help = "\
Examples:
  With a provider that is not on the PATH:
    cargo xtask check clients terraform --hubgen target/release/hubgen --provider terraform-provider-kubernetes")]
    Terraform(terraform::Args),
    /// Run controller-runtime's own tests of its client and its cache on the programs of `hubgen envtest install`
    #[command(after_long_help = "\
Examples:
  With the newest module, beside the programs of a real control plane in a folder:
    cargo xtask check clients controller-runtime --hubgen target/release/hubgen --beside kubebuilder/bin
  One of the suites, without anything beside it:
    cargo xtask check clients controller-runtime --hubgen target/release/hubgen --suite client")]
    ControllerRuntime(controller_runtime::Args),
    /// Run the suites of published operators on the programs of `hubgen envtest install`
    #[command(after_long_help = "\
Examples:
  All of them, beside the programs of a real control plane in a folder:
    cargo xtask check clients operators --hubgen target/release/hubgen --beside kubebuilder/bin
  One suite of an operator:
    cargo xtask check clients operators --hubgen target/release/hubgen --operator kuberay --package controllers/ray")]
    Operators(operators::Args),
    /// Run the integration tests of kube, the client for Rust, on a TestServer
    #[command(after_long_help = "\
Examples:
  Those of the newest kube 5, whose sources Cargo downloads:
    cargo xtask check clients kube-rs
  Those of one release:
    cargo xtask check clients kube-rs --release 5.0.0")]
    KubeRs(kube_rs::Args),
    /// Use the server with client libraries: client-go, and those for Python, JavaScript and Java
    #[command(after_long_help = "\
Examples:
  With all of them, which pip, npm, Maven and Go install into a folder that is removed afterwards:
    cargo xtask check clients languages --hubgen target/release/hubgen
  With two of them:
    cargo xtask check clients languages --hubgen target/release/hubgen --only python --only javascript
  The same programs with a real API server, to see that they expect the right things:
    cargo xtask check clients languages --kubeconfig kube-apiserver.kubeconfig")]
    Languages(languages::Args),
    /// Ask `hubgen report`, pluto and kubent which objects a release does not serve, and compare with what its server tells
    #[command(after_long_help = "\
Examples:
  A folder of manifests, live objects made of them, and every version of every kind that there ever was:
    cargo xtask check clients reports --hubgen target/release/hubgen --pluto pluto --kubent kubent --manifests manifests
  With releases of Helm, and a kube-apiserver that decides what is served:
    cargo xtask check clients reports --hubgen target/release/hubgen --pluto pluto --kubent kubent --manifests manifests \
      --releases releases --helm helm3 --kubeconfig kube-apiserver.kubeconfig")]
    Reports(reports::Args),
}

/// Runs the check.
///
/// # Errors
/// If there is no such client, or the server does not start.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    match &args.client {
        Client::Kubectl(args) => kubectl::run(args),
        Client::Helm(args) => helm::run(args),
        Client::HelmReleases(args) => helm::releases::run(args),
        Client::Terraform(args) => terraform::run(args),
        Client::ControllerRuntime(args) => controller_runtime::run(args),
        Client::Operators(args) => operators::run(args),
        Client::KubeRs(args) => kube_rs::run(args),
        Client::Languages(args) => languages::run(args),
        Client::Reports(args) => reports::run(args),
    }
}

/// Every program of a name on the PATH, also with its version after the name: `kubectl`, `kubectl.1.33`, `helm4`. The same
/// program counts once.
fn on_the_path(name: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in env::split_paths(&env::var_os("PATH").unwrap_or_default()) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let is_meant = |file: &str| {
            let rest = file.strip_prefix(name);
            rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '-'))
        };
        let named = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_meant));
        found.extend(named.filter_map(|entry| entry.path().canonicalize().ok()));
    }
    found.sort();
    found.dedup();
    found
}

/// The files with one of these extensions in a folder and those below it, in order.
fn files(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() {
            found.extend(files(&path, extensions)?);
        } else if path.extension().is_some_and(|extension| extensions.iter().any(|other| extension == *other))
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Calls a function with a folder that is gone afterwards.
fn scratch<T>(work: impl FnOnce(&Path) -> Result<T, String>) -> Result<T, String> {
    let folder = env::temp_dir().join(format!("hubgen-clients-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let done = work(&folder);
    let _ = fs::remove_dir_all(&folder);
    done
}

/// Copies a folder with all that is in it.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &target)?,
            false => drop(fs::copy(entry.path(), target)?),
        }
    }
    Ok(())
}
