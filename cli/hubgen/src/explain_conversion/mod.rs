//! `hubgen explain-conversion`: which rule does what between two versions of a kind.

mod conversion;
mod difference;
mod documents;
mod json;
mod object;
mod object_json;
mod object_text;
pub mod path;
pub mod side;
mod text;
mod versions;

use std::path::PathBuf;
use std::process::ExitCode;

use hubgen_migrate::Known;
use hubgen_terminal::{Diagnostic, FAILURE, Messages, print, println};
use serde_json::{Map, Value};

use self::conversion::Explained;
use self::documents::documents;
use self::object::{Effects, Work};
use self::versions::both;
use crate::input::{Input, Origin};

/// Show how a kind converts from one version to another, rule by rule.
///
/// Prints what each rule does with which field, at the old version, in the hub and at the new version; what clients at
/// the new version do not see; what is lost; and what may come back in another form. Fields that no rule names have
/// the same name at both versions.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Show how Deployments convert:
    hubgen explain-conversion Deployment extensions/v1beta1 apps/v1
  Show what becomes of the fields of an object, with their lines:
    hubgen explain-conversion Deployment extensions/v1beta1 apps/v1 deployment.yaml
  Show the rules of a repository, with their files and lines:
    hubgen explain-conversion Widget v1beta1 v1 --config hubgen.toml

JSON (--json), on standard output:
  {\"ok\": true, \"kind\", \"from\", \"to\", \"hub\",
   \"rules\": [{\"version\", \"operator\", \"detail\", \"file\", \"line\",
     \"paths\": {\"from\": [PATH], \"hub\": [PATH], \"to\": [PATH]}}],
   \"hidden\": [TEXT], \"versions\": [{\"version\", \"lost\": [TEXT], \"forms\": [TEXT]}],
   \"objects\": [{\"file\", \"line\", \"name\",
     \"written\": [{\"path\", \"value\", \"sources\": [{\"path\", \"line\"}], \"annotation\",
       \"rules\": [{\"version\", \"operator\", \"detail\", \"file\", \"line\"}]}],
     \"kept\": [{\"annotation\", \"hub\", \"source\": {\"path\", \"line\"}, \"kept\", \"value\"}],
     \"lost\": [{\"path\", \"line\", \"value\"}],
     \"changed_back\": [{\"path\", \"line\", \"was\", \"is\", \"why\"}], \"may_lose\": [TEXT]}],
   \"diagnostics\": [{\"severity\", \"file\", \"line\", \"column\", \"path\", \"message\", \"help\"}]}
  Rules are in the order in which they run; `version` is the one whose rules they are. `hidden` is what clients at the
  new version do not see, and annotations keep. `lost` is what nothing keeps of objects of a version, and `forms` is what
  may come back in another form. `objects` is there with FILE: `written` has the fields of the result that differ, with
  the fields of FILE that they come from; `kept` is a value, the absence of one, or an order of elements; `changed_back`
  is what differs once a client has read and written the object at the new version. Members that do not apply are null.
  If there is an error before, only `ok`, which is false, and `diagnostics` are there.

Exit codes:
  0  success
  1  the kind or a version is not known or does not convert, an object cannot be converted, FILE has
     none of the kind, or the repository has errors
  2  wrong arguments")]
pub struct Args {
    /// The kind: its name, plural or short name, and the group after a dot if several kinds have it
    #[arg(value_name = "KIND")]
    kind: String,
    /// The version to convert from, such as apps/v1, or v1 if only one version has this name
    #[arg(value_name = "FROM")]
    from: String,
    /// The version to convert to
    #[arg(value_name = "TO")]
    to: String,
    /// Explain what becomes of the objects in this file; `-` is standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Also know the kinds of the repository that this hubgen.toml describes
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Prints what a conversion does, or what it does to the objects of a file.
pub fn run(args: &Args, is_quiet: bool) -> ExitCode {
    let mut messages = Messages::new(args.json, is_quiet);
    let shown = explain(args, &mut messages).unwrap_or_else(|errors| {
        errors.iter().for_each(|error| messages.report(error));
        Shown::default()
    });
    let fails = messages.errors > 0;
    if args.json {
        let mut out = shown.json;
        out.insert("ok".to_owned(), (!fails).into());
        out.insert("diagnostics".to_owned(), messages.take());
        println!("{}", Value::Object(out));
    } else {
        print!("{}", shown.text.join("\n"));
    }
    if fails { ExitCode::from(FAILURE) } else { ExitCode::SUCCESS }
}

/// What is printed: text for people, or the members of an object for programs.
#[derive(Default)]
struct Shown {
    text: Vec<String>,
    json: Map<String, Value>,
}

fn explain(args: &Args, messages: &mut Messages) -> Result<Shown, Vec<Diagnostic>> {
    let config = args.config.as_deref();
    let known = Known::new(config)?;
    let both = both(&known.scheme, &args.kind, &args.from, &args.to).map_err(|error| vec![error])?;
    let explained = Explained::new(both, config)?;
    let mut shown = Shown { text: Vec::new(), json: json::show(&explained) };
    let Some(file) = &args.file else {
        shown.text.push(text::show(&explained));
        return Ok(shown);
    };
    let input = Input::read(&Origin::of(Some(file))).map_err(|error| vec![error])?;
    let documents = documents(&input, both[0], &mut |warning| messages.report(&warning));
    let documents = documents.map_err(|error| vec![error])?;
    if documents.is_empty() {
        let message = format!("expected an object of {}, found none", both[0]);
        let help = "name the version that the objects of the file have as FROM";
        return Err(vec![Diagnostic::file(&input.name, message, help)]);
    }
    let work = Work { known: &known, explained: &explained };
    let mut objects = Vec::new();
    for document in &documents {
        let effects = work.effects(&document.object);
        let (Ok(Effects { notes, .. }) | Err(notes)) = &effects;
        notes.iter().for_each(|note| messages.report(&document.diagnostic(note)));
        if let Ok(effects) = &effects {
            shown.text.push(object_text::show(&explained, document, effects));
            objects.push(object_json::show(document, effects));
        }
    }
    shown.json.insert("objects".to_owned(), objects.into());
    Ok(shown)
}
