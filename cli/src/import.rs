//! `hubgen import`: CustomResourceDefinitions into a user's folder of schemas.

use std::path::PathBuf;
use std::process::ExitCode;

use hubgen_documents::crd::{self, Imported, Options, Skipped, Untyped};
use hubgen_documents::folder::Folder;
use hubgen_documents::schema::Carried;
use hubgen_documents::{archive, import, tool};
use hubgen_model::Api;
use hubgen_terminal::{Diagnostic, Messages, Source};
use serde_json::{Value, json};

use crate::convert::input::{Input, origins};
use crate::generate::{kubernetes, project};

/// Read CustomResourceDefinitions and write them as schemas.
///
/// Reads YAML and JSON with any number of definitions, and writes a schema for each of their versions into the
/// folder that hubgen.toml names. `hubgen generate` makes Rust of them. Objects that are not definitions are
/// skipped. Either all files are written or none.
///
/// Also reads the OpenAPI documents that an API server publishes for the group versions of definitions, each under
/// /openapi/v3. They do not contain all that a definition does; a warning lists what is missing.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Import all definitions of a folder, with their descriptions:
    hubgen import definitions --docs
  Import what a cluster serves:
    kubectl get crds -o yaml | hubgen import -
  Import a group version from a cluster that does not let you read definitions:
    kubectl get --raw /openapi/v3/apis/example.com/v1 | hubgen import -

JSON (--json), on standard output:
  {\"ok\": true, \"documents\": N, \"group_versions\": N, \"kinds\": N, \"types\": N, \"changed_files\": N,
   \"changes\": [TEXT], \"untyped\": [{\"file\", \"line\", \"path\", \"reason\"}],
   \"skipped\": [{\"file\", \"line\", \"kind\"}],
   \"diagnostics\": [{\"severity\", \"file\", \"line\", \"column\", \"path\", \"message\", \"help\"}]}
  With errors: {\"ok\": false, \"diagnostics\"}

Exit codes:
  0  success; there may be warnings
  1  a definition has errors, or a file cannot be read or written
  2  wrong arguments")]
pub struct Args {
    /// Files, folders, or `-` for standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Keep descriptions
    #[arg(long)]
    docs: bool,
    /// Remove kinds of the imported group versions that the documents do not contain
    #[arg(long)]
    prune: bool,
    /// The file that describes the repository; by default the nearest one in this folder or above
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Imports, and prints what changed.
pub fn run(args: &Args, is_quiet: bool) -> ExitCode {
    let mut messages = Messages::new(args.json, is_quiet);
    match read(args, &mut messages) {
        Ok(done) => {
            if args.json {
                let mut json = done.to_json();
                json["diagnostics"] = messages.take();
                println!("{json}");
            } else {
                print!("{}", done.to_text());
            }
            ExitCode::SUCCESS
        }
        Err(errors) => messages.fail(&errors),
    }
}

/// What an import did.
struct Done {
    documents: usize,
    api: Api,
    changed_files: usize,
    changes: Vec<String>,
    untyped: Vec<Untyped>,
    skipped: Vec<Skipped>,
    folder: PathBuf,
}

/// Imports, and reports warnings. Errors are returned.
fn read(args: &Args, messages: &mut Messages) -> Result<Done, Vec<Diagnostic>> {
    let project = project(args.config.as_deref())?;
    let folder = project.root.join(&project.schemas);
    let sources = sources(&args.paths)?;
    let carried = kubernetes();
    let known = if folder.is_dir() { carried.read_dir(&folder)? } else { Api::default() };
    let options = Options {
        docs: args.docs || project.docs,
        mapped: project.types.clone(),
        presences: project.presences.clone(),
        unknowns: project.unknowns.clone(),
        known: known.clone(),
    };
    let Imported { api, untyped, skipped, warnings } = crd::read(&sources, &options, &types(&carried)?)?;
    warnings.iter().for_each(|warning| messages.report(warning));
    if api.versions.is_empty() {
        return Err(vec![Diagnostic::message(
            "expected CustomResourceDefinitions, found none",
            "give manifests of kind CustomResourceDefinition, such as the output of `kubectl get crds -o yaml`, or \
             OpenAPI documents of their group versions",
        )]);
    }
    let merged = import::merge(&folder, &known, api.clone(), args.prune)?;
    let files = import::files(&folder, &merged, &carried, Some(tool::VERSION))?;
    let changes = Folder::read(&folder)?.additions(&files);
    changes.write().map_err(|error| vec![error])?;
    let mut before = known;
    before.versions.retain(|name, _| api.versions.contains_key(name));
    Ok(Done {
        documents: sources.len(),
        changed_files: changes.len(),
        changes: archive::diff(&before, &api),
        api,
        untyped,
        skipped,
        folder,
    })
}

fn sources(paths: &[PathBuf]) -> Result<Vec<Source>, Vec<Diagnostic>> {
    let (origins, mut errors) = origins(paths);
    let mut sources = Vec::new();
    for origin in origins {
        match Input::read(&origin) {
            Ok(input) => sources.push(input.source),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(sources) } else { Err(errors) }
}

/// The types of Kubernetes that objects in definitions can become, at any version.
fn types(carried: &Carried<'_>) -> Result<Api, Vec<Diagnostic>> {
    let files = hubgen_schemas::kubernetes().iter().filter(|(path, _)| path.ends_with(".json"));
    carried.read_files(files.map(|(path, text)| (PathBuf::from(path), (*text).to_owned())).collect())
}

impl Done {
    fn kinds(&self) -> usize {
        self.api.types().filter(|ty| ty.kind.is_some() && !ty.is_list()).count()
    }

    fn to_text(&self) -> String {
        let mut lines = self.changes.clone();
        lines.extend(self.untyped.iter().map(|untyped| {
            let Untyped { file, line, path, reason } = untyped;
            format!("untyped: {path} ({}:{line}): {reason}", file.display())
        }));
        lines.extend(self.skipped.iter().map(|skipped| {
            let Skipped { file, line, kind } = skipped;
            format!("skipped: {kind} ({}:{line}): not a CustomResourceDefinition", file.display())
        }));
        lines.push(format!(
            "{} documents: {} group versions, {} kinds, {} types; {} files changed in {}",
            self.documents,
            self.api.versions.len(),
            self.kinds(),
            self.api.types().count(),
            self.changed_files,
            self.folder.display()
        ));
        lines.join("\n") + "\n"
    }

    fn to_json(&self) -> Value {
        let untyped = self.untyped.iter().map(|Untyped { file, line, path, reason }| {
            json!({ "file": file.display().to_string(), "line": line, "path": path, "reason": reason })
        });
        let skipped = self.skipped.iter().map(|Skipped { file, line, kind }| {
            json!({ "file": file.display().to_string(), "line": line, "kind": kind })
        });
        json!({
            "ok": true,
            "documents": self.documents,
            "group_versions": self.api.versions.len(),
            "kinds": self.kinds(),
            "types": self.api.types().count(),
            "changed_files": self.changed_files,
            "changes": self.changes,
            "untyped": untyped.collect::<Vec<_>>(),
            "skipped": skipped.collect::<Vec<_>>(),
        })
    }
}
