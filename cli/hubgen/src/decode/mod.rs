//! `hubgen decode`: bytes from storage or the wire, made readable.

mod filter;
mod rewrite;
mod source;
mod writer;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use hubgen_kubernetes::machinery::scheme::{KindEntry, Scheme};
use hubgen_migrate::{Known, Target};
use hubgen_stored::{Decoded, Decoder, Finding, Help, Rewritten, Stored};
use hubgen_terminal::{Diagnostic, FAILURE, Messages, Progress, eprintln};
use serde_json::{Value, json};

use self::filter::Filter;
use self::source::Source;
use self::writer::Writer;
use crate::convert::unwritable;

/// Read objects from bytes, as storage and the wire contain them.
///
/// Reads protobuf in an envelope, a bare protobuf message (with --as), or JSON; as bytes, base64 or hex; or
/// many values at once, as `etcdctl get --prefix / -w json` prints them, a watch sends them, or a snapshot of
/// etcd contains them. Knows every version since Kubernetes 1.7.
///
/// A value of an unknown kind is shown as its envelope and its fields on the wire; of one that the API server
/// has encrypted, only the provider. Of several values, each is printed with its key: in YAML as a comment,
/// in JSON as a line {"key": …, "object": …}. A value that cannot be decoded does not stop the others.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Read an object from the storage of a cluster:
    etcdctl get /registry/ingress/default/web --print-value-only | hubgen decode
  Read all objects, at their newest versions, as lines of JSON:
    etcdctl get --prefix /registry -w json | hubgen decode --to newest -o json
  Read a file of protobuf or JSON:
    hubgen decode deployment.pb
  Show a message field by field, with the offset of each field:
    hubgen decode -o wire deployment.pb
  Read the deployments in a snapshot of etcd, which no server has to run for:
    hubgen decode --snapshot snapshot.db --kind Deployment
  List what has to be stored anew before an upgrade to Kubernetes 1.35:
    hubgen decode --snapshot snapshot.db --to 1.35 --rewrite

Rewriting (--rewrite), a line of JSON to standard output for each object that --to moves:
  {\"key\": BASE64, \"mod_revision\": N, \"value\": BASE64, \"from\": \"extensions/v1beta1 Ingress\",
   \"to\": \"networking.k8s.io/v1 Ingress\", \"txn\": TEXT}
  `value` is what to store; `txn` is the input of `etcdctl txn` that stores it if nobody has changed
  the object since.

JSON (--json), to standard error:
  {\"ok\": true, \"values\": N, \"snapshot\": {\"revision\": N, \"oldest\": N, \"newest\": N},
   \"diagnostics\": [{\"severity\", \"file\", \"line\", \"column\", \"path\", \"message\", \"help\"}]}
  `file` is the key of a value that has one. Members that do not apply are absent.

Exit codes:
  0  success; there may be warnings
  1  the input cannot be read, or a value cannot be decoded or converted
  2  wrong arguments")]
pub struct Args {
    /// The file with the bytes; standard input for `-` or without one
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Read a snapshot of etcd, as `etcdctl snapshot save` writes it, or the file of a stopped member
    /// (member/snap/db)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "kind_of_message"])]
    snapshot: Option<PathBuf>,
    /// Read the snapshot as it was at this revision, instead of the newest one
    #[arg(long, value_name = "N", requires = "snapshot")]
    revision: Option<u64>,
    #[command(flatten)]
    filter: Filter,
    /// The format of the objects
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml")]
    output: Output,
    /// Convert to this version, such as apps/v1; to `newest`, the newest that Kubernetes 1.37 serves; or to
    /// what a release such as 1.35 serves, where it does not serve the object's own version
    #[arg(long, value_name = "GROUP/VERSION|RELEASE|newest")]
    to: Option<String>,
    /// Print what has to be stored anew for --to, as lines of JSON; nothing is written to etcd
    #[arg(long, requires = "to", conflicts_with = "output")]
    rewrite: bool,
    /// Set defaults and bring objects to their canonical form, as a server does
    #[arg(long)]
    defaults: bool,
    /// The kind of a bare message, such as apps/v1/Deployment; v1/Pod for the core group
    #[arg(long = "as", id = "kind_of_message", value_name = "GROUP/VERSION/KIND")]
    kind: Option<String>,
    /// Know the kinds of a repository, too: the hubgen.toml that describes it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Report warnings and errors as JSON
    #[arg(long)]
    json: bool,
}

/// How an object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Output {
    /// Like `kubectl get -o yaml`
    Yaml,
    /// Like `kubectl get -o json`; several values as one line each
    Json,
    /// The fields of the bytes, with their numbers and offsets
    Wire,
}

/// Decodes, and reports.
pub fn run(args: &Args, is_quiet: bool) -> ExitCode {
    let mut messages = Messages::new(args.json, is_quiet);
    let known = match Known::new(args.config.as_deref()) {
        Ok(known) => known,
        Err(errors) => return messages.fail(&errors),
    };
    let scheme = &known.scheme;
    let target = args.to.as_deref().map(|to| Target::named(scheme, &[to]));
    let target = target.transpose().map_err(|error| format!("--to {error}"));
    let options = target
        .and_then(|target| Ok((target, args.kind.as_deref().map(|text| named(scheme, text)).transpose()?)));
    let (target, kind) = match options {
        Ok(options) => options,
        Err(message) => return crate::usage("decode", &message),
    };
    let decoder =
        Decoder { kind, target: target.as_ref(), sets_defaults: args.defaults, ..Decoder::new(&known) };
    let mut done = Done::default();
    match decode(args, &decoder, &mut messages, &mut done) {
        Ok(()) => {}
        // The reader has enough, as `head` does.
        Err(Stop::Closed) => return ExitCode::SUCCESS,
        Err(Stop::Because(error)) => messages.report(&error),
    }
    let fails = messages.errors > 0;
    if args.json {
        let mut report = json!({ "ok": !fails, "values": done.values });
        if let Some(state) = done.state {
            report["snapshot"] = state;
        }
        report["diagnostics"] = messages.take();
        eprintln!("{report}");
    }
    if fails { ExitCode::from(FAILURE) } else { ExitCode::SUCCESS }
}

/// Why the command ends early.
enum Stop {
    Because(Diagnostic),
    Closed,
}

impl From<Diagnostic> for Stop {
    fn from(error: Diagnostic) -> Self {
        Self::Because(error)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::Closed;
        }
        Self::Because(unwritable(&error))
    }
}

