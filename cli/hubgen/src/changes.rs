//! `hubgen changes`: what came and went between two releases of Kubernetes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use hubgen_documents::archive::{self, Change, Report, changes};
use hubgen_documents::schema;
use hubgen_model::{Api, Release};
use hubgen_terminal::{Diagnostic, FAILURE, Messages, print, println};
use serde_json::{Value, json};

/// List what came and went between two releases of Kubernetes.
///
/// Prints, for each group version, the kinds, subresources and fields that only one of the two releases has. What is in
/// something that came or went is not listed by itself. Of defaults, words and requirements the archive has those of the
/// newest release only, so changes of these are not listed.
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
   \"changes\": [{\"api_version\", \"what\", \"name\", \"came\", \"release\"}]}
  `what` is version, kind, subresource or field; `name` is empty for a version, and TYPE.FIELD for a field; `came` is
  true for what the later release has; `release` is the first one that had it, or else the last one.
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
    let (api, report) = kubernetes()?;
    let failed = |message: String, help: String| vec![Diagnostic::message(message, help)];
    // Of some releases before, only single types are known.
    let known = report.releases.iter().filter(|release| **release >= Release::new(1, 7));
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
    let mut found = changes(&api, args.from, args.to);
    if let Some(wanted) = &args.group {
        let name = if wanted == "core" { "" } else { wanted };
        let groups: Vec<&str> = api.versions.keys().map(|version| &*version.group).collect();
        if !groups.contains(&name) {
            let near = groups.iter().find(|group| group.split('.').next() == Some(name));
            let help = match near {
                Some(near) => format!("write {near}"),
                None => "`kubectl api-resources` lists groups; `core` is that of Pods".to_owned(),
            };
            return Err(failed(format!("there is no group {wanted}"), help));
        }
        found.retain(|change| change.group_version.group == name);
    }
    Ok(found)
}

/// The API of all releases, and which these are.
fn kubernetes() -> Result<(Api, Report), Vec<Diagnostic>> {
    let files = hubgen_schemas::kubernetes();
    let record = files.iter().find(|(path, _)| *path == archive::RECORD).map_or("", |(_, text)| *text);
    let report = Report::of_record(record)
        .map_err(|error| vec![Diagnostic::file(archive::RECORD, error, "this is a bug of hubgen")])?;
    let schemas = files.iter().filter(|(path, _)| path.ends_with(".json"));
    let schemas: BTreeMap<PathBuf, String> =
        schemas.map(|(path, text)| (PathBuf::from(path), (*text).to_owned())).collect();
    Ok((schema::read_files(schemas)?, report))
}

fn in_json(change: &Change) -> Value {
    json!({
        "api_version": change.group_version.api_version(),
        "what": change.what.name(),
        "name": change.name,
        "came": change.came,
        "release": change.release.to_string(),
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
    let [came, went] = [true, false].map(|came| found.iter().filter(|change| change.came == came).count());
    lines.push(format!("{} to {}: {came} came, {went} went", args.from, args.to));
    lines.join("\n") + "\n"
}
