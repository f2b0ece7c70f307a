//! `hubgen decode`: bytes from storage or the wire, made readable.

pub mod input;
pub mod value;
mod wire;

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use hubgen_kubernetes::machinery::scheme::{KindEntry, Scheme};

use hubgen_server::environment::{Environment, System};

use self::input::{Stored, Values};
use self::value::{Decoded, Decoder};
use crate::convert::format::Format;
use crate::convert::layout::fresh;
use crate::convert::target::{Target, Wanted};

/// Read objects as storage and the wire have them.
///
/// Takes protobuf in an envelope, a bare message (with --as) or JSON, as bytes, in base64 or in hex; or
/// many values at once, as `etcdctl get --prefix / -w json` prints them or a watch sends them. Every version that there ever was
/// is known.
#[derive(clap::Args)]
#[command(after_help = "\
A value of a kind that is not known shows its envelope and its wire form, field by field, and does not \
stop the others. Of several values, each is named by its key: in a comment in YAML, and as a line \
`{\"key\": …, \"object\": …}` in JSON.

Exit codes:
  0  done; there may be warnings
  2  an error: wrong arguments, or bytes that cannot be read")]
pub struct Args {
    /// The file with the bytes; `-` or nothing for standard input.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// How to write it.
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml")]
    output: Output,
    /// Convert to this version, as in `apps/v1`, or to `newest`, the newest that release 1.35 serves.
    #[arg(long, value_name = "GROUP/VERSION|newest")]
    to: Option<String>,
    /// Set defaults and say in one way what is said in two, as a server does with all that it reads.
    #[arg(long)]
    defaults: bool,
    /// What a bare message is, as in `apps/v1/Deployment`; `v1/Pod` for the core group.
    #[arg(long = "as", value_name = "GROUP/VERSION/KIND")]
    kind: Option<String>,
}

/// How an object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Output {
    /// As `kubectl get -o yaml` lays it out.
    Yaml,
    /// As `kubectl get -o json` lays it out; one line each for several values.
    Json,
    /// Field by field, as the bytes have it.
    Wire,
}

/// Decodes what it is told to; the exit codes are in the help.
pub fn run(args: &Args) -> ExitCode {
    match decode(args) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(2),
        Err(Stop::Message(message)) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
        // Whoever reads has enough, as `head` does.
        Err(Stop::Closed) => ExitCode::SUCCESS,
    }
}

/// Why there is no going on.
enum Stop {
    Message(String),
    Closed,
}

impl From<String> for Stop {
    fn from(message: String) -> Self {
        Self::Message(message)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::Closed;
        }
        Self::Message(format!("cannot write to standard output: {error}"))
    }
}

/// Decodes; gives the number of values that could not be read.
fn decode(args: &Args) -> Result<usize, Stop> {
    let scheme = hubgen_kubernetes::scheme();
    let target = target(&scheme, args.to.as_deref())?;
    let kind = args.kind.as_deref().map(|text| named(&scheme, text)).transpose()?;
    let (name, bytes) = read(args.file.as_deref())?;
    if bytes.is_empty() {
        return Err(Stop::Message(format!("{name}: expected bytes, found none")));
    }
    let values = Values::of(&bytes).map_err(|message| format!("{name}: {message}"))?;
    let decoder = Decoder {
        scheme: &scheme,
        kind,
        target: target.as_ref(),
        sets_defaults: args.defaults,
        now: System.now(),
    };
    let mut out = Writer { out: io::BufWriter::new(io::stdout().lock()), output: args.output, count: 0 };
    let mut failures = 0;
    for Stored { key, bytes, .. } in values.iter() {
        let key = key.as_deref();
        let place = key.unwrap_or(&name);
        if args.output == Output::Wire {
            out.wire(key, &decoder.wire(bytes))?;
            continue;
        }
        match decoder.decode(bytes) {
            Ok(Decoded::Object(object, warnings)) => {
                warnings.iter().for_each(|warning| eprintln!("{place}: {warning}"));
                out.object(key, &object)?;
            }
            Ok(Decoded::Unknown(why)) => {
                eprintln!("{place}: {why}");
                out.wire(key, &decoder.wire(bytes))?;
            }
            Err(message) => {
                failures += 1;
                eprintln!("{place}: {message}");
            }
        }
    }
    out.out.flush()?;
    Ok(failures)
}

fn target(scheme: &Scheme, to: Option<&str>) -> Result<Option<Target>, String> {
    let Some(to) = to else { return Ok(None) };
    let newest = to == "newest";
    let wanted = Wanted { to: if newest { Vec::new() } else { vec![to.to_owned()] }, newest, storage: false };
    Target::new(scheme, &wanted).map(Some)
}

fn named<'a>(scheme: &'a Scheme, text: &str) -> Result<&'a Arc<KindEntry>, String> {
    let (api_version, kind) = text.rsplit_once('/').unwrap_or(("", text));
    scheme.named(api_version, kind).ok_or_else(|| {
        format!("--as {text}: no such kind is known; write it as in `apps/v1/Deployment` or `v1/Pod`")
    })
}

fn read(file: Option<&std::path::Path>) -> Result<(String, Vec<u8>), String> {
    let mut bytes = Vec::new();
    match file {
        Some(path) if path.as_os_str() != "-" => {
            let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
            return Ok((path.display().to_string(), bytes));
        }
        _ => io::stdin().lock().read_to_end(&mut bytes).map_err(|error| format!("stdin: {error}"))?,
    };
    Ok(("stdin".to_owned(), bytes))
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

    /// Lines that are no YAML and no JSON: comments, and no document, in the one; nothing but a
    /// member of text in the other.
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
