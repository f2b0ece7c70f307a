//! `hubgen convert`: manifests from one version to another.
//!
//! Objects are converted through the hub of their kind. In the text, only what the conversion changes is
//! edited: order, layout and comments stay where possible.

mod diff;
mod heard;
mod kustomize;
mod releases;
mod report;
mod velero;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use hubgen_kubernetes::machinery::scheme::Scheme;
use hubgen_manifest::{Format, Stream, Text, replace};
use hubgen_migrate::{Converter, Known, Manifest, Target};
use hubgen_model::Release;
use hubgen_terminal::{Diagnostic, FAILURE, Messages, Progress};

use self::heard::Heard;
use self::kustomize::Patches;
use self::releases::Releases;
use self::report::Report;
use crate::input::{Input, Origin, origins};

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
    hubgen convert --served-by 1.22 --in-place manifests/
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
    paths: Vec<PathBuf>,
    #[command(flatten)]
    wanted: Wanted,
    /// Write every object in this format, instead of the format of its input
    #[arg(short, long, value_name = "FORMAT", conflicts_with_all = ["in_place", "check", "diff"])]
    output: Option<Output>,
    /// Write each file back, instead of one stream to standard output
    #[arg(long)]
    in_place: bool,
    /// Write nothing; list what would change, and exit with 1 if anything would
    #[arg(long, conflicts_with = "in_place")]
    check: bool,
    /// Write nothing; print what would change as a patch, which `git apply` and `patch -p1` take
    #[arg(long, conflicts_with = "in_place")]
    diff: bool,
    /// Write the files back that a hook before a commit names, and exit with 1 if one has changed
    ///
    /// Files without `apiVersion`, and templates that are no YAML before they are rendered, are passed over.
    #[arg(long, conflicts_with_all = ["in_place", "check", "diff", "output"])]
    pre_commit: bool,
    /// Convert a backup of Velero, BACKUP.tar.gz; standard input for `-`
    ///
    /// Each object gets the path at which a restore looks for its new version. An object with an error stays as it is in
    /// the output, and so does everything that is no object. Of objects that come to the same path, the one at the version
    /// that the cluster preferred is kept, with a warning.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "output", "diff", "pre_commit", "helm_release"])]
    velero_backup: Option<PathBuf>,
    /// With --velero-backup: write the new backup to this file when it is complete, instead of standard output
    #[arg(long, value_name = "FILE", requires = "velero_backup", conflicts_with_all = ["in_place", "check"])]
    output_file: Option<PathBuf>,
    /// Drop fields that the version of an object does not have, with a warning
    #[arg(long)]
    drop_unknown: bool,
    /// With --helm-release: leave out objects of which no version is served, with a warning
    #[arg(long, requires = "helm_release")]
    drop_gone: bool,
    /// Convert the kinds of a repository, too: the hubgen.toml that describes it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Report changes, warnings and errors as JSON
    #[arg(long)]
    json: bool,
}

/// The wanted version: one of these, or the newest where Helm's releases are converted.
#[derive(clap::Args)]
#[group(required = true, multiple = true)]
struct Wanted {
    /// Convert to this version, such as apps/v1; `v1` is the core group
    ///
    /// Of several versions (apps/v1,batch/v1), each object gets the first that its kind has. Objects whose
    /// kinds have none of them stay as they are.
    #[arg(long, value_name = "GROUP/VERSION", value_delimiter = ',', conflicts_with_all = ["newest", "served_by", "storage"])]
    to: Vec<String>,
    /// Convert to the newest version that Kubernetes 1.37 serves, or the definition of a repository's kind; stable
    /// before beta before alpha
    #[arg(long, conflicts_with_all = ["served_by", "storage"])]
    newest: bool,
    /// Convert what a release of Kubernetes does not serve to the newest version that it serves, such as 1.22
    #[arg(long, value_name = "RELEASE", conflicts_with = "storage")]
    served_by: Option<Release>,
    /// Convert to the version that objects are stored at by default
    #[arg(long)]
    storage: bool,
    /// Convert the manifests inside the releases that Helm 3 and 4 store; --newest unless told otherwise
    ///
    /// Reads the Secrets or ConfigMaps of releases, one or many, and writes them again. Each release keeps its name,
    /// chart, values and revision; its description tells what was converted. Other objects stay as they are, with a
    /// warning.
    #[arg(long)]
    helm_release: bool,
}

