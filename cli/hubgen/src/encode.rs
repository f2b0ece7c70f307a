//! `hubgen encode`: manifests as storage and the wire contain them.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hubgen_kubernetes::machinery::scheme::{Object, Scheme, SchemeError};
use hubgen_manifest::{Body, Piece, Tree};
use hubgen_terminal::{Diagnostic, FAILURE, Messages, eprintln};
use serde_json::{Value, json};

use crate::convert::unwritable;
use crate::input::{Input, Origin};

/// Write objects as bytes, as storage and the wire contain them.
///
/// The reverse of `decode`: reads YAML or JSON, one document or many, and writes each object as protobuf in
/// its envelope, or as compact JSON.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Write an object as a cluster stores it:
    hubgen encode deployment.yaml > deployment.pb
  Write every object of a file as a line of base64:
    hubgen encode -o base64 manifests.yaml
  Write compact JSON:
    hubgen encode --media json deployment.yaml

JSON (--json), to standard error:
  {\"ok\": true,
   \"diagnostics\": [{\"severity\", \"file\", \"line\", \"column\", \"path\", \"message\", \"help\"}]}
  Members that do not apply are absent.

Exit codes:
  0  success
  1  a file cannot be read, or a document is not an object of a known kind; nothing is written
  2  wrong arguments")]
pub struct Args {
    /// The file with the objects; standard input for `-` or without one
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The form of the bytes; several objects need base64 or hex
    #[arg(short, long, value_name = "FORM", default_value = "raw")]
    output: Output,
    /// The encoding
    #[arg(long, value_name = "ENCODING", default_value = "protobuf")]
    media: Media,
    /// Report errors as JSON
    #[arg(long)]
    json: bool,
}

/// How bytes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Output {
    /// As they are
    Raw,
    /// A line of base64 for each object
    Base64,
    /// A line of hexadecimal digits for each object
    Hex,
}

/// How objects are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Media {
    /// Protobuf in an envelope
    Protobuf,
    /// Compact JSON
    Json,
}

/// Encodes, and reports.
pub fn run(args: &Args) -> ExitCode {
    let mut messages = Messages::new(args.json, false);
    let written = encode(args).and_then(|encoded| match write(args.output, &encoded) {
        // The reader has enough, as `head` does.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(unwritable(&error)),
        _ => Ok(()),
    });
    if let Err(error) = &written {
        messages.report(error);
    }
    if args.json {
        eprintln!("{}", json!({ "ok": written.is_ok(), "diagnostics": messages.take() }));
    }
    if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(FAILURE) }
}

fn encode(args: &Args) -> Result<Vec<Vec<u8>>, Diagnostic> {
    let scheme = hubgen_kubernetes::scheme();
    let origin = Origin::of(args.file.as_deref());
    let input = Input::read(&origin)?;
    let mut encoded = Vec::new();
    for piece in input.pieces(&|_| false) {
        let piece = piece.map_err(|mistake| input.mistake(&mistake))?;
        let Body::Value(value) = &piece.body else { unreachable!("no list is read item by item here") };
        if !value.is_null() {
            let bytes = object(&scheme, value, args.media);
            encoded.push(bytes.map_err(|refusal| refusal.diagnostic(&input, &piece))?);
        }
    }
    match (args.output, encoded.len()) {
        (_, 0) => Err(Diagnostic::file(origin.path(), "expected an object, found none", "")),
        (Output::Raw, count @ 2..) => Err(Diagnostic::file(
            origin.path(),
            format!("expected one object, found {count}: nothing separates their bytes"),
            "use -o base64 or -o hex, which write a line for each object",
        )),
        _ => Ok(encoded),
    }
}

/// Why an object cannot be encoded.
struct Refusal {
    /// The field; empty for the whole object.
    path: String,
    message: String,
    help: &'static str,
}

impl Refusal {
    fn diagnostic(&self, input: &Input, piece: &Piece) -> Diagnostic {
        let text = &input.text()[piece.bytes.clone()];
        let place = Tree::parse(text, piece.format).map_or(0..0, |tree| tree.place(&self.path));
        let start = piece.bytes.start;
        input.source.error(start + place.start..start + place.end, &self.path, &self.message, self.help)
    }
}

impl From<SchemeError> for Refusal {
    fn from(error: SchemeError) -> Self {
        match error {
            SchemeError::Json(error) => {
                Self { path: error.path().to_owned(), message: error.message().to_owned(), help: "" }
            }
            error => Self { path: String::new(), message: error.to_string(), help: "" },
        }
    }
}

fn object(scheme: &Scheme, value: &Value, media: Media) -> Result<Vec<u8>, Refusal> {
    let text = value.to_string();
    let (object, notes): (Object, _) =
        match scheme.kind("meta.k8s.io", "v1", "WatchEvent").filter(|_| is_watch_event(value)) {
            Some(entry) => Object::decode(entry, text.as_bytes())?,
            None => scheme.decode(text.as_bytes())?,
        };
    if let Some(path) = notes.unknown.first() {
        return Err(Refusal {
            path: path.clone(),
            message: format!("{} has no such field", &object.entry),
            help: "correct its name, or remove it: it would be lost",
        });
    }
    Ok(match media {
        Media::Protobuf => scheme.encode_protobuf(&object),
        Media::Json => object.encode().map_err(SchemeError::from)?,
    })
}

/// Whether a value is an event of a watch, the only object without `apiVersion` and `kind`.
fn is_watch_event(value: &Value) -> bool {
    let has = |name| value.get(name).is_some();
    has("type") && has("object") && !has("kind") && !has("apiVersion")
}

fn write(output: Output, encoded: &[Vec<u8>]) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for bytes in encoded {
        match output {
            Output::Raw => out.write_all(bytes)?,
            Output::Base64 => writeln!(out, "{}", BASE64_STANDARD.encode(bytes))?,
            Output::Hex => {
                bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"))?;
                writeln!(out)?;
            }
        }
    }
    out.flush()
}
