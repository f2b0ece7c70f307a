//! `hubgen decode`: bytes from storage or the wire, made readable.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use hubgen_kubernetes::machinery::scheme::{KindEntry, Scheme};
use hubgen_manifest::{Format, fresh};
use hubgen_migrate::{Known, Target};
use hubgen_stored::{Decoded, Decoder, Finding, Help, Stored, Values};
use hubgen_terminal::{Diagnostic, FAILURE, Messages, Progress, eprintln};
use serde_json::json;

use crate::convert::unwritable;
use crate::input::Origin;

/// Read objects from bytes, as storage and the wire contain them.
///
/// Reads protobuf in an envelope, a bare protobuf message (with --as), or JSON; as bytes, base64 or hex; or
/// many values at once, as `etcdctl get --prefix / -w json` prints them or a watch sends them. Knows every
/// version since Kubernetes 1.7.
///
/// A value of an unknown kind is shown as its envelope and its fields on the wire. Of several values, each is
/// printed with its key: in YAML as a comment, in JSON as a line {\"key\": …, \"object\": …}. A value that
/// cannot be decoded does not stop the others.
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

JSON (--json), to standard error:
  {\"ok\": true, \"values\": N,
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
    /// The format of the objects
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml")]
    output: Output,
    /// Convert to this version, such as apps/v1, or to `newest`, the newest that Kubernetes 1.37 serves
    #[arg(long, value_name = "GROUP/VERSION|newest")]
    to: Option<String>,
    /// Set defaults and bring objects to their canonical form, as a server does
    #[arg(long)]
    defaults: bool,
    /// The kind of a bare message, such as apps/v1/Deployment; v1/Pod for the core group
    #[arg(long = "as", value_name = "GROUP/VERSION/KIND")]
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
    let options = target(scheme, args.to.as_deref())
        .and_then(|target| Ok((target, args.kind.as_deref().map(|text| named(scheme, text)).transpose()?)));
    let (target, kind) = match options {
        Ok(options) => options,
        Err(message) => return crate::usage("decode", &message),
    };
    let decoder =
        Decoder { kind, target: target.as_ref(), sets_defaults: args.defaults, ..Decoder::new(&known) };
    let values = match decode(args, &decoder, &mut messages) {
        Ok(values) => values,
        // The reader has enough, as `head` does.
        Err(Stop::Closed) => return ExitCode::SUCCESS,
        Err(Stop::Because(error)) => {
            messages.report(&error);
            0
        }
    };
    let fails = messages.errors > 0;
    if args.json {
        let report = json!({ "ok": !fails, "values": values, "diagnostics": messages.take() });
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

/// Decodes all values of the input; returns how many there were.
fn decode(args: &Args, decoder: &Decoder<'_>, messages: &mut Messages) -> Result<usize, Stop> {
    let origin = Origin::of(args.file.as_deref());
    let bytes = origin.read()?;
    if bytes.is_empty() {
        return Err(Diagnostic::file(origin.path(), "expected bytes, found none", "").into());
    }
    let values = Values::parse(&bytes).map_err(|finding| diagnostic(finding, origin.path()))?;
    messages.progress = Progress::new(!args.json && args.file.is_some());
    let bar = messages.progress.bar(values.iter().count(), "values");
    let mut out = Writer { out: io::BufWriter::new(io::stdout().lock()), output: args.output, count: 0 };
    for Stored { key, bytes, .. } in values.iter() {
        let key = key.as_deref();
        let place = key.map_or(origin.path(), Path::new);
        if args.output == Output::Wire {
            out.wire(key, &decoder.wire(bytes))?;
            continue;
        }
        match decoder.decode(bytes) {
            Ok(Decoded::Object(object, warnings)) => {
                for warning in warnings {
                    messages.report(&diagnostic(warning, place).warning());
                }
                out.object(key, &object)?;
            }
            Ok(Decoded::Unknown(why)) => {
                messages.report(&diagnostic(why, place).warning());
                out.wire(key, &decoder.wire(bytes))?;
            }
            Err(error) => messages.report(&diagnostic(error, place)),
        }
        bar.step();
    }
    out.out.flush()?;
    Ok(values.iter().count())
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

fn target(scheme: &Scheme, to: Option<&str>) -> Result<Option<Target>, String> {
    match to {
        None => Ok(None),
        Some("newest") => Ok(Some(Target::Newest)),
        Some(to) => Target::versions(scheme, [to]).map(Some).map_err(|error| format!("--to {error}")),
    }
}

fn named<'a>(scheme: &'a Scheme, text: &str) -> Result<&'a Arc<KindEntry>, String> {
    let (api_version, kind) = text.rsplit_once('/').unwrap_or(("", text));
    scheme.named(api_version, kind).ok_or_else(|| {
        format!("--as {text}: this kind is not known; write it as in apps/v1/Deployment or v1/Pod")
    })
}

/// Values, one after the other.
struct Writer<W: Write> {
    out: W,
    output: Output,
    count: usize,
}

impl<W: Write> Writer<W> {
    fn object(&mut self, key: Option<&str>, object: &serde_json::Value) -> io::Result<()> {
        if self.output == Output::Json {
            return match key {
                Some(key) => writeln!(self.out, "{}", serde_json::json!({"key": key, "object": object})),
                None => write!(self.out, "{}", fresh(object, Format::Json)),
            };
        }
        self.start(key)?;
        write!(self.out, "{}", fresh(object, Format::Yaml))
    }

    /// Lines that are neither YAML nor JSON: a comment without a document in YAML, one string in JSON.
    fn wire(&mut self, key: Option<&str>, lines: &str) -> io::Result<()> {
        match self.output {
            Output::Json => match key {
                Some(key) => writeln!(self.out, "{}", serde_json::json!({"key": key, "wire": lines})),
                None => writeln!(self.out, "{}", serde_json::json!({"wire": lines})),
            },
            Output::Yaml => {
                self.start(key)?;
                lines.lines().try_for_each(|line| writeln!(self.out, "# {line}"))
            }
            Output::Wire => {
                if let Some(key) = key {
                    writeln!(self.out, "{key}:")?;
                }
                write!(self.out, "{lines}")
            }
        }
    }

    fn start(&mut self, key: Option<&str>) -> io::Result<()> {
        self.count += 1;
        if self.count > 1 {
            writeln!(self.out, "---")?;
        }
        match key {
            Some(key) => writeln!(self.out, "# {key}"),
            None => Ok(()),
        }
    }
}