impl Wanted {
    fn target(&self, scheme: &Scheme) -> Result<Target, String> {
        match self {
            Self { storage: true, .. } => Ok(Target::Storage),
            Self { served_by: Some(release), .. } => {
                Target::release(scheme, *release).map_err(|error| format!("--served-by {error}"))
            }
            Self { to, .. } if to.is_empty() => Ok(Target::Newest),
            Self { to, .. } => Target::versions(scheme, to).map_err(|error| format!("--to {error}")),
        }
    }
}

/// The format of every object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Output {
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
    fn writes(&self) -> bool {
        self.in_place || self.pre_commit
    }

    /// Whether the converted objects themselves go to standard output.
    fn streams(&self) -> bool {
        !self.writes() && !self.check && !self.diff && self.output_file.is_none()
    }

    /// Whether the converted text of each file is put together.
    fn makes_files(&self) -> bool {
        self.writes() || self.diff
    }

    /// Whether each change is a line on standard output.
    fn lists_changes(&self) -> bool {
        self.check && !self.diff
    }
}

/// Converts, and reports.
pub fn run(args: &Args, is_quiet: bool) -> ExitCode {
    let mut messages = Messages::new(args.json, is_quiet);
    let known = match Known::new(args.config.as_deref()) {
        Ok(known) => known,
        Err(errors) => return messages.fail(&errors),
    };
    let target = match args.wanted.target(&known.scheme) {
        Ok(target) => target,
        Err(message) => return crate::usage("convert", &message),
    };
    let converter = Converter {
        known: &known,
        target: &target,
        drops_unknown: args.drop_unknown,
        help_for_unknown: if args.wanted.helm_release {
            "the cluster dropped it, too: do the same with --drop-unknown"
        } else {
            "correct its name, or drop such fields with --drop-unknown"
        },
    };
    if let Some(backup) = &args.velero_backup {
        return velero::run(args, backup, &converter, messages);
    }
    let (origins, errors) = origins(&args.paths);
    if args.writes() && origins.iter().any(|origin| matches!(origin, Origin::Stdin)) {
        return crate::usage(
            "convert",
            "--in-place and --pre-commit need files: standard input cannot be written back",
        );
    }
    // A bar would mix with a stream on the same terminal.
    let is_free = args.writes() || args.lists_changes() || !io::stdout().is_terminal();
    messages.progress = Progress::new(is_free && !args.json && !is_quiet);
    let bar = messages.progress.bar(origins.len(), "files");
    let mut report = Report::new(messages);
    errors.iter().for_each(|error| report.add(error));
    let mut stream = Stream::new(io::stdout().lock(), args.output.map(Format::from));
    let mut patches = Patches::default();
    let written = origins.iter().try_for_each(|origin| {
        let done = one(args, origin, &converter, &mut stream, &mut patches, &mut report);
        bar.step();
        done
    });
    drop(bar);
    if let Err(error) = written.and_then(|()| stream.finish()) {
        // The reader has enough, as `head` does.
        if error.kind() == io::ErrorKind::BrokenPipe {
            return ExitCode::SUCCESS;
        }
        report.add(&unwritable(&error));
    }
    drop(stream);
    finish(args, report)
}

/// The end of the report, and the exit code.
fn finish(args: &Args, mut report: Report) -> ExitCode {
    let has_output = args.writes() || args.lists_changes() || args.output_file.is_some();
    let fails = report.errors() > 0 || ((args.check || args.pre_commit) && report.changes > 0);
    if args.json {
        let written =
            if has_output { report.write_json(io::stdout()) } else { report.write_json(io::stderr()) };
        if written.is_err_and(|error| error.kind() != io::ErrorKind::BrokenPipe) {
            return ExitCode::from(FAILURE);
        }
    } else if !args.streams() {
        report.summary(args.check || args.diff);
    }
    if fails { ExitCode::from(FAILURE) } else { ExitCode::SUCCESS }
}

