//! `cargo xtask check served`: objects of a repository's kinds, through a server that converts them by rules.
//!
//! For each version of each kind, objects are generated that its definition allows. Each is created at that version, read at every
//! other one, written back there, and read at the first version again: nothing may be lost or made up. The server serves the
//! definitions of the repository, with the rules that come with them or that it has from the repository.

mod server;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use hubgen_documents::project::Project;
use hubgen_kubernetes::machinery::convert::STASH;
use hubgen_kubernetes::machinery::scheme::{Conversion, KindEntry};
use hubgen_laws::{Definitions, Violations, objects};
use hubgen_migrate::{Known, Repository, definitions_with_rules, is_of_repository};
use hubgen_rules::DefinitionRules;
use hubgen_terminal::Diagnostic;
use serde_json::{Value, json};

use self::server::{Answer, Running};
use super::{Failure, Report};

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The folders of repositories, each with hubgen.toml
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// How many objects are generated for each version of each kind
    #[arg(long, default_value_t = 200)]
    count: usize,
    /// Check only this kind
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Convert by the rules that come with the definitions alone, and leave out kinds whose rules cannot
    #[arg(long)]
    annotations: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// How many objects may be generated for each that is checked.
const ATTEMPTS: u64 = 20;

/// Runs the check.
///
/// # Errors
/// If a folder cannot be read, or a server cannot be started.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let mut tally = Tally::default();
    for folder in &args.folders {
        check(args, folder, &mut tally)?;
    }
    Ok(tally.report().print(args.json))
}

fn check(args: &Args, folder: &Path, tally: &mut Tally) -> Result<(), String> {
    let all = |errors: Vec<Diagnostic>| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    let config = folder.join("hubgen.toml");
    let project = Project::named(&config).map_err(all)?;
    let Repository { definitions: served, rules } = if args.annotations {
        let definitions = definitions_with_rules(&project).map_err(all)?;
        Repository { definitions, rules: DefinitionRules::default() }
    } else {
        Repository::read(&project).map_err(all)?
    };
    // The types say which words fields are tried with.
    let known = Known::new(Some(&config)).map_err(all)?;
    let mut definitions = Definitions::default();
    for definition in &served {
        definitions.add(definition).map_err(|error| error.to_string())?;
    }
    let server = Running::start(served.clone(), rules)?;
    for definition in &served {
        let kind = definition["spec"]["names"]["kind"].as_str().unwrap_or_default();
        if args.kind.as_deref().is_some_and(|wanted| wanted != kind) {
            continue;
        }
        let of_kind = |entry: &&Arc<KindEntry>| {
            is_of_repository(entry)
                && entry.kind == kind
                && definition["spec"]["group"] == *entry.group
                && matches!(entry.conversion, Conversion::Hub(_))
                && known.is_served(entry)
        };
        let versions: Vec<&Arc<KindEntry>> = known.scheme.kinds().filter(of_kind).collect();
        if versions.len() < 2 {
            continue;
        }
        tally.kinds += 1;
        let subject = Subject { server: &server, definition, versions: &versions };
        for version in &versions {
            subject.version(args.count, version, &definitions, tally);
        }
    }
    Ok(())
}

/// A kind that is checked.
struct Subject<'a> {
    server: &'a Running,
    definition: &'a Value,
    versions: &'a [&'a Arc<KindEntry>],
}

