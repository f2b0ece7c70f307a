//! `hubgen crds`: CustomResourceDefinitions from the schemas of a user's repository.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;

use hubgen_codegen::{Definitions, Target};
use hubgen_documents::crd::{Address, Unconverted, Webhook};
use hubgen_documents::crd_files;
use hubgen_documents::generated::Generator;
use hubgen_documents::project::Project;
use hubgen_migrate::{Brought, Left, bring_rules, forget_rules};
use hubgen_terminal::{Diagnostic, FAILURE, Messages, eprint, eprintln, print, println};
use serde_json::json;

use crate::generate::{INPUTS, kubernetes, project};

/// Write CustomResourceDefinitions from schemas.
///
/// Writes a definition for each kind that was imported from one, with all its versions, to a file
/// PLURAL.GROUP.yaml in the folder that hubgen.toml names. Descriptions are written if they were imported (with
/// --docs). Files of kinds that are gone are removed, and files that people wrote stay. Either all files are
/// written or none.
#[derive(clap::Args)]
#[command(after_long_help = "\
hubgen.toml, in the folder of the repository:
  schemas = \"schemas\"    the folder of schemas
  crds = \"crds\"          the folder of the definitions

  [webhook]              converts kinds with several versions
  service = \"ns/name\"    a Service, or url = \"https://…\"
  port = 443
  path = \"/convert\"
  ca-from = \"ns/name\"    a Certificate of cert-manager, which then writes caBundle
  incomplete = true      also for kinds of which a version is served and does not convert

Examples:
  Write what changed in the schemas:
    hubgen crds
  Compare only, as CI does; print the difference:
    hubgen crds --check
  Name a webhook for conversions:
    hubgen crds --webhook my-namespace/my-webhook
  Let hubgen's server convert by rules that come with the definitions:
    hubgen crds --with-rules