/// Standard output that cannot be written.
pub(crate) fn unwritable(error: &io::Error) -> Diagnostic {
    Diagnostic::message(format!("cannot write to standard output: {error}"), "")
}

/// What becomes of a template.
const PASSED: &str = "the file stays as it is: it seems to be a template; convert what it renders to";

/// Converts one input. An error is one of standard output, and ends the command.
fn one<W: Write>(
    args: &Args,
    origin: &Origin,
    converter: &Converter<'_>,
    stream: &mut Stream<W>,
    patches: &mut Patches,
    report: &mut Report,
) -> io::Result<()> {
    let input = match Input::read(origin) {
        Ok(input) => input,
        Err(error) => {
            report.add(&error);
            return Ok(());
        }
    };
    if args.pre_commit && !input.text().contains("apiVersion") {
        return Ok(());
    }
    report.files += 1;
    let (errors, changes) = (report.errors(), report.changes);
    let streams = args.streams();
    let mut whole = Text::default();
    let mut end = 0;
    if streams {
        stream.start_file();
    }
    let is_list = |document: &serde_json::Value| converter.is_list(document);
    let manifest = Manifest { text: input.text(), converter };
    let is_patch = patches.has(origin);
    let (shows_changes, drops_gone) = (args.lists_changes(), args.drop_gone);
    let releases = Releases { input: &input, converter, drops_gone, shows_changes };
    for piece in input.pieces(&is_list) {
        let piece = match piece {
            Ok(piece) => piece,
            Err(mistake) if args.pre_commit && input.text().contains("{{") => {
                let passed = Diagnostic { help: PASSED.to_owned(), ..input.mistake(&mistake).warning() };
                report.add(&passed);
                report.forget_changes(changes);
                return Ok(());
            }
            Err(mistake) => {
                report.add(&input.mistake(&mistake));
                break;
            }
        };
        let before = &input.text()[end..piece.bytes.start];
        let text = &input.text()[piece.bytes.clone()];
        end = piece.bytes.end;
        let errors = report.errors();
        let format = if streams { stream.format(piece.format) } else { piece.format };
        let mut heard = Heard { input: &input, shows_changes, report };
        let new = match is_patch {
            _ if args.wanted.helm_release => releases.document(&piece, format, heard.report),
            true => manifest.patch(&piece, format, &mut heard),
            false => manifest.document(&piece, format, &mut heard),
        };
        let is_left_out = report.errors() > errors;
        if args.makes_files() {
            whole.push_str(before);
            match new {
                Some(new) => whole.append(new),
                None => whole.push_str(text),
            }
        } else if streams && !is_left_out {
            let before = (format == piece.format).then_some(before);
            match (new, before) {
                (Some(new), before) => stream.write(format, before, new.parts())?,
                (None, Some(_)) => stream.write(format, before, [text])?,
                // It has no value to write in another format.
                (None, None) => {}
            }
        }
    }
    let rest = &input.text()[end..];
    if streams && report.errors() == errors {
        stream.rest(rest)?;
    }
    if report.changes == changes {
        return Ok(());
    }
    if args.makes_files() && report.errors() == errors {
        whole.push_str(rest);
        match origin {
            _ if args.diff => diff::write(stream.out(), &input, &whole)?,
            Origin::File(path) => {
                if let Err(error) = replace(path, &whole) {
                    let help = "the file is as it was; check its permissions, and free space";
                    report.add(&Diagnostic::file(path, format!("cannot be written: {error}"), help));
                }
            }
            Origin::Stdin => {}
        }
    }
    if args.makes_files() && report.errors() > errors {
        report.keep_file(&input.name, changes);
    } else {
        report.changed_files += 1;
    }
    Ok(())
}