impl Subject<'_> {
    /// Checks objects that are created at a version.
    fn version(&self, count: usize, version: &KindEntry, definitions: &Definitions, tally: &mut Tally) {
        tally.versions += 1;
        let words = version.family.as_ref().map_or_else(Vec::new, |family| family.words());
        let mut checked = 0;
        for seed in 0..count as u64 * ATTEMPTS {
            if checked == count {
                break;
            }
            let Some(object) = definitions.generate(version, &objects::bytes(seed), &words) else { continue };
            match self.object(version, seed, object) {
                Outcome::Refused => tally.refused += 1,
                Outcome::Checked { defaulted } => {
                    checked += 1;
                    tally.passed += 1;
                    tally.defaulted += defaulted;
                }
                Outcome::Failed(why) => {
                    checked += 1;
                    tally.fail(format!("{version} seed {seed}"), why);
                }
            }
        }
        tally.total += checked;
        if checked < count {
            tally
                .notes
                .push(format!("{version}: {checked} of {count} objects were found that the server accepts"));
        }
    }

    /// Creates an object at a version, and writes it back at each other one.
    fn object(&self, version: &KindEntry, seed: u64, mut object: Value) -> Outcome {
        let name = format!("o{seed}-{}", version.version);
        object["metadata"]["name"] = name.as_str().into();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.remove("namespace");
        }
        let status = object["status"].clone();
        let created = self.server.post(&self.path(version, ""), &object);
        // The schema has rules in CEL, which generated objects do not know, or a word without a counterpart.
        if created.code != 201 {
            return if created.code == 422 { Outcome::Refused } else { Outcome::failed("created", &created) };
        }
        let outcome = self.read_everywhere(version, &name, &status, created.json);
        let deleted = self.server.delete(&self.path(version, &name));
        if deleted.code == 200 { outcome } else { Outcome::failed("deleted", &deleted) }
    }

    fn read_everywhere(&self, version: &KindEntry, name: &str, status: &Value, created: Value) -> Outcome {
        let mut first = created;
        if !status.is_null() && self.has_status(version) {
            first["status"] = status.clone();
            let written = self.server.put(&self.path(version, &format!("{name}/status")), &first);
            match written.code {
                200 => first = written.json,
                422 => return Outcome::Refused,
                _ => return Outcome::failed("written with its status", &written),
            }
        }
        let mut defaulted = 0;
        for other in self.versions.iter().filter(|other| other.version != version.version) {
            let read = self.server.get(&self.path(other, name));
            match read.code {
                200 => {}
                // A value has no counterpart, as no law forbids.
                422 => return Outcome::Refused,
                _ => return Outcome::failed(&format!("read at {}", other.version), &read),
            }
            let mut written = self.server.put(&self.path(other, name), &read.json);
            if written.code == 200 && self.has_status(other) && !read.json["status"].is_null() {
                let mut whole = read.json.clone();
                whole["metadata"] = written.json["metadata"].clone();
                written = self.server.put(&self.path(other, &format!("{name}/status")), &whole);
            }
            match written.code {
                200 => {}
                // The version does not allow what others do: nothing is written.
                422 => continue,
                _ => return Outcome::failed(&format!("written at {}", other.version), &written),
            }
            if bare(&written.json) != bare(&read.json) {
                // The version has defaults of its own, which a write sets.
                defaulted += 1;
                let restored = self.restore(version, name, &first);
                if restored.code != 200 {
                    return Outcome::failed("written as it was", &restored);
                }
            }
            let again = self.server.get(&self.path(version, name));
            if let Err(differences) = same(version, &bare(&again.json), &bare(&first)) {
                return Outcome::Failed(format!(
                    "written back at {}, it is another object: {differences}",
                    other.version
                ));
            }
        }
        Outcome::Checked { defaulted }
    }

    /// Writes an object as it was, at the version where it was read.
    fn restore(&self, version: &KindEntry, name: &str, first: &Value) -> Answer {
        let mut object = first.clone();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.remove("resourceVersion");
        }
        let now = self.server.get(&self.path(version, name));
        object["metadata"]["resourceVersion"] = now.json["metadata"]["resourceVersion"].clone();
        self.server.put(&self.path(version, name), &object)
    }

    fn has_status(&self, version: &KindEntry) -> bool {
        let versions = self.definition["spec"]["versions"].as_array().into_iter().flatten();
        versions
            .filter(|found| found["name"] == *version.version)
            .any(|found| found["subresources"]["status"].is_object())
    }

    fn path(&self, version: &KindEntry, name: &str) -> String {
        let place = if self.definition["spec"]["scope"] == "Namespaced" { "namespaces/laws/" } else { "" };
        let plural = self.definition["spec"]["names"]["plural"].as_str().unwrap_or_default();
        let slash = if name.is_empty() { "" } else { "/" };
        format!("/apis/{}/{place}{plural}{slash}{name}", version.api_version())
    }
}

/// An object without what each write changes, and without what another version shows there as fields.
fn bare(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        for mark in ["resourceVersion", "generation", "managedFields"] {
            metadata.remove(mark);
        }
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.remove(STASH);
            if annotations.is_empty() {
                metadata.remove("annotations");
            }
        }
    }
    object
}

/// Compares two objects at a version, except for what its rules declare not to distinguish.
///
/// # Errors
/// The paths at which they differ, and both objects.
fn same(version: &KindEntry, found: &Value, expected: &Value) -> Result<(), Violations> {
    let Conversion::Hub(conversion) = &version.conversion else {
        unreachable!("only such versions are checked")
    };
    let empty = version.new.object();
    objects::same_json(found, expected, empty.descriptor(), &conversion.canonical())
}

/// What became of an object.
enum Outcome {
    /// It was as it should be; so many times a version had defaults for it.
    Checked {
        defaulted: usize,
    },
    /// The server did not accept it.
    Refused,
    Failed(String),
}

impl Outcome {
    fn failed(what: &str, answer: &Answer) -> Self {
        let message = if answer.json["message"].is_null() {
            json!("no message")
        } else {
            answer.json["message"].clone()
        };
        Self::Failed(format!("it could not be {what}: {} {message}", answer.code))
    }
}

/// The counts of the check.
#[derive(Default)]
struct Tally {
    kinds: usize,
    versions: usize,
    passed: usize,
    total: usize,
    refused: usize,
    defaulted: usize,
    failures: Vec<Failure>,
    notes: Vec<String>,
}

impl Tally {
    fn fail(&mut self, file: String, message: String) {
        let kind = file.split(" seed ").next().unwrap_or_default().to_owned();
        if !self.failures.iter().any(|failure| failure.file.starts_with(&kind)) {
            self.failures.push(Failure { file, path: String::new(), message });
        }
    }

    fn report(self) -> Report {
        Report {
            what: "served objects",
            passed: self.passed,
            total: self.total,
            details: vec![
                ("kinds", self.kinds),
                ("versions", self.versions),
                ("refused at first", self.refused),
                ("written with defaults of another version", self.defaulted),
            ],
            failures: self.failures,
            notes: self.notes,
        }
    }
}
