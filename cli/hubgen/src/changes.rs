//! `hubgen changes`: what came, went and changed between two releases of Kubernetes.

use std::process::ExitCode;

use hubgen_documents::archive::{Change, How};
use hubgen_model::Release;
use hubgen_terminal::{Diagnostic, FAILURE, Messages, print, println};
use serde_json::{Value, json};

use crate::find::no_group;

/// List what came, went and changed between two releases of Kubernetes.
///
/// Prints, for each group version, the kinds, subresources and fields that only one of the two releases has, and what
/// changed about those that both have: types, verbs, and which fields are required, how lists are merged, defaults and
/// words, as OpenAPI publishes them. What is in something that came or went is not listed by itself.
///
/// Servers also set defaults, and check words, that OpenAPI does not publish. These are not listed.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  List what an upgrade from 1.28 to 1.32 brings and takes:
    hubgen changes 1.28 1.32
  List only one group:
    hubgen changes 1.16 1.25 policy
  Find the fields that pods lost:
    hubgen changes 1.7 1.37 core --json

JSON (--json), on standard output:
  {\"ok\": true, \"from\": TEXT, \"to\": TEXT,
   \"changes\": [{\"api_version\", \"what\", \"name\", \"how\", \"release\", \"fact\", \"was\", \"is\"}]}
  `what` is version, kind, subresource or field; `name` is empty for a version, and TYPE.FIELD for a field. `how` is
  came, went or changed. `release` is the first one that had it, or had it that way; if it went, the last one. For what
  changed, `fact` is type, required, list-type, atomic, default, words, scope, verbs, kind, short-names, categories or
  preferred (the preferred version of the group), and `was` and `is` are its values: true or false, a list of words, or
  text, which is empty for none; that of a default is JSON. For others, `fact`, `was` and `is` are null.
  With errors: {\"ok\": false, \"diagnostics\": [{\"severity\", \"file\", \"line\", \"column\", \"path\",
   \"message\", \"help\"}]}

Exit codes:
  0  success
  1  the archive does not have one of the releases, or has no such group
  2  wrong arguments")]
pub struct Args {
    /// The earlier release: 1.28
    #[arg(value_name = "FROM")]
    from: Release,
    /// The later release
    #[arg(value_name = "TO")]
    to: Release,
    /// Only this group: apps; `core` is that of Pods
    #[arg(value_name = "GROUP")]
    group: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Prints the changes.
pub fn run(args: &Args, is_quiet: bool) -> ExitCode {
    let mut messages = Messages::new(args.json, is_quiet);
    match found(args) {
        Ok(found) if args.json => {
            let changes: Vec<Value> = found.iter().map(in_json).collect();
            let [from, to] = [args.from, args.to].map(|release| release.to_string());
            println!("{}", json!({ "ok": true, "from": from, "to": to, "changes": changes }));
            ExitCode::SUCCESS
        }
        Ok(found) => {
            print!("{}", text(args, &found));
            ExitCode::SUCCESS
        }
        Err(errors) => {
            errors.iter().for_each(|error| messages.report(error));
            if args.json {
                println!("{}", json!({ "ok": false, "diagnostics": messages.take() }));
            }
            ExitCode::from(FAILURE)
        }
    }
}

fn found(args: &Args) -> Result<Vec<Change>, Vec<Diagnostic>> {
    let archive = hubgen_releases::archive()?;
    let failed = |message: String, help: String| vec![Diagnostic::message(message, help)];
    // Of some releases before, only single types are known.
    let known = archive.report.releases.iter().filter(|release| **release >= Release::new(1, 7));
    let known: Vec<Release> = known.copied().collect();
    for release in [args.from, args.to] {
        if !known.contains(&release) {
            let range = match (known.first(), known.last()) {
                (Some(first), Some(last)) => format!("the archive has {first} to {last}"),
                _ => "the archive has no releases".to_owned(),
            };
            return Err(failed(format!("the archive has no documents of Kubernetes {release}"), range));
        }
    }
    if args.from >= args.to {
        return Err(failed(
            format!("{} is not before {}", args.from, args.to),
            "write the earlier release first".to_owned(),
        ));
    }
    let mut found = archive.changes(args.from, args.to);
    if let Some(wanted) = &args.group {
        let name = if wanted == "core" { "" } else { wanted };
        let groups: Vec<&str> = archive.api.versions.keys().map(|version| &*version.group).collect();
        if !groups.contains(&name) {
            return Err(vec![no_group(wanted, groups.into_iter())]);
        }
        found.retain(|change| change.group_version.group == name);
    }
    Ok(found)
}

fn in_json(change: &Change) -> Value {
    let (how, fact) = match &change.how {
        How::Came => ("came", None),
        How::Went => ("went", None),
        How::Changed { fact, was, is } => ("changed", Some((fact.name(), was, is))),
    };
    json!({
        "api_version": change.group_version.api_version(),
        "what": change.what.name(),
        "name": change.name,
        "how": how,
        "release": change.release.to_string(),
        "fact": fact.map(|(fact, ..)| fact),
        "was": fact.map(|(_, was, _)| was),
        "is": fact.map(|(.., is)| is),
    })
}

fn text(args: &Args, found: &[Change]) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut before = None;
    for change in found {
        if before != Some(&change.group_version) {
            lines.push(change.group_version.to_string());
            before = Some(&change.group_version);
        }
        lines.push(format!("  {change}"));
    }
    let count = |is: fn(&How) -> bool| found.iter().filter(|change| is(&change.how)).count();
    let came = count(|how| matches!(how, How::Came));
    let went = count(|how| matches!(how, How::Went));
    let changed = found.len() - came - went;
    lines.push(format!("{} to {}: {came} came, {went} went, {changed} changed", args.from, args.to));
    lines.join("\n") + "\n"
}
