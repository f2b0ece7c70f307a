//! `hubgen generate`: Rust for the APIs of a user's repository.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hubgen_codegen::{Form, Job, Target, rust};
use hubgen_documents::project::Project;
use hubgen_documents::schema::Carried;
use hubgen_terminal::{Diagnostic, FAILURE, Messages, eprint, eprintln, print, println};

use crate::crates_from::Choice;

/// Write Rust types, hubs and conversions from schemas.
///
/// Reads the schemas, conversion rules and defaults that hubgen.toml names, and writes a module tree or crates.
/// Types of Kubernetes, such as ObjectMeta, come from Kubernetes' crates. Only files that change are written;
/// errors point to file, line and column, and nothing is written then.
/// Kinds that were imported from CustomResourceDefinitions get a function that returns theirs.
#[derive(clap::Args)]
#[command(after_long_help = "\
hubgen.toml, in the folder of the repository; every key may be left out:
  schemas = \"schemas\"    the folder of schemas, rules/ and defaults/
  source = \"src/api\"     a module of your crate with types in Rust, instead of schemas; `out` is then
                         its folder `generated`
  out = \"src/api\"        the folder of the generated code
  crds = \"crds\"          the folder of the definitions that `hubgen crds` writes
  module = \"crate::api\"  its module, where the folder does not tell
  crates = \"acme\"        a crate for each group, acme-GROUP, instead of modules; `out` is then `crates`
  docs = true            imports keep descriptions
  [names]                names of groups in Rust that are not their first label:
  \"example.com\" = \"certs\"
  [types]                objects that become types of Kubernetes, although these may write other JSON:
  \"*\" = [\"meta.k8s.io/v1 Condition\"]
  \"Worker.spec.template\" = \"core/v1 PodTemplateSpec\"

Examples:
  Write what changed in the schemas:
    hubgen generate
  Compare only, as CI does; print the difference:
    hubgen generate --check
  The rules that attributes in Rust specify, to write them as a file instead:
    hubgen generate --rules

JSON (--json), on standard output:
  {\"ok\": true, \"groups\": N, \"group_versions\": N, \"kinds\": N, \"types\": N, \"types_shared\": N,
   \"hubs_shared\": N, \"hubs_of_their_own\": N, \"conversions\": N, \"lossy\": N, \"not_convertible\": N,
   \"reasons\": {VERSION: TEXT}, \"files\": N, \"changed\": N, \"seconds\": {STAGE: N},
   \"diagnostics\": [{\"severity\", \"file\", \"line\", \"column\", \"path\", \"message\", \"help\"}]}
  With errors: {\"ok\": false, \"diagnostics\"}

Exit codes:
  0  success; there may be warnings
  1  the schemas or hubgen.toml have errors, or --check found a difference
  2  wrong arguments")]
pub struct Args {
    /// Write nothing; print a diff and fail if the generated files are not what the schemas and hubgen.toml give
    #[arg(long)]
    check: bool,
    /// The file that describes the repository; by default the nearest one in this folder or above
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print the result as JSON; the diff goes to standard error
    #[arg(long)]
    json: bool,
    /// Write nothing; print the conversion rules that attributes in Rust specify, as files of rules
    #[arg(long, conflicts_with_all = ["check", "json"])]
    rules: bool,
    #[command(flatten)]
    crates: Choice,
}

/// What files are generated from, for the error that they are not what it gives.
pub(crate) const INPUTS: &str = "the schemas and hubgen.toml";

/// Crates, each with the features that code needs.
type Needed = BTreeMap<String, BTreeSet<String>>;

/// Generates, and writes or compares.
pub fn run(args: &Args, is_quiet: bool) -> ExitCode {
    let mut messages = Messages::new(args.json, is_quiet);
    if args.rules {
        return match lowered(args.config.as_deref()) {
            Ok(text) => {
                print!("{text}");
                ExitCode::SUCCESS
            }
            Err(errors) => messages.fail(&errors),
        };
    }
    let done = project(args.config.as_deref()).and_then(|project| {
        let target = Target::project(&project);
        let job = Job {
            schemas: &project.root.join(&project.schemas),
            carried: &kubernetes(),
            target: &target,
            out: &project.root.join(&project.out),
        };
        Ok((job.run(args.check)?, project, target))
    });
    let (done, project, target) = match done {
        Ok(done) => done,
        Err(errors) => return messages.fail(&errors),
    };
    done.warnings.iter().for_each(|warning| messages.report(warning));
    if args.json {
        eprint!("{}", done.diff);
        let mut json = done.to_json();
        json["diagnostics"] = messages.take();
        println!("{json}");
    } else {
        print!("{}", done.diff);
        if !is_quiet {
            print!("{done}");
        }
    }
    if let Some(message) = done.stale("hubgen generate", INPUTS) {
        eprintln!("{message}");
        return ExitCode::from(FAILURE);
    }
    match missing(&project, &target, &done.crates, &args.crates) {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(text)) => {
            messages.note(&text);
            ExitCode::SUCCESS
        }
        Err(errors) => messages.fail(&errors),
    }
}

/// The rules that attributes specify, each file after its name.
fn lowered(config: Option<&Path>) -> Result<String, Vec<Diagnostic>> {
    let project = project(config)?;
    let Some(root) = Target::project(&project).source else {
        let help = "name the module of your types in hubgen.toml: `source = \"src/api\"`";
        return Err(vec![Diagnostic::message("there are no types in Rust", help)]);
    };
    let written = rust::read(&root, kubernetes().group_versions())?;
    let files = written
        .rules
        .iter()
        .map(|rules| format!("# {}\n{}", project.schemas.join(&rules.file).display(), rules.text));
    Ok(files.collect::<Vec<_>>().join("\n"))
}

/// The repository that a command works in.
pub(crate) fn project(config: Option<&Path>) -> Result<Project, Vec<Diagnostic>> {
    match config {
        Some(file) => Project::read(file),
        None => Project::find(Path::new("")),
    }
}

/// Kubernetes' own schemas.
pub(crate) fn kubernetes() -> Carried<'static> {
    Carried::new(hubgen_schemas::kubernetes().iter().copied())
}

