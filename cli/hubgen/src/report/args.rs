//! The arguments of `hubgen report`.

use std::path::PathBuf;

use hubgen_model::Release;
use hubgen_terminal::Severity;

/// Report which objects a release of Kubernetes does not serve.
///
/// Reads manifests, charts (rendered by your own helm), the releases that Helm stores, and with --cluster all objects of a
/// live cluster. For each object at a version that the target release does not serve, prints what the version is replaced by,
/// what converting it changes, or why it cannot be converted. Nothing is changed anywhere; `hubgen convert` does that.
///
/// In a cluster, objects have every version that it serves. What counts there is at which version somebody last wrote
/// them: who applies an old version today cannot do so after the upgrade.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Report what in a folder does not survive an upgrade to Kubernetes 1.37:
    hubgen report --target 1.37 manifests/
  Report on a live cluster, without changing it:
    hubgen report --target 1.37 --cluster
  Report on what Helm remembers of its releases:
    kubectl get secret --all-namespaces -l owner=helm -o yaml | hubgen report --target 1.37 -
  Report on a chart with its values:
    hubgen report --target 1.37 --values production.yaml charts/web
  Show the places in a pull request on GitHub:
    hubgen report --target 1.37 -o sarif manifests/ > report.sarif
  Fail for deprecated versions, too, which the target still serves:
    hubgen report --target 1.37 --fail-on warning manifests/

JSON (-o json), to standard output:
  {\"ok\": true, \"target\": TEXT, \"objects\": N, \"unknown\": N,
   \"findings\": [{\"rule\", \"level\", \"file\", \"line\", \"column\", \"within\", \"path\",
     \"apiVersion\", \"kind\", \"namespace\", \"name\", \"since\", \"deprecated\", \"removed\",
     \"to\": {\"apiVersion\", \"kind\"}, \"disabled\", \"use\",
     \"written\": {\"by\", \"operation\", \"subresource\", \"time\"}, \"history\",
     \"edits\": [{\"from\", \"path\", \"was\", \"is\"}],
     \"problems\": [{\"path\", \"message\", \"help\"}]}],
   \"diagnostics\": [{\"severity\", \"file\", \"line\", \"column\", \"path\", \"message\", \"help\"}]}
  Members that do not apply are absent. `within` is the place inside of the file: a release of Helm and its line, or
  the object of a cluster. `disabled` is true if the target serves `to` only where it is enabled, `history` for
  what only a rollback of Helm needs, or somebody else has written since at a served version. `unknown` counts objects of unknown kinds, such as custom resources. `ok` is false if the
  exit code is 1.

Rules:
  removed-version     the target does not serve the version; it serves another one of the kind
  removed-kind        the target serves no version of the kind
  later-version       only releases after the target serve the version
  unknown-version     no release had the kind at the version, although the group is Kubernetes' own
  disabled-version    the target serves the version only where it is enabled                   (a warning)
  deprecated-version  the target serves the version, and tells clients to use something else   (a warning)
  old-reference       a field or a text names a version that the target does not serve         (a warning)
  stored-version      a custom resource may still be stored at a version that is gone          (a warning)

Exit codes:
  0  nothing was found, or no more than --fail-on allows
  1  something was found, or an input cannot be read
  2  wrong arguments")]
pub struct Args {
    /// Files, folders and charts (folders with a Chart.yaml, and .tgz); standard input for `-`, or without any and without --cluster
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// The release that the objects are meant for [default: the newest that is known]
    #[arg(long, value_name = "RELEASE")]
    pub(super) target: Option<Release>,
    /// How to print the report
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(super) output: Output,
    /// Exit with 1 for findings of this level
    #[arg(long, value_name = "LEVEL", default_value = "error")]
    pub(super) fail_on: FailOn,
    /// The program that renders charts
    #[arg(long, value_name = "FILE", default_value = "helm")]
    pub(super) helm: PathBuf,
    #[command(flatten)]
    pub(super) cluster: OfCluster,
    /// Values for the charts; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(super) values: Vec<PathBuf>,
    /// Know the kinds of a repository, too: the hubgen.toml that describes it
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
}

/// Whether a cluster is read, and which.
#[derive(clap::Args)]
pub(super) struct OfCluster {
    /// Report on all objects of a cluster, too; your kubectl reads them
    #[arg(long = "cluster")]
    pub(super) is_read: bool,
    /// With --cluster: the kubeconfig, instead of those that kubectl finds
    #[arg(long, value_name = "FILE", requires = "is_read")]
    pub(super) kubeconfig: Option<PathBuf>,
    /// With --cluster: the context in the kubeconfig
    #[arg(long, value_name = "NAME", requires = "is_read")]
    pub(super) context: Option<String>,
    /// With --cluster: only the objects of this namespace
    #[arg(short, long, value_name = "NAME", requires = "is_read")]
    pub(super) namespace: Option<String>,
    /// The program that reads clusters
    #[arg(long, value_name = "FILE", default_value = "kubectl")]
    pub(super) kubectl: PathBuf,
}

/// The format of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Output {
    /// For people
    Text,
    /// For programs
    Json,
    /// For GitHub and other tools that show findings at their places
    Sarif,
}

/// Which findings fail the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum FailOn {
    /// What the target does not serve
    Error,
    /// Warnings, too
    Warning,
    /// None
    Never,
}

impl FailOn {
    pub(super) fn has(self, level: Severity) -> bool {
        match self {
            Self::Error => level == Severity::Error,
            Self::Warning => true,
            Self::Never => false,
        }
    }
}
