//! `hubgen encode`: manifests as storage and the wire have them.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hubgen_kubernetes::machinery::scheme::{Object, Scheme};
use serde_json::Value;

use crate::convert::input::{Input, Source};
use crate::convert::manifest::{Body, Pieces};

/// Write objects as storage and the wire have them.
///
/// The way back from `decode`: reads YAML or JSON, one document or many, and writes each in protobuf, in
/// its envelope, or as compact JSON.
#[derive(clap::Args)]
#[command(after_help = "\
Exit codes:
  0  done
  2  an error: wrong arguments, or a document that is no object of a known kind; nothing is written")]
pub struct Args {
    /// The file with the manifests; `-` or nothing for standard input.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// How to write the bytes. Several documents need lines: base64 or hex.
    #[arg(short, long, value_name = "FORMAT", default_value = "raw")]
    output: Output,
    /// What to encode in.
    #[arg(long, value_name = "MEDIA", default_value = "protobuf")]
    media: Media,
}

/// How bytes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Output {
    /// As they are.
    Raw,
    /// A line of base64 for each document.
    Base64,
    /// A line of hex for each document.
    Hex,
}

/// What objects are encoded in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Media {
    /// Protobuf in an envelope.
    Protobuf,
    /// Compact JSON.
    Json,
}

/// Encodes what it is told to; the exit codes are in the help.
pub fn run(args: &Args) -> ExitCode {
    let encoded = match encode(args) {
        Ok(encoded) => encoded,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    match write(args.output, &encoded) {
        // Whoever reads has enough, as `head` does.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("cannot write to standard output: {error}");
            ExitCode::from(2)
        }
        _ => ExitCode::SUCCESS,
    }
}

fn encode(args: &Args) -> Result<Vec<Vec<u8>>, String> {
    let scheme = hubgen_kubernetes::scheme();
    let source = match &args.file {
        Some(path) if path.as_os_str() != "-" => Source::File(path.clone()),
        _ => Source::Stdin,
    };
    let input = Input::read(&source).map_err(|message| format!("{source}: {message}"))?;
    let mut encoded = Vec::new();
    for piece in Pieces::of(&input, &|_| false) {
        let piece =
            piece.map_err(|mistake| format!("{}:{}: {}", input.name, mistake.line, mistake.message))?;
        let Body::Value(value) = &piece.body else { unreachable!("no list is read item by item here") };
        if !value.is_null() {
            let bytes = object(&scheme, value, args.media);
            encoded.push(bytes.map_err(|message| format!("{}:{}: {message}", input.name, piece.line))?);
        }
    }
    match (args.output, encoded.len()) {
        (_, 0) => Err(format!("{}: expected an object, found none", input.name)),
        (Output::Raw, count @ 2..) => Err(format!(
            "{}: expected one document, found {count}: their bytes could not be told apart; use -o base64 or -o hex",
            input.name
        )),
        _ => Ok(encoded),
    }
}

fn object(scheme: &Scheme, value: &Value, media: Media) -> Result<Vec<u8>, String> {
    let (object, notes): (Object, _) =
        match scheme.kind("meta.k8s.io", "v1", "WatchEvent").filter(|_| is_watch_event(value)) {
            Some(entry) => Object::decode(entry, value.to_string().as_bytes()),
            None => scheme.decode(value.to_string().as_bytes()),
        }
        .map_err(|error| error.to_string())?;
    if let Some(path) = notes.unknown.first() {
        return Err(format!("{path}: {} has no such field; take it out, or it would be lost", &object.entry));
    }
    Ok(match media {
        Media::Protobuf => scheme.encode_protobuf(&object),
        Media::Json => object.encode(),
    })
}

/// Whether it is the one object that says nothing of what it is.
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
