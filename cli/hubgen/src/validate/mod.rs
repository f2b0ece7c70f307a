//! `hubgen validate`: what a server would answer about manifests, without one.

mod objects;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use hubgen_codegen::Target;
use hubgen_documents::crd;
use hubgen_documents::schema::Sources;
use hubgen_server::{Checker, Found, Kinds, Unchecked};
use hubgen_terminal::{Diagnostic, FAILURE, Messages, Progress, println};
use serde_json::json;

use self::objects::{Documents, Object, Places};
use crate::generate::{kubernetes, project};
use crate::input::origins;

/// Validate manifests as an API server does.
///
/// Reads YAML and JSON from files, from folders with all folders below them (.yaml, .yml, .json), or from
/// standard input, and finds what a server would refuse: fields that do not exist, values of wrong types,
/// missing fields, wrong words, and all that the definition of a kind demands, its rules in CEL included.
///
/// Knows Kubernetes' own kinds at all their versions; of these, it checks what their schemas and hubgen's server
/// know. Other kinds need their CustomResourceDefinition: among the manifests, with --definition, or of the
/// repository that --config names. Definitions themselves are validated, too.
///
/// Nothing is checked that depends on other objects in a cluster.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Validate manifests, and the definitions among them:
    hubgen validate manifests/
  Validate objects of a definition that is elsewhere:
    hubgen validate --definition crds/ widget.yaml
  Validate objects of a repository's own kinds:
    hubgen validate --config hubgen.toml manifests/
  Find out whether a cluster would accept a change, transition rules included:
    kubectl get -f widget.yaml -o yaml | hubgen validate --definition crds/ --old - widget.yaml
  Validate what a tool makes, and list the mistakes for a program to read:
    kubectl kustomize overlays/test | hubgen validate --json -

JSON (--json), to standard output:
  {\"ok\": true, \"files\": N, \"objects\": N, \"invalid_objects\": N, \"unknown_objects\": N, \"errors\": N,
   \"warnings\": N,
   \"diagnostics\": [{\"severity\", \"file\", \"line\", \"column\", \"path\", \"message\", \"help\"}]}
  Members that do not apply are absent. unknown_objects are those of unknown kinds.

Exit codes:
  0  all objects are valid; there may be warnings
  1  an object is invalid or of an unknown kind, or a file cannot be read
  2  wrong arguments")]
pub struct Args {
    /// Files and folders; standard input for `-` or without any
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Files and folders with CustomResourceDefinitions of the kinds
    #[arg(short, long, value_name = "PATH")]
    definition: Vec<PathBuf>,
    /// Know the kinds of a repository, too: the hubgen.toml that describes it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Files and folders with the objects as they are before the change: each object of that name is replaced
    ///
    /// A value that does not change may keep what is wrong with it, where a server lets it, and rules about
    /// changes are evaluated. Objects that are not among these are new.
    #[arg(long, value_name = "PATH")]
    old: Vec<PathBuf>,
    /// Warn of fields that a kind does not have, and drop them, as a server does for fieldValidation=Warn
    #[arg(long)]
    allow_unknown_fields: bool,
    /// Warn of objects of unknown kinds, and leave them out
    #[arg(long)]
    ignore_unknown_kinds: bool,
    /// Report as JSON
    #[arg(long)]
    json: bool,
}

/// Validates, and reports.
pub fn run(args: &Args, is_quiet: bool) -> ExitCode {
    let mut messages = Messages::new(args.json, is_quiet);
    let of_repository = match args.config.as_deref().map(definitions).transpose() {
        Ok(found) => found.unwrap_or_default(),
        Err(errors) => return messages.fail(&errors),
    };
    messages.progress = Progress::new(!args.json && !is_quiet);
    let mut read = |paths: &[PathBuf]| {
        let (origins, errors) = origins(paths);
        errors.iter().for_each(|error| messages.report(error));
        let mut documents = Documents::default();
        origins.iter().for_each(|origin| documents.read(origin, &mut |error| messages.report(error)));
        documents
    };
    let given = read(&args.paths);
    let others = if args.definition.is_empty() { Documents::default() } else { read(&args.definition) };
    let old = if args.old.is_empty() { Documents::default() } else { read(&args.old) };
    let checker = Checker::new(Kinds::new(Arc::new(hubgen_kubernetes::scheme())));
    let mut validation = Validation { args, checker, messages, objects: 0, invalid: 0, unknown: 0 };
    validation.define(&given, &others, of_repository);
    validation.all(&given, &old);
    validation.finish(given.inputs() + others.inputs())
}

/// The definitions of a repository, as `hubgen crds` writes them.
fn definitions(config: &Path) -> Result<BTreeMap<String, serde_json::Value>, Vec<Diagnostic>> {
    let project = project(Some(config))?;
    let schemas = project.root.join(&project.schemas);
    let found = hubgen_codegen::definitions(&schemas, &kubernetes(), &Target::project(&project))?;
    crd::definitions(&found.api).map_err(|faults| Sources::new(schemas).locate_all(faults))
}

/// The validation of all objects.
struct Validation<'a> {
    args: &'a Args,
    checker: Checker,
    messages: Messages,
    /// How many objects there are.
    objects: usize,
    invalid: usize,
    /// How many objects are of unknown kinds.
    unknown: usize,
}

