//! `hubgen explain`: what a server does with the objects of a kind.

mod facts;
mod field;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;

use hubgen_migrate::Known;
use hubgen_model::Release;
use hubgen_terminal::{Diagnostic, FAILURE, Messages, print, println};
use serde_json::{Value, json};

use self::facts::Facts;
use crate::find;

/// Show a kind, or a field at one version: its releases, its types and defaults, its conversion.
///
/// For a kind, prints which releases had which version, the hub, names, scope, verbs and subresources, and what a server
/// does with the objects beyond storing them: which names they may have, which changes it counts, what field selectors
/// find. Nothing of it is code of a kind: it is data in `schemas/kubernetes`.
///
/// For a version and a kind or a field of it, prints the type, the releases that had it, what they changed about it, the
/// defaults that servers set, where it is at other versions, and which rules take it there.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Show a kind by its name, its plural or its short name:
    hubgen explain Deployment
  Tell kinds of several groups apart:
    hubgen explain events.events.k8s.io
  List what field selectors can select by:
    hubgen explain pods --json
  Show a field at one version, and what it was in an earlier release:
    hubgen explain apps/v1 Deployment.spec.strategy
    hubgen explain v1 Pod.spec.containers.ports --release 1.20

JSON (--json), on standard output:
  {\"ok\": true, \"kinds\": [{\"group\", \"kind\", \"plural\", \"singular\", \"short_names\": [TEXT],
   \"categories\": [TEXT], \"namespaced\", \"keys\",
   \"versions\": [{\"version\", \"since\", \"until\", \"hub\", \"stored\", \"converts\",
     \"verbs\": [TEXT],
     \"subresources\": [{\"name\", \"kind\", \"verbs\": [TEXT]}],
     \"selectable_fields\": [{\"name\", \"paths\": [TEXT]}], \"never_owner\",
     \"orphans_dependents\"}],
   \"names\", \"generation\", \"generation_counts\": [TEXT], \"status_takes\": [TEXT],
   \"keeps_status_on_creation\", \"time_to_live_seconds\", \"priority\", \"version_priorities\": {VERSION: N},
   \"file\"}]}
  {\"ok\": true, \"field\": {\"version\", \"kind\", \"path\", \"release\", \"type\", \"since\", \"until\",
   \"preferred\",
   \"facts\": [{\"subresource\", \"fact\", \"value\", \"earlier\": [{\"until\", \"value\"}], \"newest\"}],
   \"defaults\": [{\"path\", \"value\", \"when\"}],
   \"fields\": [{\"name\", \"since\", \"until\", \"there\"}],
   \"conversion\": {\"hub\", \"in_hub\": [PATH], \"rules\": [TEXT],
     \"versions\": [{\"version\", \"fields\": [{\"path\", \"since\", \"until\"}], \"rules\": [TEXT]}]}}}
  `since` and `until` are releases of Kubernetes; `hub` is true for the version that the others convert through, and
  `stored` for the one at which objects are stored; `converts` is false for another API with the same name; `keys` is what
  the keys of stored objects begin with; `file` has what is not usual about the kind. Members that do not apply are null.
  `field` is there with FIELD. `facts` are as in `release`, and `newest` is the value of the newest one; `preferred` is the
  preferred version of the group of a kind; `defaults` are those that servers of the newest release set, each with its
  path below the field; `there` is whether `release` had it.
  With errors: {\"ok\": false, \"diagnostics\": [{\"severity\", \"file\", \"line\", \"column\", \"path\",
   \"message\", \"help\"}]}

Exit codes:
  0  success
  1  no kind or field has this name, the release did not have it, or the repository has errors
  2  wrong arguments")]
pub struct Args {
    /// The kind: its name, plural or short name, and the group after a dot if several kinds have it; with FIELD, a
    /// version, such as apps/v1
    #[arg(value_name = "KIND|VERSION")]
    kind: String,
    /// The kind at that version, or a field of it: Deployment.spec.strategy
    #[arg(value_name = "FIELD", conflicts_with = "config")]
    field: Option<String>,
    /// Show it as in this release of Kubernetes, such as 1.20, instead of the last one that had it
    #[arg(long, value_name = "RELEASE", requires = "field")]
    release: Option<Release>,
    /// Also know the kinds of the repository that this hubgen.toml describes
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Prints what is known about a kind or a field.
pub fn run(args: &Args, is_quiet: bool) -> ExitCode {
    let mut messages = Messages::new(args.json, is_quiet);
    let shown = match &args.field {
        Some(field) => field::explain(&args.kind, field, args.release).map(|element| {
            if args.json {
                Shown::Json("field", field::json(&element))
            } else {
                Shown::Text(field::text(&element))
            }
        }),
        None => kinds(args),
    };
    match shown {
        Ok(Shown::Json(name, value)) => println!("{}", json!({ "ok": true, name: value })),
        Ok(Shown::Text(text)) => print!("{text}"),
        Err(errors) => {
            errors.iter().for_each(|error| messages.report(error));
            if args.json {
                println!("{}", json!({ "ok": false, "diagnostics": messages.take() }));
            }
            return ExitCode::from(FAILURE);
        }
    }
    ExitCode::SUCCESS
}

/// What is printed: a member for programs, or text for people.
enum Shown {
    Json(&'static str, Value),
    Text(String),
}

fn kinds(args: &Args) -> Result<Shown, Vec<Diagnostic>> {
    let known = Known::new(args.config.as_deref())?;
    let kinds = find::kinds(&known.scheme, &args.kind).map_err(|error| vec![error])?;
    let kinds: Vec<Facts<'_>> = kinds.into_iter().map(|kind| Facts::new(&known, kind)).collect();
    Ok(if args.json {
        Shown::Json("kinds", kinds.iter().map(Facts::json).collect())
    } else {
        Shown::Text(kinds.iter().map(text::show).collect::<Vec<_>>().join("\n"))
    })
}
