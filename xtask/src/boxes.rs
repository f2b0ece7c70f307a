//! `cargo xtask boxes`: what decides which types are boxed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use hubgen_codegen::survey::{Surveyed, survey};
use hubgen_documents::boxes::key;
use hubgen_terminal::{Diagnostic, Messages};
use hubgen_yaml as yaml;
use serde_json::{Value, json};

/// Print the sizes of types that are optional somewhere, and how often objects have them.
///
/// Use it to decide about new types in `schemas/kubernetes/boxes.toml`. A type that is large and rare is
/// boxed; all others are inline. `seen` is how many of the objects that could contain the type do.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Print the sizes of all types of 64 bytes or more:
    cargo xtask boxes
  Count them in the objects of a cluster, which `kubectl get pods -A -o json` has written:
    cargo xtask boxes pods.json
  Count them in a folder of manifests, small types included:
    cargo xtask boxes manifests --least 0

JSON (--json):
  {\"objects\": N, \"types\": [{\"group\", \"name\", \"size\", \"decision\", \"fields\", \"places\", \"present\"}]}
  With errors: {\"ok\": false, \"diagnostics\": [{\"severity\", \"file\", \"line\", \"column\", \"path\",
   \"message\", \"help\"}]}

Exit codes:
  0  success
  1  the schemas have errors, or a file cannot be read
  2  wrong arguments")]
pub struct Args {
    /// Files of objects in JSON or YAML, or folders of them
    #[arg(value_name = "PATH")]
    objects: Vec<PathBuf>,
    /// Leave out types of fewer bytes
    #[arg(long, value_name = "BYTES", default_value_t = 64)]
    least: usize,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// The folder of the schemas
    #[arg(long, value_name = "DIR", default_value = "schemas/kubernetes")]
    schemas: PathBuf,
}

/// Counts and prints.
pub fn run(args: &Args) -> ExitCode {
    let mut messages = Messages::new(args.json, false);
    let mut objects = Vec::new();
    let read = args.objects.iter().try_for_each(|path| read(path, &mut objects));
    let surveyed = read.map_err(|error| vec![error]).and_then(|()| survey(&args.schemas, &objects));
    let mut rows = match surveyed {
        Ok(rows) => rows,
        Err(diagnostics) => return messages.fail(&diagnostics),
    };
    rows.retain(|row| row.size >= args.least);
    if args.json {
        println!(
            "{}",
            json!({"objects": objects.len(), "types": rows.iter().map(to_json).collect::<Vec<_>>()})
        );
    } else {
        print!("{}", to_text(&rows, objects.len()));
    }
    ExitCode::SUCCESS
}

/// Reads the objects in a file, or in all files of a folder. Other files of a folder are skipped.
fn read(path: &Path, objects: &mut Vec<Value>) -> Result<(), Diagnostic> {
    let unreadable = |error: io::Error| {
        Diagnostic::file(
            path,
            format!("cannot be read: {error}"),
            "name files of objects, or folders of them",
        )
    };
    if path.is_dir() {
        let entries =
            fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(unreadable)?;
        let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
        paths.retain(|path| {
            path.is_dir()
                || path
                    .extension()
                    .is_some_and(|end| ["json", "yaml", "yml"].iter().any(|known| end == *known))
        });
        paths.sort();
        return paths.iter().try_for_each(|path| read(path, objects));
    }
    let text = fs::read_to_string(path).map_err(unreadable)?;
    // JSON is YAML, too.
    for document in yaml::documents(&text) {
        let document =
            document.map_err(|error| Diagnostic::file(path, error.to_string(), "expected JSON or YAML"))?;
        let object: Value = serde_json::from_slice(&document.json)
            .map_err(|error| Diagnostic::file(path, error.to_string(), "expected JSON or YAML"))?;
        objects.push(object);
    }
    Ok(())
}

fn to_text(rows: &[Surveyed], objects: usize) -> String {
    let mut out = format!(
        "{objects} objects\n\n{:>6}  {:<8}{:>8}  {:<15}type\n",
        "bytes", "decision", "fields", "seen"
    );
    for row in rows {
        let decision = row.decision.map_or("", key);
        let seen = format!("{} of {}", row.present, row.places);
        let _ = writeln!(
            out,
            "{:>6}  {decision:<8}{:>8}  {seen:<15}{} {}",
            row.size, row.fields, row.group, row.name
        );
    }
    out
}

fn to_json(row: &Surveyed) -> Value {
    let Surveyed { group, name, size, decision, fields, places, present } = row;
    json!({
        "group": group,
        "name": name,
        "size": size,
        "decision": decision.map(key),
        "fields": fields,
        "places": places,
        "present": present,
    })
}
