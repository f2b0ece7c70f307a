//! `hubgen explain`: what a server does with the objects of a kind.

mod facts;
pub mod find;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;

use hubgen_terminal::{FAILURE, Messages, print, println};
use serde_json::json;

use self::facts::Facts;
use hubgen_migrate::Known;

/// Show a kind: its versions, its resource, and what a server does with its objects.
///
/// Prints which releases had which version, the hub, names, scope, verbs and subresources, and what a server does with
/// the objects beyond storing them: which names they may have, which changes it counts, what field selectors find.
/// Nothing of it is code of a kind: it is data in `schemas/kubernetes`.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Show a kind by its name, its plural or its short name:
    hubgen explain Deployment
  Tell kinds of several groups apart:
    hubgen explain events.events.k8s.io
  List what field selectors can select by:
    hubgen explain pods --json

JSON (--json), on standard output:
  {\"ok\": true, \"kinds\": [{\"group\", \"kind\", \"plural\", \"singular\", \"short_names\": [TEXT],
   \"categories\": [TEXT], \"namespaced\", \"keys\",
   \"versions\": [{\"version\", \"since\", \"until\", \"hub\", \"stored\", \"converts\",
     \"verbs\": [TEXT],
     \"subresources\": [{\"name\", \"kind\", \"verbs\": [TEXT]}],
     \"selectable_fields\": [{\"name\", \"paths\": [TEXT]}], \"never_owner\"}],
   \"names\", \"generation\", \"generation_counts\": [TEXT], \"status_takes\": [TEXT],
   \"keeps_status_on_creation\", \"time_to_live_seconds\", \"priority\", \"version_priorities\": {VERSION: N},
   \"file\"}]}
  `since` and `until` are releases of Kubernetes; `hub` is true for the version that the others convert through, and
  `stored` for the one at which objects are stored; `converts` is false for another API with the same name; `keys` is what
  the keys of stored objects begin with; `file` has what is not usual about the kind. Members that do not apply are null.
  With errors: {\"ok\": false, \"diagnostics\": [{\"severity\", \"file\", \"line\", \"column\", \"path\",
   \"message\", \"help\"}]}

Exit codes:
  0  success
  1  no kind has this name, or the repository has errors
  2  wrong arguments")]
pub struct Args {
    /// The kind: its name, plural or short name, and the group after a dot if several kinds have it
    #[arg(value_name = "KIND")]
    kind: String,
    /// Also know the kinds of the repository that this hubgen.toml describes
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Prints what is known about a kind.
pub fn run(args: &Args, is_quiet: bool) -> ExitCode {
    let mut messages = Messages::new(args.json, is_quiet);
    let known = match Known::new(args.config.as_deref()) {
        Ok(known) => known,
        Err(errors) => return messages.fail(&errors),
    };
    let kinds = match find::kinds(&known.scheme, &args.kind) {
        Ok(kinds) => kinds,
        Err(error) => {
            messages.report(&error);
            if args.json {
                println!("{}", json!({ "ok": false, "diagnostics": messages.take() }));
            }
            return ExitCode::from(FAILURE);
        }
    };
    let kinds: Vec<Facts<'_>> = kinds.into_iter().map(|kind| Facts::new(&known, kind)).collect();
    if args.json {
        println!("{}", json!({ "ok": true, "kinds": kinds.iter().map(Facts::json).collect::<Vec<_>>() }));
    } else {
        print!("{}", kinds.iter().map(text::show).collect::<Vec<_>>().join("\n"));
    }
    ExitCode::SUCCESS
}