impl Validation<'_> {
    /// Takes note of the kinds of all definitions. Those that the user names win over those of the repository.
    fn define(
        &mut self,
        given: &Documents,
        others: &Documents,
        of_repository: BTreeMap<String, serde_json::Value>,
    ) {
        let mut names = BTreeMap::new();
        for (documents, is_given) in [(given, true), (others, false)] {
            let objects = documents.objects(self.checker.scheme());
            for object in objects.iter().filter(|object| object.is_definition()) {
                let places = documents.places(object);
                if let Some(first) = names.insert(object.name().to_owned(), places.name().to_owned()) {
                    let message = format!("this definition is given twice, first in {first}");
                    self.messages.report(&places.error("metadata.name", &message, "give it once"));
                    continue;
                }
                // What is wrong with those that are given is told where all objects are validated.
                if !is_given {
                    self.object(documents, object, None);
                }
                let bytes = object.bytes();
                let is_right =
                    self.checker.check(&bytes, None).is_ok_and(|found| found.violations.is_empty());
                if is_right && let Err(why) = self.checker.define(&bytes) {
                    self.messages.report(&places.error("", &why, ""));
                }
            }
        }
        for (name, definition) in of_repository.into_iter().filter(|(name, _)| !names.contains_key(name)) {
            if let Err(why) = self.checker.define(definition.to_string().as_bytes()) {
                let config = self.args.config.clone().unwrap_or_default();
                let help = "`hubgen crds` writes this definition; a server would refuse it";
                self.messages.report(&Diagnostic::file(config, format!("{name}: {why}"), help));
            }
        }
    }

    /// Validates all objects.
    fn all(&mut self, given: &Documents, old: &Documents) {
        let old_objects = old.objects(self.checker.scheme());
        let by_identity: BTreeMap<_, _> =
            old_objects.iter().map(|object| (object.identity(), object)).collect();
        let objects = given.objects(self.checker.scheme());
        let bar = self.messages.progress.bar(objects.len(), "objects");
        for object in &objects {
            let before = by_identity.get(&object.identity()).and_then(|before| {
                let bytes = before.bytes();
                match self.checker.check(&bytes, None) {
                    Ok(_) => Some(bytes),
                    Err(error) => {
                        self.unchecked(&old.places(before), &error);
                        None
                    }
                }
            });
            self.object(given, object, before.as_deref());
            bar.step();
        }
    }

    /// Validates an object, and reports what is found.
    fn object(&mut self, documents: &Documents, object: &Object<'_>, old: Option<&[u8]>) {
        self.objects += 1;
        let errors = self.messages.errors;
        let places = documents.places(object);
        match self.checker.check(&object.bytes(), old) {
            Ok(found) => self.found(&places, &found),
            Err(error) => self.unchecked(&places, &error),
        }
        self.invalid += usize::from(self.messages.errors > errors);
    }

    fn found(&mut self, places: &Places<'_>, found: &Found) {
        let mut unknown: Vec<Diagnostic> = Vec::new();
        let listed = found.unknown.iter().map(|path| (path, "unknown", "correct its name, or remove it"));
        let duplicates = places.duplicates();
        let twice =
            duplicates.iter().map(|path| (path, "duplicate", "the last value counts: remove the others"));
        for (path, what, help) in listed.chain(twice) {
            unknown.push(places.error(path, &format!("{what} field {path:?}"), help));
        }
        if found.more_unknown > 0 {
            let message = format!("{} more unknown fields", found.more_unknown);
            unknown.push(places.error("", &message, ""));
        }
        for error in unknown {
            self.messages.report(&if self.args.allow_unknown_fields { error.warning() } else { error });
        }
        for violation in &found.violations {
            self.messages.report(&places.error(&violation.field, &violation.message, ""));
        }
        for warning in &found.warnings {
            // Those about a field begin with its path.
            let (field, message) = match warning.split_once(": ") {
                Some((field, message)) if !field.contains(' ') => (field, message),
                _ => ("", &**warning),
            };
            self.messages.report(&places.error(field, message, "").warning());
        }
    }

    fn unchecked(&mut self, places: &Places<'_>, error: &Unchecked) {
        let message = error.to_string();
        let error = match error {
            Unchecked::UnknownKind { .. } => {
                let help = "name its definition with --definition, or its repository with --config; \
                            --ignore-unknown-kinds leaves such objects out";
                let error = places.error("kind", &message, help);
                self.unknown += 1;
                if self.args.ignore_unknown_kinds { error.warning() } else { error }
            }
            Unchecked::Malformed { path, .. } => places.error(path, &message, ""),
            Unchecked::Unserved(_) => places.error("apiVersion", &message, "use a version that is served"),
            _ => places.error("", &message, ""),
        };
        self.messages.report(&error);
    }

    /// The end of the report, and the exit code.
    fn finish(mut self, files: usize) -> ExitCode {
        let Self { objects, invalid, unknown, .. } = self;
        let (errors, warnings) = (self.messages.errors, self.messages.warnings);
        if self.args.json {
            println!(
                "{}",
                json!({
                    "ok": errors == 0,
                    "files": files,
                    "objects": objects,
                    "invalid_objects": invalid,
                    "unknown_objects": unknown,
                    "errors": errors,
                    "warnings": warnings,
                    "diagnostics": self.messages.take(),
                })
            );
        } else {
            let counted =
                |count: usize, thing: &str| format!("{count} {thing}{}", if count == 1 { "" } else { "s" });
            let (objects, files, errors) =
                (counted(objects, "object"), counted(files, "file"), counted(errors, "error"));
            self.messages.note(&format!("{objects} in {files}, {invalid} invalid; {errors}"));
        }
        if errors > 0 { ExitCode::from(FAILURE) } else { ExitCode::SUCCESS }
    }
}
