//! `hubgen adopt`: schemas become types in Rust that users own.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hubgen_codegen::adopt::adopt;
use hubgen_terminal::{Diagnostic, Messages, println};
use serde_json::{Value, json};

use crate::generate::{kubernetes, project};

/// Turn schemas into types in Rust that you own.
///
/// Writes a module for each version, with structs, doc comments, and attributes for everything that the schemas
/// specify, to the folder of the generated code. It replaces the schemas, which are removed; `source` in hubgen.toml
/// names it. Rules and defaults stay. What was written is read again first, and nothing is changed unless it has the
/// same definitions, hubs and conversions.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Own the types of definitions from now on:
    hubgen import definitions/
    hubgen draft-rules
    hubgen adopt
    hubgen generate

JSON (--json), on standard output:
  {\"ok\": true, \"source\": [PATH], \"removed\": [PATH],
   \"diagnostics\": [{\"severity\", \"file\", \"line\", \"column\", \"path\", \"message\", \"help\"}]}
  With errors: {\"ok\": false, \"diagnostics\"}

Exit codes:
  0  success; there may be warnings about parts of definitions that mean the same to an API server
  1  the schemas have errors, attributes cannot specify something, or a file cannot be written
  2  wrong arguments")]
pub struct Args {
    /// Change nothing; print the files that would be written and removed
    #[arg(long)]
    dry_run: bool,
    /// The file that describes the repository; by default the nearest one in this folder or above
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Writes source.
pub fn run(args: &Args, is_quiet: bool) -> ExitCode {
    let mut messages = Messages::new(args.json, is_quiet);
    let Done { source, removed, warnings } = match write(args) {
        Ok(done) => done,
        Err(errors) => return messages.fail(&errors),
    };
    warnings.iter().for_each(|warning| messages.report(warning));
    if args.json {
        let paths = |paths: &[PathBuf]| paths.iter().map(|path| show(path).into()).collect::<Vec<Value>>();
        let (source, removed) = (paths(&source), paths(&removed));
        println!(
            "{}",
            json!({ "ok": true, "source": source, "removed": removed, "diagnostics": messages.take() })
        );
        return ExitCode::SUCCESS;
    }
    source.iter().for_each(|path| println!("write   {}", show(path)));
    removed.iter().for_each(|path| println!("remove  {}", show(path)));
    let verb = if args.dry_run { "would be written" } else { "written" };
    println!("{} files {verb}, {} removed", source.len(), removed.len());
    if !args.dry_run {
        messages.note(
            "next: `cargo fmt`, and `hubgen generate`, which writes conversions to the module `generated` of the source",
        );
    }
    ExitCode::SUCCESS
}

struct Done {
    source: Vec<PathBuf>,
    removed: Vec<PathBuf>,
    warnings: Vec<Diagnostic>,
}

fn show(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}

fn write(args: &Args) -> Result<Done, Vec<Diagnostic>> {
    let project = project(args.config.as_deref())?;
    let adopted = adopt(&project, &kubernetes())?;
    let (source, removed) = (adopted.source.clone(), adopted.removed.clone());
    let warnings = adopted.warnings.clone();
    if !args.dry_run {
        adopted.write().map_err(|error| vec![error])?;
    }
    Ok(Done { source, removed, warnings })
}
