//! `cargo xtask release`: adds a release of Kubernetes to the archive, from its published sources.
//!
//! OpenAPI tells what clients see, `generated.proto` the numbers of fields, and the Go types their order, and which of
//! them are pointers. All three are read from the release's Go modules.

mod descriptors;
mod facts;
mod modules;
mod needed;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hubgen_documents::archive::{self, Archive};
use hubgen_documents::folder::Folder;
use hubgen_documents::schema::Carried;
use hubgen_documents::upstream::{self, Document};
use hubgen_documents::{import, schema};
use hubgen_model::Release;
use hubgen_terminal::{Diagnostic, Messages, Progress, to_json};
use serde_json::json;

use self::modules::{Modules, Published};
use crate::import::{Errors, failed_at};

/// Add a release of Kubernetes to the archive.
///
/// Reads the release's OpenAPI documents, its `generated.proto` files and its Go types, and adds them to schemas that
/// end with the release before. The `go` command must be installed. Either all files are written or none.
#[derive(clap::Args)]
#[command(after_long_help = "\
Each folder is that of a Go module, which the `go` command downloads and names:
    go mod download -json k8s.io/api@v0.37.1
The modules are k8s.io/api, k8s.io/apimachinery, k8s.io/apiextensions-apiserver and
k8s.io/kube-aggregator, and for OpenAPI k8s.io/kubernetes (v1.37.1): or, in its place, a folder or
a file with the documents of a server of that release:
    kubectl get --raw /openapi/v2 >swagger.json