/// What was done.
#[derive(Default)]
struct Done {
    /// How many values there were.
    values: usize,
    /// Which state of a snapshot they are.
    state: Option<Value>,
}

/// Decodes all values of the input.
fn decode(args: &Args, decoder: &Decoder<'_>, messages: &mut Messages, done: &mut Done) -> Result<(), Stop> {
    let source = Source::of(args, messages)?;
    done.state = source.state;
    messages.progress = Progress::new(!args.json && (args.file.is_some() || args.snapshot.is_some()));
    let bar = messages.progress.bar(source.count, "values");
    let chosen = args.filter.chosen(decoder);
    let mut out = Writer::new(io::BufWriter::new(io::stdout().lock()), args.output);
    for stored in source.values {
        let stored = stored.map_err(|finding| diagnostic(finding, &source.path))?;
        if chosen.has(&stored) {
            done.values += 1;
            let place = stored.key.as_deref().map_or(&*source.path, Path::new);
            if args.rewrite {
                rewrite(&stored, place, decoder, messages, &mut out)?;
            } else {
                show(&stored, place, decoder, messages, &mut out)?;
            }
        }
        bar.step();
    }
    out.flush()?;
    Ok(())
}

/// Prints a value.
fn show(
    stored: &Stored,
    place: &Path,
    decoder: &Decoder<'_>,
    messages: &mut Messages,
    out: &mut Writer<impl io::Write>,
) -> io::Result<()> {
    let (key, bytes) = (stored.key.as_deref(), &stored.bytes);
    if out.output == Output::Wire {
        return out.wire(key, &decoder.wire(bytes));
    }
    match decoder.decode(bytes) {
        Ok(Decoded::Object(object, warnings)) => {
            for warning in warnings {
                messages.report(&diagnostic(warning, place).warning());
            }
            out.object(key, &object)
        }
        Ok(Decoded::Unknown(why)) => {
            messages.report(&diagnostic(without_a_kind(why, key), place).warning());
            out.wire(key, &decoder.wire(bytes))
        }
        Err(error) => {
            messages.report(&diagnostic(error, place));
            Ok(())
        }
    }
}

/// Prints what has to be stored in the place of a value.
fn rewrite(
    stored: &Stored,
    place: &Path,
    decoder: &Decoder<'_>,
    messages: &mut Messages,
    out: &mut Writer<impl io::Write>,
) -> io::Result<()> {
    match decoder.rewrite(&stored.bytes) {
        Ok(Rewritten::Stays) => {}
        Ok(Rewritten::Left(why)) => {
            let why = without_a_kind(why, stored.key.as_deref());
            messages.report(&diagnostic(why, place).warning());
        }
        Ok(Rewritten::Moves { bytes, from, to }) => match rewrite::put(stored, &bytes, &from, &to) {
            Ok(put) => out.line(&put)?,
            Err(error) => messages.report(&diagnostic(error, place)),
        },
        Err(error) => messages.report(&diagnostic(error, place)),
    }
    Ok(())
}

/// The same finding, without the help to name a kind if the value has a key: what is stored is never a bare
/// message.
fn without_a_kind(mut finding: Finding, key: Option<&str>) -> Finding {
    if key.is_some() && finding.help == Help::NameKind {
        finding.help = Help::default();
    }
    finding
}

/// A finding about the value at a place, with the options that help.
fn diagnostic(finding: Finding, place: &Path) -> Diagnostic {
    let help = match &finding.help {
        Help::Text(_) => return finding.diagnostic(place),
        Help::NameKind => "if it is a bare message, name its kind with --as",
        Help::CheckKind => "check the kind after --as; -o wire shows the fields",
        Help::SeeUntilBroken => "-o wire shows the fields up to the broken one",
        Help::SeeAll => "-o wire shows all fields",
    };
    finding.help(help).diagnostic(place)
}

fn named<'a>(scheme: &'a Scheme, text: &str) -> Result<&'a Arc<KindEntry>, String> {
    let (api_version, kind) = text.rsplit_once('/').unwrap_or(("", text));
    scheme.named(api_version, kind).ok_or_else(|| {
        format!("--as {text}: this kind is not known; write it as in apps/v1/Deployment or v1/Pod")
    })
}
