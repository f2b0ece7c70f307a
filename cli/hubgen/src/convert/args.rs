//! The arguments of `hubgen convert`.

use std::path::PathBuf;

use hubgen_kubernetes::machinery::scheme::Scheme;
use hubgen_manifest::Format;
use hubgen_migrate::Target;

/// Convert manifests to other versions of their kinds.
///
/// Reads YAML and JSON from files, from folders with all folders below them (.yaml, .yml, .json), or from
/// standard input. A file may contain many documents and lists. What a conversion does not change stays as
/// it was written, comments included.
///
/// Objects of unknown kinds stay as they are, with a warning. A field that the version of an object does
/// not have is an error, because it would be lost; see --drop-unknown.
///
/// An object that cannot be converted is left out of the output. With --in-place and --diff its whole file stays as
/// it is, while files without errors are written.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Convert a file to the newest versions, comments and layout included:
    hubgen convert --newest deployment.yaml
  List what would change in a folder of manifests:
    hubgen convert --newest --check manifests/
  Change the files:
    hubgen convert --newest --in-place manifests/
  Convert the files that a hook before a commit names:
    hubgen convert --newest --pre-commit deployment.yaml
  Show the changes as a patch, and fail if there is one:
    hubgen convert --newest --check --diff manifests/
  Convert the answer of a cluster to an older version, as JSON:
    kubectl get hpa -o yaml | hubgen convert --to autoscaling/v1 -o json
  Convert objects of a repository's own kinds, too:
    hubgen convert --newest --in-place --config hubgen.toml manifests/
  List the changes for a program to read:
    hubgen convert --newest --check --json manifests/
  Convert the manifests for a cluster of another release than the newest:
    hubgen convert --to 1.22 --in-place manifests/
  Convert what Helm remembers of its releases, so that it can upgrade them in a cluster without the old versions:
    kubectl get secret -l owner=helm -o yaml | hubgen convert --helm-release | kubectl replace -f -
  Convert a backup of Velero, so that a newer cluster can restore it:
    hubgen convert --newest --velero-backup backup.tar.gz --output-file new.tar.gz

