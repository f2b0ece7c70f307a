//! `cargo xtask generate`: from `schemas/` to `generated/`.

use std::path::PathBuf;
use std::process::ExitCode;

use hubgen_codegen::{Done, Job, Target};
use hubgen_documents::schema::Carried;
use hubgen_terminal::{FAILURE, Messages};

/// Write the generated crates from the schemas.
///
/// Reads schemas, conversion rules and defaults, and writes one crate for each API group. Only files that
/// change are written. Errors point to the file, line and column; nothing is written then.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Write what changed in the schemas or in the generator:
    cargo xtask generate
  Compare only, as CI does; print the difference:
    cargo xtask generate --check
  Count kinds, types and conversions:
    cargo xtask generate --check --json

JSON (--json):
  {\"ok\": true, \"groups\": N, \"group_versions\": N, \"kinds\": N, \"types\": N, \"types_shared\": N,
   \"hubs_shared\": N, \"hubs_of_their_own\": N, \"conversions\": N, \"lossy\": N, \"not_convertible\": N,
   \"reasons\": {VERSION: TEXT}, \"files\": N, \"changed\": N, \"seconds\": {STAGE: N}}
  With errors: {\"ok\": false, \"diagnostics\": [{\"severity\", \"file\", \"line\", \"column\", \"path\",
   \"message\", \"help\"}]}

Exit codes:
  0  success
  1  the schemas have errors, or --check found a difference
  2  wrong arguments")]
pub struct Args {
    /// Write nothing; print a diff and fail if the generated files are not what the schemas give
    #[arg(long)]
    check: bool,
    /// Print the result as JSON; the diff goes to standard error
    #[arg(long)]
    json: bool,
    /// The folder of the schemas
    #[arg(long, value_name = "DIR", default_value = "schemas/kubernetes")]
    schemas: PathBuf,
    /// The folder of the generated crates
    #[arg(long, value_name = "DIR", default_value = "generated")]
    out: PathBuf,
}

/// Packages contain the files of their own folder only.
const LICENSE: &str = include_str!("../../LICENSE");

/// Generates, and writes or compares.
pub fn run(args: &Args) -> ExitCode {
    let mut messages = Messages::new(args.json, false);
    let job = Job {
        schemas: &args.schemas,
        carried: &Carried::default(),
        target: &Target { license: Some(LICENSE.to_owned()), ..Target::kubernetes() },
        out: &args.out,
    };
    match job.run(args.check) {
        Err(diagnostics) => messages.fail(&diagnostics),
        Ok(done) => shown(&done, args.json),
    }
}

/// Prints the result.
fn shown(done: &Done, as_json: bool) -> ExitCode {
    if as_json {
        // Nothing but JSON is on standard output.
        eprint!("{}", done.diff);
        println!("{}", done.to_json());
    } else {
        print!("{}{done}", done.diff);
    }
    match done.stale("cargo xtask generate", "the schemas") {
        Some(message) => {
            eprintln!("{message}");
            ExitCode::from(FAILURE)
        }
        None => ExitCode::SUCCESS,
    }
}