Examples:
  See what the next release would change, and write nothing:
    cargo xtask release 1.37 --dry-run --from modules/*
  Write the descriptions of a release that the archive has, for a server to publish:
    cargo xtask release 1.37 --dry-run --docs docs.json --from modules/*
  Add it, and keep its documents beside those of other releases, for an import of all:
    cargo xtask release 1.37 --keep upstream --from modules/*

JSON (--json):
  {\"ok\": true, \"release\": TEXT, \"written\": BOOL, \"documents\": N, \"group_versions\": N, \"kinds\": N,
   \"types\": N, \"changed_files\": N, \"changes\": [TEXT],
   \"needed\": [{\"severity\", \"file\", \"line\", \"column\", \"path\", \"message\", \"help\"}]}
  `needed` is what has to be decided before code can be generated.
  With errors: {\"ok\": false, \"diagnostics\": [{\"severity\", \"file\", \"line\", \"column\", \"path\",
   \"message\", \"help\"}]}

Exit codes:
  0  success
  1  a source has errors, or a file cannot be read or written
  2  wrong arguments")]
pub struct Args {
    /// The release: 1.37, also with a patch or a pre-release (1.38.0-alpha.1)
    #[arg(value_name = "RELEASE")]
    release: Release,
    /// Folders of the release's Go modules, or a folder or file of OpenAPI documents
    #[arg(long, required = true, num_args = 1.., value_name = "DIR")]
    from: Vec<PathBuf>,
    /// The folder of the schemas
    #[arg(long, value_name = "DIR", default_value = "schemas/kubernetes")]
    out: PathBuf,
    /// Print what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Write the documents into this folder, too, as `cargo xtask import` reads them
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Write the descriptions of types and fields into this file, as `hubgen serve --api-docs` reads it
    ///
    /// With --dry-run, the archive may have the release already.
    #[arg(long, value_name = "FILE")]
    docs: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

fn failed(message: impl Into<String>, help: &str) -> Errors {
    vec![Diagnostic::message(message.into(), help)]
}

/// Adds the release, and prints what changed.
pub fn run(args: &Args) -> ExitCode {
    let mut messages = Messages::new(args.json, false);
    messages.progress = Progress::new(!args.json);
    match added(args, &messages.progress) {
        Ok(added) => {
            println!("{}", if args.json { added.json(args) } else { added.text(args) });
            ExitCode::SUCCESS
        }
        Err(errors) => messages.fail(&errors),
    }
}

/// What the release changed.
struct Added {
    documents: usize,
    archive: Archive,
    changed_files: usize,
    changes: Vec<String>,
    /// What generated code needs besides: rules, defaults, boxes.
    needed: Vec<Diagnostic>,
}

impl Added {
    /// The numbers of group versions, kinds and types.
    fn counts(&self) -> [usize; 3] {
        let api = &self.archive.api;
        [api.versions.len(), api.types().filter(|ty| ty.kind.is_some()).count(), api.types().count()]
    }

    fn json(&self, args: &Args) -> String {
        let [group_versions, kinds, types] = self.counts();
        json!({
            "ok": true,
            "release": args.release.to_string(),
            "written": !args.dry_run,
            "documents": self.documents,
            "group_versions": group_versions,
            "kinds": kinds,
            "types": types,
            "changed_files": self.changed_files,
            "changes": self.changes,
            "needed": self.needed.iter().map(to_json).collect::<Vec<_>>(),
        })
        .to_string()
    }

    fn text(&self, args: &Args) -> String {
        let [group_versions, kinds, types] = self.counts();
        let mut lines = self.changes.clone();
        lines.extend(self.needed.iter().map(needed::line));
        let files = if args.dry_run { "files would change" } else { "files changed" };
        lines.push(format!(
            "{}: {} documents; the archive has {group_versions} group versions, {kinds} kinds, {types} types; {} {files}",
            args.release, self.documents, self.changed_files
        ));
        lines.push(match self.needed.len() {
            0 => "`cargo xtask generate` needs nothing else".to_owned(),
            count => format!("`cargo xtask generate` needs {count} decisions, such as rules: each line with `needed` is one"),
        });
        lines.join("\n")
    }
}

fn added(args: &Args, progress: &Progress) -> Result<Added, Errors> {
    let before = before(&args.out)?;
    let known = before.api.clone();
    let last = before.report.releases.last().copied().unwrap_or(args.release);
    let modules = Modules::find(args.release, &args.from)?;
    let sources = sources(args.release, &modules)?;
    let bar = progress.bar(sources.len(), "documents");
    let (mut documents, mut errors) = (Vec::new(), Vec::new());
    for source in &sources {
        match source.read(args.release) {
            Ok(document) => documents.push(document),
            Err(found) => errors.extend(found),
        }
        bar.step();
    }
    drop(bar);
    if !errors.is_empty() {
        return Err(errors);
    }
    let descriptions = descriptions(&documents);
    if let Some(file) = &args.docs {
        let text = serde_json::to_string_pretty(&descriptions).expect("texts are JSON");
        fs::write(file, text).map_err(|error| failed_at(file, "cannot be written", &error))?;
    }
    documents.iter_mut().for_each(Document::drop_prose);
    let count = documents.len();
    if args.dry_run && args.docs.is_some() && before.report.releases.contains(&args.release) {
        // Nothing but the descriptions was asked for.
        let (changes, needed) = (Vec::new(), Vec::new());
        return Ok(Added { documents: count, archive: before, changed_files: 0, changes, needed });
    }
    let archive = archive::advance(documents, before).map_err(|errors| {
        errors.into_iter().map(|error| Diagnostic::message(error, "")).collect::<Errors>()
    })?;
    let mut files = import::files(&args.out, &archive.api, &Carried::default(), None)?;
    files.extend(archive.files());
    let changes = Folder::read(&args.out)?.additions(&files);
    let changed_files = changes.len();
    let needed = needed::of(&args.out, &files)?;
    if let Some(folder) = &args.keep {
        keep(folder, &sources)?;
    }
    // Last: what fails before leaves the schemas as they are.
    if !args.dry_run {
        changes.write().map_err(|error| vec![error])?;
    }
    let mut changes = archive::diff(&known, &archive.api);
    let came = archive.changes(last, args.release);
    changes.extend(came.iter().map(|change| format!("{}: {change}", change.group_version)));
    Ok(Added { documents: count, archive, changed_files, changes, needed })
}

/// The archive of a folder, to which the release is added.
fn before(folder: &Path) -> Result<Archive, Errors> {
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).map_err(|error| failed_at(&path, "cannot be read", &error))
    };
    let [record, history] = [read(archive::RECORD)?, read(archive::HISTORY)?];
    Archive::new(schema::read_dir(folder)?, &record, &history)
        .map_err(|(name, error)| vec![Diagnostic::file(folder.join(name), error, "")])
}

/// A document of the release.
struct Source {
    /// Where it comes from, for errors.
    from: PathBuf,
    /// Its path below the folder in which documents are kept, which tells the release.
    kept: PathBuf,
    bytes: Vec<u8>,
}

impl Source {
    /// Reads it. Some documents say of which release they are, in their path or themselves.
    fn read(&self, release: Release) -> Result<Document, Errors> {
        let mut document = upstream::read(&self.from, self.bytes.clone())?;
        match document.release {
            Some(other) if other != release => Err(vec![Diagnostic::file(
                &self.from,
                format!("is of {other}, and the release is {release}"),
                "give documents of one release, and name that release",
            )]),
            _ => {
                document.release = Some(release);
                Ok(document)
            }
        }
    }
}

fn sources(release: Release, modules: &Modules) -> Result<Vec<Source>, Errors> {
    let made = |kept: String, bytes| Source { from: PathBuf::from(&kept), kept: kept.into(), bytes };
    let mut out = vec![
        made(format!("go-fields/v{release}.json"), facts::read(&modules.go)?),
        made(format!("protobuf/v{release}.binpb"), descriptors::compile(&modules.go)?),
    ];
    for Published { file, name } in &modules.published {
        let bytes = fs::read(file).map_err(|error| failed_at(file, "cannot be read", &error))?;
        let kept = Path::new("openapi").join(format!("v{release}")).join(name);
        out.push(Source { from: file.clone(), kept, bytes });
    }
    Ok(out)
}

/// Type, field, description; that of the type itself has no name.
fn descriptions(documents: &[Document]) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut out: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for (id, facts) in documents.iter().flat_map(|document| &document.types) {
        let fields = facts
            .fields
            .iter()
            .filter_map(|(name, field)| Some((name.clone(), field.published.as_ref()?.description.clone()?)));
        let all: Vec<(String, String)> =
            facts.description.clone().map(|text| (String::new(), text)).into_iter().chain(fields).collect();
        if !all.is_empty() {
            out.entry(id.to_string()).or_default().extend(all);
        }
    }
    out
}

fn keep(folder: &Path, sources: &[Source]) -> Result<(), Errors> {
    for Source { kept, bytes, .. } in sources {
        let path = folder.join(kept);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, bytes))
            .map_err(|error| failed_at(&path, "cannot be written", &error))?;
    }
    Ok(())
}