JSON (--json), on standard output:
  {\"ok\": true, \"definitions\": N, \"changed\": N, \"removed\": N, \"unconverted\": {NAME: [VERSION]},
   \"no_webhook\": {NAME: [VERSION]}, \"without_rules\": {NAME: [TEXT]}}
  With errors: {\"ok\": false, \"diagnostics\": [{\"severity\", \"file\", \"line\", \"column\", \"path\",
   \"message\", \"help\"}]}

Exit codes:
  0  success
  1  the schemas or hubgen.toml have errors, or --check found a difference
  2  wrong arguments")]
pub struct Args {
    /// Write nothing; print a diff and fail if the files are not what the schemas and hubgen.toml give
    #[arg(long)]
    check: bool,
    /// The webhook that the definitions of kinds with several versions name, instead of that of hubgen.toml:
    /// NAMESPACE/NAME of a Service, or a URL
    #[arg(long, value_name = "SERVICE", value_parser = Address::parse)]
    webhook: Option<Address>,
    /// Let the definitions bring the rules of their kinds, in the annotation conversion.hubgen.dev/rules
    ///
    /// hubgen's server then converts their objects by these rules, whatever strategy the definition has, and asks no webhook. Other
    /// API servers follow the strategy.
    #[arg(long)]
    with_rules: bool,
    /// The file that describes the repository; by default the nearest one in this folder or above
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print the result as JSON; the diff goes to standard error
    #[arg(long)]
    json: bool,
}

impl Args {
    /// The repository, with what the arguments want of its definitions.
    fn named(&self, mut project: Project) -> Project {
        if let Some(address) = &self.webhook {
            let (ca_from, incomplete) =
                project.webhook.map_or((None, false), |webhook| (webhook.ca_from, webhook.incomplete));
            project.webhook = Some(Webhook { address: address.clone(), ca_from, incomplete });
        }
        project.crds_with_rules |= self.with_rules;
        project
    }
}

const COMMAND: &str = "hubgen crds";

/// Writes or compares.
pub fn run(args: &Args, is_quiet: bool) -> ExitCode {
    let mut messages = Messages::new(args.json, is_quiet);
    let Done {
        definitions,
        changed,
        removed,
        diff,
        folder,
        unconverted,
        without_webhook,
        names_webhook,
        with_rules,
        without_rules,
    } = match project(args.config.as_deref()).and_then(|project| write(args.check, &args.named(project))) {
        Ok(done) => done,
        Err(errors) => return messages.fail(&errors),
    };
    let is_stale = args.check && changed > 0;
    if args.json {
        eprint!("{diff}");
        let json = json!({ "ok": !is_stale, "definitions": definitions, "changed": changed, "removed": removed, "unconverted": by_name(&unconverted), "no_webhook": by_name(&without_webhook), "without_rules": reasons(&without_rules) });
        println!("{json}");
    } else {
        print!("{diff}");
    }
    if !args.json && !is_quiet {
        let verb = if args.check { "differ" } else { "changed" };
        let folder = folder.display();
        println!("{definitions} definitions in {folder}: {changed} files {verb}, {removed} of them removed");
        for (name, versions) in by_name(&unconverted) {
            println!("  {name}: {}", missing(&versions, names_webhook));
        }
        for (name, versions) in by_name(&without_webhook) {
            let others = if with_rules.contains(&name) {
                "hubgen's server does, by the rules in the definition. Another"
            } else {
                "an"
            };
            println!(
                "  {name}: no webhook converts {}; {others} API server changes `apiVersion` and nothing else, and drops the \
                 fields that a version does not have, such as moved and renamed ones",
                versions.join(", ")
            );
        }
        for (name, reasons) in reasons(&without_rules) {
            println!("  {name}: its rules cannot come with the definition: {}", reasons.join("\n    "));
        }
        if !without_webhook.is_empty() {
            println!(
                "  help: name a webhook, with `[webhook]` in hubgen.toml or `--webhook`; see docs/webhook.md"
            );
        }
    }
    if is_stale {
        eprintln!("error: {changed} file(s) are not what {INPUTS} give\n  help: run `{COMMAND}`");
        return ExitCode::from(FAILURE);
    }
    ExitCode::SUCCESS
}

/// What a run did, or would do.
pub(crate) struct Done {
    definitions: usize,
    changed: usize,
    removed: usize,
    /// The differences, where nothing was written.
    diff: String,
    folder: PathBuf,
    /// The versions that are served and do not convert.
    unconverted: Unconverted,
    /// The versions between which objects convert, although definitions name no webhook.
    without_webhook: Unconverted,
    /// Whether definitions name a webhook: `None` if there is none, `false` if those with such versions do not.
    names_webhook: Option<bool>,
    /// The definitions that bring their rules.
    with_rules: BTreeSet<String>,
    /// Why others do not, although they should.
    without_rules: Left,
}

fn reasons(left: &Left) -> BTreeMap<&str, Vec<String>> {
    let texts = |errors: &Vec<Diagnostic>| errors.iter().map(ToString::to_string).collect();
    left.iter().map(|(name, errors)| (name.as_str(), texts(errors))).collect()
}

/// Versions by the names of their definitions: `widgets.example.com`.
fn by_name(unconverted: &Unconverted) -> BTreeMap<String, Vec<&str>> {
    unconverted
        .iter()
        .map(|((group, plural), versions)| {
            (format!("{plural}.{group}"), versions.iter().map(String::as_str).collect())
        })
        .collect()
}

/// What it means that versions are served and do not convert.
fn missing(versions: &[&str], names_webhook: Option<bool>) -> String {
    let versions = versions.join(", ");
    let served = format!("served and not converted: {versions}");
    match names_webhook {
        None => {
            format!("{served}; an API server returns objects there as they are stored, under another version")
        }
        Some(false) => {
            format!("{served}; so it names no webhook, unless `[webhook]` has `incomplete = true`")
        }
        Some(true) => format!("{served}; the webhook refuses these"),
    }
}

/// Writes the definitions of a repository, or compares them.
pub(crate) fn write(is_check: bool, project: &Project) -> Result<Done, Vec<Diagnostic>> {
    let (schemas, folder) = (project.root.join(&project.schemas), project.root.join(&project.crds));
    let target = Target::project(project);
    let Definitions { mut api, unconverted, without_webhook } =
        hubgen_codegen::definitions(&schemas, &kubernetes(), &target)?;
    let Brought { with: with_rules, left: without_rules } = if project.crds_with_rules {
        bring_rules(&mut api, &hubgen_codegen::kinds(&schemas, &kubernetes(), &target)?, project)?
    } else {
        forget_rules(&mut api);
        Brought::default()
    };
    let names_webhook = project.webhook.as_ref().map(|webhook| webhook.incomplete);
    let generator = Generator::of_tool(COMMAND);
    let files = crd_files::files(&api, project, &generator)?;
    if files.is_empty() {
        return Err(vec![Diagnostic::file(
            schemas,
            "no kind in this folder comes from a CustomResourceDefinition",
            "import definitions with `hubgen import`, or name types in Rust: `source = \"src/api\"` in hubgen.toml",
        )]);
    }
    let changes = crd_files::changes(&files, project, &generator)?;
    let diff = if is_check { changes.diff() } else { String::new() };
    if !is_check {
        changes.write().map_err(|error| vec![error])?;
    }
    let (changed, removed) = (changes.len(), changes.removed());
    let definitions = files.len();
    Ok(Done {
        definitions,
        changed,
        removed,
        diff,
        folder,
        unconverted,
        without_webhook,
        names_webhook,
        with_rules,
        without_rules,
    })
}
