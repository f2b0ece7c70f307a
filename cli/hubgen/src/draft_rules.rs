//! `hubgen draft-rules`: the beginning of conversion rules.

use std::path::PathBuf;
use std::process::ExitCode;

use hubgen_codegen::Target;
use hubgen_codegen::draft::{Drafts, draft};
use hubgen_documents::folder::Folder;
use hubgen_terminal::{Diagnostic, Messages, println};
use serde_json::json;

use crate::generate::{kubernetes, project};

/// Begin the conversion rules of kinds whose versions differ.
///
/// Writes a file for each such kind that has no rules. What only some versions have is kept in an annotation at the
/// others. A version of which a field has another type does not convert until you have written the rule: the file lists
/// what is to do, and the last line says how many versions convert. Read the files: fields that only have another name
/// or another place should be mapped. Existing files are not changed.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Begin the rules of all kinds that need some:
    hubgen draft-rules
  Convert through the version that is stored, which is not the newest:
    hubgen draft-rules --hub v1beta1

JSON (--json), on standard output:
  {\"ok\": true, \"files\": [PATH], \"open\": [TEXT], \"versions\": N, \"converting\": N}; `open` lists what only
   people can decide; `versions` counts those in the files besides the hubs, and `converting` those that convert
  With errors: {\"ok\": false, \"diagnostics\": [{\"severity\", \"file\", \"line\", \"column\", \"path\",
   \"message\", \"help\"}]}

Exit codes:
  0  success, even if there was nothing to write
  1  the schemas have errors, or a file cannot be written
  2  wrong arguments")]
pub struct Args {
    /// The file that describes the repository; by default the nearest one in this folder or above
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The version that the others convert through, for kinds that have it: `v1beta1` or `example.com/v1beta1`; by
    /// default the newest one
    #[arg(long, value_name = "VERSION")]
    hub: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Writes drafts.
pub fn run(args: &Args, is_quiet: bool) -> ExitCode {
    let mut messages = Messages::new(args.json, is_quiet);
    let (folder, Drafts { files, open, versions, converting }) = match drafts(args) {
        Ok(drafts) => drafts,
        Err(errors) => return messages.fail(&errors),
    };
    let paths: Vec<String> = files.keys().map(|path| folder.join(path).display().to_string()).collect();
    if args.json {
        println!(
            "{}",
            json!({ "ok": true, "files": paths, "open": open, "versions": versions, "converting": converting })
        );
        return ExitCode::SUCCESS;
    }
    paths.iter().for_each(|path| println!("{path}"));
    open.iter().for_each(|text| println!("to do: {text}"));
    println!("{} files written, {} differences to do", paths.len(), open.len());
    if versions > 0 {
        println!("{converting} of {versions} versions besides the hubs convert");
    }
    ExitCode::SUCCESS
}

fn drafts(args: &Args) -> Result<(PathBuf, Drafts), Vec<Diagnostic>> {
    let project = project(args.config.as_deref())?;
    let folder = project.root.join(&project.schemas);
    let drafts = draft(&folder, &kubernetes(), &Target::project(&project), args.hub.as_deref())?;
    let changes = Folder::read(&folder)?;
    changes.additions(&drafts.files).write().map_err(|error| vec![error])?;
    Ok((folder, drafts))
}