JSON (--json), to standard output, or to standard error where that has objects or a patch:
  {\"ok\": true, \"files\": N, \"changed_files\": N, \"changed_objects\": N, \"errors\": N, \"warnings\": N,
   \"kept_files\": [FILE],
   \"changes\": [{\"file\", \"line\", \"path\", \"from\": {\"apiVersion\", \"kind\"},
                \"to\": {\"apiVersion\", \"kind\"}, \"namespace\", \"name\"}],
   \"diagnostics\": [{\"severity\", \"file\", \"line\", \"column\", \"path\", \"message\", \"help\"}]}
  Members that do not apply are absent. kept_files would have changed, but for errors in them. With
  --velero-backup, file is the entry of the backup.

Exit codes:
  0  success; there may be warnings
  1  an object cannot be converted, a file cannot be read or written, --check found something to
     change, or --pre-commit has changed something
  2  wrong arguments")]
pub struct Args {
    /// Files and folders; standard input for `-` or without any
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) wanted: Wanted,
    /// Write every object in this format, instead of the format of its input
    #[arg(short, long, value_name = "FORMAT", conflicts_with_all = ["in_place", "check", "diff"])]
    pub(super) output: Option<Output>,
    /// Write each file back, instead of one stream to standard output
    #[arg(long)]
    pub(super) in_place: bool,
    /// Write nothing; list what would change, and exit with 1 if anything would
    #[arg(long, conflicts_with = "in_place")]
    pub(super) check: bool,
    /// Write nothing; print what would change as a patch, which `git apply` and `patch -p1` take
    #[arg(long, conflicts_with = "in_place")]
    pub(super) diff: bool,
    /// Write the files back that a hook before a commit names, and exit with 1 if one has changed
    ///
    /// Files without `apiVersion`, and templates that are no YAML before they are rendered, are passed over.
    #[arg(long, conflicts_with_all = ["in_place", "check", "diff", "output"])]
    pub(super) pre_commit: bool,
    /// Convert a backup of Velero, BACKUP.tar.gz; standard input for `-`
    ///
    /// Each object gets the path at which a restore looks for its new version. An object with an error stays as it is in
    /// the output, and so does everything that is no object. Of objects that come to the same path, the one at the version
    /// that the cluster preferred is kept, with a warning.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "output", "diff", "pre_commit", "helm_release"])]
    pub(super) velero_backup: Option<PathBuf>,
    /// With --velero-backup: write the new backup to this file when it is complete, instead of standard output
    #[arg(long, value_name = "FILE", requires = "velero_backup", conflicts_with_all = ["in_place", "check"])]
    pub(super) output_file: Option<PathBuf>,
    /// Drop fields that the version of an object does not have, with a warning
    #[arg(long)]
    pub(super) drop_unknown: bool,
    /// With --helm-release: leave out objects of which no version is served, with a warning
    #[arg(long, requires = "helm_release")]
    pub(super) drop_gone: bool,
    /// Convert the kinds of a repository, too: the hubgen.toml that describes it
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Report changes, warnings and errors as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// The wanted version: one of these, or the newest where Helm's releases are converted.
#[derive(clap::Args)]
#[group(required = true, multiple = true)]
pub(super) struct Wanted {
    /// Convert to this version, such as apps/v1 (`v1` is the core group), or to what a release such as 1.22 serves
    ///
    /// Of several versions (apps/v1,batch/v1), each object gets the first that its kind has. Objects whose
    /// kinds have none of them stay as they are. With a release, objects at a version that it does not serve get
    /// the newest one that it serves.
    #[arg(long, value_name = "GROUP/VERSION|RELEASE", value_delimiter = ',', conflicts_with_all = ["newest", "storage"])]
    pub(super) to: Vec<String>,
    /// Convert to the newest version that Kubernetes 1.37 serves, or the definition of a repository's kind; stable
    /// before beta before alpha
    #[arg(long, conflicts_with = "storage")]
    pub(super) newest: bool,
    /// Convert to the version that objects are stored at by default
    #[arg(long)]
    pub(super) storage: bool,
    /// Convert the manifests inside the releases that Helm 3 and 4 store; --newest unless told otherwise
    ///
    /// Reads the Secrets or ConfigMaps of releases, one or many, and writes them again. Each release keeps its name,
    /// chart, values and revision; its description tells what was converted. Other objects stay as they are, with a
    /// warning.
    #[arg(long)]
    pub(super) helm_release: bool,
}

impl Wanted {
    pub(super) fn target(&self, scheme: &Scheme) -> Result<Target, String> {
        match self {
            Self { storage: true, .. } => Ok(Target::Storage),
            Self { to, .. } if to.is_empty() => Ok(Target::Newest),
            Self { to, .. } => Target::named(scheme, to).map_err(|error| format!("--to {error}")),
        }
    }
}

/// The format of every object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Output {
    /// As `kubectl get -o yaml` lays it out.
    Yaml,
    /// Indented by four, as `kubectl get -o json` lays it out.
    Json,
}

impl From<Output> for Format {
    fn from(output: Output) -> Self {
        match output {
            Output::Yaml => Self::Yaml,
            Output::Json => Self::Json,
        }
    }
}

impl Args {
    /// Whether files are written back.
    pub(super) fn writes(&self) -> bool {
        self.in_place || self.pre_commit
    }

    /// Whether the converted objects themselves go to standard output.
    pub(super) fn streams(&self) -> bool {
        !self.writes() && !self.check && !self.diff && self.output_file.is_none()
    }

    /// Whether the converted text of each file is put together.
    pub(super) fn makes_files(&self) -> bool {
        self.writes() || self.diff
    }

    /// Whether each change is a line on standard output.
    pub(super) fn lists_changes(&self) -> bool {
        self.check && !self.diff
    }
}
