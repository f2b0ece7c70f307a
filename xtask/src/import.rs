//! `cargo xtask import`: published documents into `schemas/`.

use std::collections::BTreeSet;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hubgen_documents::folder::Folder;
use hubgen_documents::schema::Carried;
use hubgen_documents::{archive, import, schema, upstream};
use hubgen_model::Api;
use hubgen_terminal::{Diagnostic, Messages, Progress};
use serde_json::json;

/// Read published API documents and write them as schemas.
///
/// Reads OpenAPI v3, Swagger 2.0, protobuf descriptor sets (*.binpb) and field facts. If field facts or
/// descriptor sets are among the documents, the result replaces the schemas. OpenAPI alone (your own
/// document, or that of a live cluster) is merged into the schemas, and keeps the facts that OpenAPI
/// cannot express. Either all files are written or none.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Import the documents of several releases; the folder's name tells the release:
    cargo xtask import upstream/v1.34 upstream/v1.35
  Import the types of your own API into a folder of their own, with descriptions:
    cargo xtask import openapi.json --out schemas/mine --docs
  Import what a cluster serves:
    kubectl get --raw /openapi/v3/apis/apps/v1 | cargo xtask import - --out schemas/cluster

JSON (--json):
  {\"ok\": true, \"documents\": N, \"group_versions\": N, \"kinds\": N, \"types\": N, \"changed_files\": N,
   \"removed_files\": N, \"changes\": [TEXT]}
  With errors: {\"ok\": false, \"diagnostics\": [{\"severity\", \"file\", \"line\", \"column\", \"path\",
   \"message\", \"help\"}]}

Exit codes:
  0  success
  1  a document has errors, or a file cannot be read or written
  2  wrong arguments")]
pub struct Args {
    /// Files, folders, or `-` for one document from standard input
    ///
    /// A folder is read with all folders below it. The release is a component of the path, as in
    /// `v1.35/apps.json`, or the version in the document.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The folder of the schemas
    #[arg(long, value_name = "DIR", default_value = "schemas/kubernetes")]
    out: PathBuf,
    /// Keep descriptions
    #[arg(long)]
    docs: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Imports, and prints what changed.
pub fn run(args: &Args) -> ExitCode {
    let mut messages = Messages::new(args.json, false);
    messages.progress = Progress::new(!args.json);
    match imported(args, &messages.progress) {
        Ok(imported) => {
            if args.json {
                println!("{}", imported.json());
            } else {
                println!("{imported}");
            }
            ExitCode::SUCCESS
        }
        Err(errors) => messages.fail(&errors),
    }
}

/// What an import did.
struct Imported {
    documents: usize,
    group_versions: usize,
    kinds: usize,
    types: usize,
    changed_files: usize,
    removed_files: usize,
    /// What changed in the API, a line for each group version.
    changes: Vec<String>,
}

impl Imported {
    fn json(&self) -> serde_json::Value {
        let Self { documents, group_versions, kinds, types, changed_files, removed_files, changes } = self;
        json!({
            "ok": true,
            "documents": documents,
            "group_versions": group_versions,
            "kinds": kinds,
            "types": types,
            "changed_files": changed_files,
            "removed_files": removed_files,
            "changes": changes,
        })
    }
}

impl fmt::Display for Imported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { documents, group_versions, kinds, types, changed_files, removed_files, changes } = self;
        changes.iter().try_for_each(|line| writeln!(f, "{line}"))?;
        write!(
            f,
            "{documents} documents: {group_versions} group versions, {kinds} kinds, {types} types; \
             {changed_files} files changed, {removed_files} removed"
        )
    }
}

/// All that is wrong.
pub type Errors = Vec<Diagnostic>;

/// What could not be done with a file.
pub fn failed_at(path: &Path, what: &str, error: &std::io::Error) -> Errors {
    vec![Diagnostic::file(path, format!("{what}: {error}"), "")]
}

fn imported(args: &Args, progress: &Progress) -> Result<Imported, Errors> {
    let mut documents = Vec::new();
    let mut errors = Vec::new();
    let sources = sources(&args.paths)?;
    let bar = progress.bar(sources.len(), "documents");
    for source in sources {
        let (path, bytes) = source.read()?;
        match upstream::read(&path, bytes) {
            Ok(mut document) => {
                if !args.docs {
                    document.drop_prose();
                }
                documents.push(document);
            }
            Err(found) => errors.extend(found),
        }
        bar.step();
    }
    drop(bar);
    if !errors.is_empty() {
        return Err(errors);
    }
    let old = if args.out.is_dir() { schema::read_dir(&args.out)? } else { Api::default() };
    let count = documents.len();
    let archive = archive::build(documents, &old).map_err(|errors| {
        errors.into_iter().map(|error| Diagnostic::message(error, "")).collect::<Errors>()
    })?;
    let api = &archive.api;
    let mut files = import::files(&args.out, api, &Carried::default(), None)?;
    if archive.full {
        files.extend(archive.files());
    }
    let mut folder = Folder::read(&args.out)?;
    // What people write stays, such as rules.
    folder.files.retain(|path, _| files.contains_key(path) || (archive.full && is_schema(path)));
    let changes = folder.changes(&files);
    changes.write().map_err(|error| vec![error])?;
    Ok(Imported {
        documents: count,
        group_versions: api.versions.len(),
        kinds: api.types().filter(|ty| ty.kind.is_some()).count(),
        types: api.types().count(),
        changed_files: changes.len() - changes.removed(),
        removed_files: changes.removed(),
        changes: archive::diff(&old, api),
    })
}

/// Whether a path below the folder of schemas is that of a group version's document.
fn is_schema(path: &Path) -> bool {
    let is_written = path.starts_with("rules") || path.starts_with("defaults");
    !is_written && path.extension().is_some_and(|extension| extension == "json" || extension == "binpb")
}

/// Where a document comes from.
enum Source {
    Stdin,
    File(PathBuf),
}

impl Source {
    fn read(self) -> Result<(PathBuf, Vec<u8>), Errors> {
        let mut bytes = Vec::new();
        let (path, read) = match self {
            Self::Stdin => (PathBuf::from("<stdin>"), std::io::stdin().read_to_end(&mut bytes).map(drop)),
            Self::File(path) => {
                let read = std::fs::read(&path).map(|content| bytes = content);
                (path, read)
            }
        };
        read.map_err(|error| failed_at(&path, "cannot be read", &error))?;
        Ok((path, bytes))
    }
}

/// Every document, those of a folder in the order of their paths.
fn sources(paths: &[PathBuf]) -> Result<Vec<Source>, Errors> {
    let mut sources = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            sources.push(Source::Stdin);
            continue;
        }
        let mut files = BTreeSet::new();
        if path.is_dir() {
            walk(path, &mut files)?;
        } else {
            files.insert(path.clone());
        }
        if files.is_empty() {
            return Err(vec![Diagnostic::file(
                path,
                "expected files *.json or *.binpb in this folder, found none",
                "give the folder of the documents, or a file",
            )]);
        }
        sources.extend(files.into_iter().map(Source::File));
    }
    Ok(sources)
}

fn walk(folder: &Path, files: &mut BTreeSet<PathBuf>) -> Result<(), Errors> {
    let entries = std::fs::read_dir(folder).map_err(|error| failed_at(folder, "cannot be read", &error))?;
    for entry in entries {
        let path = entry.map_err(|error| failed_at(folder, "cannot be read", &error))?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "json" || extension == "binpb") {
            files.insert(path);
        }
    }
    Ok(())
}
