//! `hubgen deprecations`: which versions of kinds are gone or going, and what takes their place.

use std::process::ExitCode;
use std::sync::Arc;

use hubgen_kubernetes::machinery::scheme::KindEntry;
use hubgen_migrate::{Known, Lifecycle, Successor, Target};
use hubgen_model::Release;
use hubgen_terminal::{Diagnostic, FAILURE, Messages, print, println};
use serde_json::{Map, Value, json};

use crate::find::no_group;

/// List the versions of kinds that are gone or deprecated, and what takes their place.
///
/// For each version of each kind of Kubernetes: the releases that had it, since when clients are told to use something else,
/// and which release serves it no more. This comes from the published APIs of all releases, so that there is no list to
/// maintain.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  List everything that is gone or deprecated:
    hubgen deprecations
  List only what an upgrade to 1.25 concerns, of one group:
    hubgen deprecations --target 1.25 policy
  For other programs:
    hubgen deprecations --json

JSON (--json), on standard output:
  {\"ok\": true, \"versions\": [{\"apiVersion\", \"kind\", \"since\", \"deprecated\", \"last\", \"removed\",
   \"to\": {\"apiVersion\", \"kind\"}, \"use\"}]}
  `since` and `last` are the first and the last release that had the version, `deprecated` the first that told clients to
  use something else, `removed` the first that does not serve it, which may be one to come. Between `removed` and `last`, a
  server served it where it was told to. `to` is the same kind at the version to convert to; `use` is for what does not
  convert. Members that do not apply are absent.
  With errors: {\"ok\": false, \"diagnostics\": [{\"severity\", \"message\", \"help\"}]}

Exit codes:
  0  success
  1  there is no such group
  2  wrong arguments")]
pub struct Args {
    /// Only this group: apps; `core` is that of Pods
    #[arg(value_name = "GROUP")]
    group: Option<String>,
    /// Only what this release deprecates or does not serve, of what a release before had
    #[arg(long, value_name = "RELEASE")]
    target: Option<Release>,
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

/// Prints the list.
pub fn run(args: &Args, is_quiet: bool) -> ExitCode {
    let mut messages = Messages::new(args.json, is_quiet);
    let known = Known::kubernetes();
    if let Some(target) = args.target
        && let Err(error) = Target::release(&known.scheme, target)
    {
        return crate::usage("deprecations", &format!("--target {error}"));
    }
    let found = match found(args, &known) {
        Ok(found) => found,
        Err(error) => {
            messages.report(&error);
            if args.json {
                println!("{}", json!({ "ok": false, "diagnostics": messages.take() }));
            }
            return ExitCode::from(FAILURE);
        }
    };
    if args.json {
        let versions: Vec<Value> = found.iter().map(|(entry, lifecycle)| in_json(entry, lifecycle)).collect();
        println!("{}", json!({ "ok": true, "versions": versions }));
    } else {
        let lines = found.iter().map(|(entry, lifecycle)| line(entry, lifecycle) + "\n");
        print!("{}", lines.collect::<String>());
    }
    ExitCode::SUCCESS
}

type Found<'a> = Vec<(&'a Arc<KindEntry>, Lifecycle)>;

fn found<'a>(args: &Args, known: &'a Known) -> Result<Found<'a>, Diagnostic> {
    let group = args.group.as_deref().map(|group| if group == "core" { "" } else { group });
    if let Some(wanted) = group
        && !known.scheme.kinds().any(|entry| entry.group == wanted)
    {
        return Err(no_group(wanted, known.scheme.kinds().map(|entry| &*entry.group)));
    }
    let concerns = |lifecycle: &Lifecycle| {
        let Lifecycle { since, deprecated, removed, .. } = lifecycle;
        let by = |release: &Option<Release>| {
            release.is_some_and(|release| args.target.is_none_or(|target| release <= target))
        };
        let was_there = args.target.is_none_or(|target| since.is_some_and(|since| since < target));
        was_there && (by(deprecated) || by(removed))
    };
    let entries = known.scheme.kinds().filter(|entry| entry.resource.is_some());
    let entries = entries.filter(|entry| group.is_none_or(|group| entry.group == group));
    let found = entries.map(|entry| (entry, known.lifecycle(entry)));
    Ok(found.filter(|(_, lifecycle)| concerns(lifecycle)).collect())
}

fn in_json(entry: &KindEntry, lifecycle: &Lifecycle) -> Value {
    let Lifecycle { since, deprecated, last, removed, successor } = lifecycle;
    let mut version = Map::new();
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            version.insert(name.to_owned(), value);
        }
    };
    set("apiVersion", Some(entry.api_version().into()));
    set("kind", Some((&*entry.kind).into()));
    for (name, release) in
        [("since", since), ("deprecated", deprecated), ("last", last), ("removed", removed)]
    {
        set(name, release.map(|release| release.to_string().into()));
    }
    match successor {
        Some(Successor::Version(to)) => {
            set("to", Some(json!({ "apiVersion": to.api_version(), "kind": &*to.kind })));
        }
        Some(other) => set("use", Some(other.to_string().into())),
        None => {}
    }
    Value::Object(version)
}

fn line(entry: &KindEntry, lifecycle: &Lifecycle) -> String {
    let Lifecycle { since, deprecated, last, removed, successor } = lifecycle;
    let mut parts = Vec::new();
    match (since, last) {
        (Some(since), Some(last)) if since == last => parts.push(format!("only in {since}")),
        (Some(since), Some(last)) => parts.push(format!("{since} to {last}")),
        (Some(since), None) => parts.push(format!("since {since}")),
        (None, _) => {}
    }
    if let Some(deprecated) = deprecated {
        parts.push(format!("deprecated in {deprecated}"));
    }
    // It follows from the last one, unless it is to come or was only announced.
    if let Some(removed) = removed
        && last.is_none_or(|last| *removed <= last)
    {
        let of = if last.is_some() { "not served by default since" } else { "to be removed in" };
        parts.push(format!("{of} {removed}"));
    }
    let arrow = successor.as_ref().map_or(String::new(), |successor| match successor {
        Successor::Version(to) => format!(" → {to}"),
        other => format!("; use instead: {other}"),
    });
    format!("{entry}: {}{arrow}", parts.join(", "))
}
