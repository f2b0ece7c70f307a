//! `hubgen import`: CustomResourceDefinitions into a user's folder of schemas.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use hubgen_codegen::Target;
use hubgen_documents::crd::{self, Imported, Mapped, Objects, Options, Skipped, Untyped};
use hubgen_documents::folder::Folder;
use hubgen_documents::schema::Carried;
use hubgen_documents::{archive, import, tool};
use hubgen_model::{Api, GroupVersion, TypeId};
use hubgen_terminal::{Diagnostic, Messages, Source, print, println};
use serde_json::{Value, json};

use crate::generate::{kubernetes, project};
use crate::input::{Input, origins};

/// Read CustomResourceDefinitions and write them as schemas.
///
/// Reads YAML and JSON with any number of definitions, and writes a schema for each of their versions into the
/// folder that hubgen.toml names. `hubgen generate` makes Rust of them. Objects that are not definitions are
/// skipped, and so are files of a folder that are for other tools. Either all files are written or none.
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
  {\"ok\": true, \"documents\": N, \"group_versions\": N, \"kinds\": N, \"versions\": N, \"types\": N,
   \"changed_files\": N, \"changes\": [TEXT], \"alike\": {TYPE: N},
   \"untyped\": [{\"file\", \"line\", \"path\", \"reason\"}],
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
    /// Types of Kubernetes that objects could become, and how many.
    alike: Vec<(TypeId, usize)>,
    folder: PathBuf,
}

/// Types of Kubernetes that definitions often repeat, and that `[types]` can name.
const REPEATED: [(&str, &str, &str); 4] = [
    ("meta.k8s.io", "v1", "Condition"),
    ("", "v1", "ObjectReference"),
    ("", "v1", "TypedLocalObjectReference"),
    ("", "v1", "SecretKeySelector"),
];

/// The types of Kubernetes that objects in the definitions could become with `[types]`, and how many would. Found by
/// importing once more with them.
fn alike(sources: &[Source], options: Options, kubernetes: &Api) -> Vec<(TypeId, usize)> {
    let fields_of = |api: &Api, id: &TypeId| {
        api.types().flat_map(|ty| ty.fields()).filter(|field| field.ty.named() == Some(id)).count()
    };
    let ids = REPEATED.map(|(group, version, name)| TypeId {
        group_version: GroupVersion { group: group.to_owned(), version: version.to_owned() },
        name: name.to_owned(),
        of_hub: false,
    });
    let of_shape = |ty: &TypeId| Mapped { what: Objects::OfSameShape, ty: ty.clone() };
    let mapped = options.mapped.iter().cloned().chain(ids.iter().map(of_shape)).collect();
    let Ok(before) = crd::read(sources, &options, kubernetes) else { return Vec::new() };
    let Ok(after) = crd::read(sources, &Options { mapped, ..options }, kubernetes) else { return Vec::new() };
    ids.into_iter()
        .map(|id| (fields_of(&after.api, &id).saturating_sub(fields_of(&before.api, &id)), id))
        .filter(|(count, _)| *count > 0)
        .map(|(count, id)| (id, count))
        .collect()
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
        found: sources
            .iter()
            .map(|source| source.file().to_owned())
            .filter(|file| !args.paths.contains(file))
            .collect(),
    };
    let kubernetes = types(&carried)?;
    let Imported { api, untyped, skipped, warnings } = crd::read(&sources, &options, &kubernetes)?;
    warnings.iter().for_each(|warning| messages.report(warning));
    if api.versions.is_empty() {
        return Err(vec![Diagnostic::message(
            "expected CustomResourceDefinitions, found none",
            "give manifests of kind CustomResourceDefinition, such as the output of `kubectl get crds -o yaml`, or \
             OpenAPI documents of their group versions",
        )]);
    }
    let merged = import::merge(&folder, &known, api.clone(), args.prune)?;
    for (message, help) in hubgen_codegen::groups_with_one_name(&merged, &Target::project(&project)) {
        messages.report(&Diagnostic::message(message, help).warning());
    }
    let files = import::files(&folder, &merged, &carried, Some(tool::VERSION))?;
    let changes = Folder::read(&folder)?.additions(&files);
    changes.write().map_err(|error| vec![error])?;
    let mut before = known;
    before.versions.retain(|name, _| api.versions.contains_key(name));
    Ok(Done {
        documents: sources.len(),
        changed_files: changes.len(),
        changes: archive::diff(&before, &api),
        alike: alike(&sources, options, &kubernetes),
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
    /// The number of kinds, and that of their versions.
    fn kinds(&self) -> (usize, usize) {
        let of_kinds = self.api.types().filter(|ty| ty.kind.is_some() && !ty.is_list());
        let all: Vec<_> = of_kinds.map(|ty| (&ty.id.group_version.group, &ty.id.name)).collect();
        (all.iter().collect::<BTreeSet<_>>().len(), all.len())
    }

    fn to_text(&self) -> String {
        let mut lines = self.changes.clone();
        lines.extend(self.untyped.iter().map(|untyped| {
            let Untyped { file, line, path, reason } = untyped;
            format!("untyped: {path} ({}:{line}): {reason}", file.display())
        }));
        lines.extend(self.skipped.iter().map(|skipped| {
            let Skipped { file, line, kind } = skipped;
            match kind {
                Some(kind) => {
                    format!("skipped: {kind} ({}:{line}): not a CustomResourceDefinition", file.display())
                }
                None => format!("skipped: {}:{line}: not an object of Kubernetes", file.display()),
            }
        }));
        lines.extend(self.alike.iter().map(|(id, count)| {
            let id = format!("{}/{} {}", id.group_version.group_or_core(), id.group_version.version, id.name);
            format!(
                "{count} fields have objects with the same properties as {id}: `\"*\" = [\"{id}\"]` under [types] in \
                 hubgen.toml, and another import, makes them this type, which may write other JSON"
            )
        }));
        let (kinds, versions) = self.kinds();
        lines.push(format!(
            "{} documents: {} group versions, {kinds} kinds in {versions} versions, {} types; {} files changed in {}",
            self.documents,
            self.api.versions.len(),
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
        let (kinds, versions) = self.kinds();
        json!({
            "ok": true,
            "documents": self.documents,
            "group_versions": self.api.versions.len(),
            "kinds": kinds,
            "versions": versions,
            "types": self.api.types().count(),
            "changed_files": self.changed_files,
            "changes": self.changes,
            "alike": self.alike.iter().map(|(id, count)| (id.to_string(), json!(count))).collect::<serde_json::Map<_, _>>(),
            "untyped": untyped.collect::<Vec<_>>(),
            "skipped": skipped.collect::<Vec<_>>(),
        })
    }
}
