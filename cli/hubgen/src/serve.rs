//! `hubgen serve`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use hubgen_server::store::{Embedded, Options, Store};
use hubgen_server::{DoorLimits, Kinds, Limits, Media, Server, Settings, StorageVersions, process};
use hubgen_terminal::{Diagnostic, FAILURE, Messages, println};
use serde_json::json;

/// Serve every kind at every version.
///
/// An object written at one version can be read at every other one. Clients such as kubectl and curl reach
/// the server over plain HTTP on the loopback interface; there is no authentication. It stops on SIGINT and
/// SIGTERM, after the requests that it is answering.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Serve on the default port, and lose all objects at the end:
    hubgen serve --in-memory
  Keep objects in a folder:
    hubgen serve --data-dir data
  Serve on any free port, and write the address to a file for a script:
    hubgen serve --in-memory --port 0 --ready-file address
  Store autoscalers at an older version:
    hubgen serve --data-dir data --storage-versions autoscaling/v1

JSON (--json), one line on standard output when requests are answered:
  {\"ok\": true, \"url\": \"http://127.0.0.1:8001\", \"address\": \"127.0.0.1:8001\"}
  If it cannot serve: {\"ok\": false, \"diagnostics\": [{\"severity\", \"file\", \"message\", \"help\"}]}

Exit codes:
  0  stopped by a signal
  1  cannot serve: the port is taken, or the folder cannot be used
  2  wrong arguments")]
pub struct Args {
    /// The port to listen on; 0 chooses a free one
    #[arg(long, value_name = "N", default_value_t = 8001)]
    port: u16,
    /// Write the address, such as 127.0.0.1:8001, to this file as soon as requests are answered
    #[arg(long, value_name = "FILE")]
    ready_file: Option<PathBuf>,
    /// The folder of the objects; created if it is missing
    #[arg(long, value_name = "DIR", required_unless_present = "in_memory")]
    data_dir: Option<PathBuf>,
    /// Keep objects in memory only
    #[arg(long, conflicts_with = "data_dir")]
    in_memory: bool,
    /// Store kinds at these versions instead of the default ones, such as autoscaling/v1,extensions=apps/v1
    ///
    /// `GROUP/VERSION` applies to every kind that has this version, `GROUP=OTHER/VERSION` to kinds that moved
    /// from one group to another. Objects that are stored at other versions stay readable.
    #[arg(long, value_name = "LIST", default_value = "", hide_default_value = true)]
    storage_versions: String,
    /// The encoding of stored objects; those stored in the other one stay readable
    #[arg(long, value_name = "MEDIA-TYPE", default_value = Media::Protobuf.name(), value_parser = media)]
    storage_media_type: Media,
    /// Leave objects that cannot be read out of lists, with a warning
    ///
    /// Otherwise such a list fails and names the objects, because clients that keep a copy of a list take a
    /// missing object for a deleted one.
    #[arg(long)]
    omit_unreadable: bool,
    /// The most connections at a time; one more closes the connection that has been idle longest
    #[arg(long, value_name = "N", default_value_t = DoorLimits::default().connections)]
    max_connections: usize,
    /// The most reading requests at a time; one more is answered with status 429
    #[arg(long, value_name = "N", default_value_t = Limits::default().reads)]
    max_requests_inflight: usize,
    /// The most writing requests at a time; one more is answered with status 429
    #[arg(long, value_name = "N", default_value_t = Limits::default().writes)]
    max_mutating_requests_inflight: usize,
    /// Print the address, or the error, as JSON
    #[arg(long)]
    json: bool,
}

fn media(name: &str) -> Result<Media, String> {
    let names = [Media::Json, Media::Protobuf].map(Media::name).join(" or ");
    Media::named(name).ok_or_else(|| format!("expected {names}"))
}

/// Serves until a signal stops it.
pub fn run(args: &Args) -> ExitCode {
    if let Some(path) = &args.ready_file {
        // The file of an earlier server would report this one as ready too soon.
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return failed(args.json, &not_ready(path, &error));
            }
            _ => {}
        }
    }
    let scheme = Arc::new(hubgen_kubernetes::scheme());
    let storage_versions = match StorageVersions::parse(&args.storage_versions, &scheme) {
        Ok(versions) => versions,
        Err(error) => return crate::usage("serve", &format!("--storage-versions: {error}")),
    };
    let kinds = Kinds { storage_versions, ..Kinds::new(scheme) };
    let served = process::run(serve(args, kinds));
    match served.map_err(|error| Diagnostic::message(error.to_string(), "")).and_then(|served| served) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(args.json, &error),
    }
}

fn failed(as_json: bool, error: &Diagnostic) -> ExitCode {
    let mut messages = Messages::new(as_json, false);
    messages.report(error);
    if as_json {
        println!("{}", json!({ "ok": false, "diagnostics": messages.take() }));
    }
    ExitCode::from(FAILURE)
}

fn not_ready(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::file(path, format!("cannot be written: {error}"), "choose another path with --ready-file")
}

async fn serve(args: &Args, kinds: Kinds) -> Result<(), Diagnostic> {
    let opened = match &args.data_dir {
        Some(data_dir) => Embedded::open(data_dir, Options::default()),
        None => Embedded::in_memory(Options::default()),
    };
    let store: Arc<dyn Store> = Arc::new(opened.map_err(|error| Diagnostic::message(error.to_string(), ""))?);
    let mut settings = Settings::new(kinds, store);
    settings.storage_media = args.storage_media_type;
    settings.omit_unreadable = args.omit_unreadable;
    settings.limits = Limits {
        door: DoorLimits { connections: args.max_connections, ..DoorLimits::default() },
        reads: args.max_requests_inflight,
        writes: args.max_mutating_requests_inflight,
        ..Limits::default()
    };
    // Signals must be caught before anybody knows the address.
    let shutdown = process::asked_to_stop()
        .map_err(|error| Diagnostic::message(format!("cannot wait for signals: {error}"), ""))?;
    let server = Server::bind(args.port, settings).await.map_err(|error| {
        let message = format!("cannot listen on 127.0.0.1:{}: {error}", args.port);
        Diagnostic::message(message, "choose another port with --port; 0 is any free one")
    })?;
    let address = server.address().to_string();
    let url = format!("http://{address}");
    if args.json {
        println!("{}", json!({"ok": true, "url": url, "address": address}));
    } else {
        println!("serving on {url}");
    }
    if let Some(path) = &args.ready_file {
        // The listener queues connections that come before the first answer.
        write_whole(path, &address).map_err(|error| not_ready(path, &error))?;
    }
    server.run(shutdown).await;
    Ok(())
}

/// Writes a file so that nobody reads half of it.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let beside = path.with_file_name(name);
    let mut file = fs::File::create(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&beside, path)
}