/// What the user's crate lacks for the generated modules; `None` if nothing, or if it is not known.
fn missing(
    project: &Project,
    target: &Target,
    needed: &Needed,
    from: &Choice,
) -> Result<Option<String>, Vec<Diagnostic>> {
    let Some(place) = Place::find(project, target) else { return Ok(None) };
    let needed = needed.iter();
    let needed =
        needed.map(|(package, features)| (package.as_str(), Some(features).filter(|all| !all.is_empty())));
    let lacking: Vec<_> = [("hubgen-machinery", None)]
        .into_iter()
        .chain(needed)
        .filter(|(package, _)| !place.has(package))
        .collect();
    let mut lines = Vec::new();
    if !lacking.is_empty() {
        let crates = from.crates()?;
        let file = place.folder.join("Cargo.toml");
        lines.push(format!("next: add these dependencies to {}:", file.display()));
        lines.extend(
            lacking.iter().map(|(package, features)| format!("  {}", crates.dependency(package, *features))),
        );
        if !place.tests_with("hubgen-laws") {
            lines.push("next: add these, too, to test the conversions:".to_owned());
            lines.push(format!("  [dev-dependencies]\n  {}", crates.dependency("hubgen-laws", None)));
        }
        lines.push(crates.note());
    }
    let declare = |(name, place)| format!("next: declare the module in {place}: `pub mod {name};`");
    lines.extend(place.undeclared(target).into_iter().map(declare));
    Ok((!lines.is_empty()).then(|| lines.join("\n")))
}

/// The crate that contains generated modules.
struct Place<'a> {
    /// The folder of the crate.
    folder: PathBuf,
    /// The folder `src`.
    sources: PathBuf,
    manifest: toml::Table,
    /// The path of the module: `["api", "generated"]`.
    path: &'a [String],
}

impl<'a> Place<'a> {
    fn find(project: &Project, target: &'a Target) -> Option<Self> {
        let Form::Modules { path } = &target.form else { return None };
        // The crate is in the folder above `src`.
        let out = project.root.join(&project.out);
        let sources = out.ancestors().nth(path.len())?.to_owned();
        let folder = sources.parent()?.to_owned();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).ok()?.parse().ok()?;
        Some(Self { folder, sources, manifest, path })
    }

    fn has(&self, package: &str) -> bool {
        let known = self.manifest.get("dependencies").and_then(toml::Value::as_table);
        known.is_some_and(|known| known.contains_key(package))
    }

    fn tests_with(&self, package: &str) -> bool {
        let known = self.manifest.get("dev-dependencies").and_then(toml::Value::as_table);
        known.is_some_and(|known| known.contains_key(package))
    }

    /// The modules that no file declares, each with the file that should.
    fn undeclared(&self, target: &Target) -> Vec<(&'a str, String)> {
        let declares = |file: &Path, name: &str| {
            fs::read_to_string(file).is_ok_and(|text| text.contains(&format!("mod {name};")))
        };
        let (Some(first), Some(last)) = (self.path.first(), self.path.last()) else { return Vec::new() };
        let mut out = Vec::new();
        if !["lib.rs", "main.rs"].iter().any(|root| declares(&self.sources.join(root), first)) {
            out.push((&**first, "lib.rs or main.rs".to_owned()));
        }
        if let Some(source) = &target.source
            && !declares(&source.file, last)
        {
            out.push((last, source.file.display().to_string()));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let manifest = "[dependencies]\nhubgen-machinery = \"0.1\"\n";
        fs::write(folder.path().join("Cargo.toml"), manifest).expect("written");
        let project = Project::default_in(folder.path());
        let target = Target::project(&project);
        let needed = Needed::from([("hubgen-meta".to_owned(), BTreeSet::from(["v1".to_owned()]))]);
        let missing =
            |choice: &Choice| missing(&project, &target, &needed, choice).map_err(|_| ()).expect("a source");
        let choice = Choice::of("registry");
        let crates = choice.crates().map_err(|_| ()).expect("a source");
        let line = crates.dependency("hubgen-meta", needed.get("hubgen-meta"));
        let expected = format!(
            "next: add these dependencies to {}:\n  {line}\n\
             next: add these, too, to test the conversions:\n  [dev-dependencies]\n  {}\n{}\n\
             next: declare the module in lib.rs or main.rs: `pub mod api;`",
            folder.path().join("Cargo.toml").display(),
            crates.dependency("hubgen-laws", None),
            crates.note()
        );
        assert_eq!(missing(&choice), Some(expected));
        fs::create_dir(folder.path().join("src")).expect("made");
        fs::write(folder.path().join("src/main.rs"), "mod api;\nfn main() {}\n").expect("written");
        fs::write(folder.path().join("Cargo.toml"), format!("{manifest}{line}\n")).expect("written");
        assert_eq!(missing(&choice), None);
    }
}
