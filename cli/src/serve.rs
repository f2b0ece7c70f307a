//! `hubgen serve`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use hubgen_server::store::{Embedded, Options, Store};
use hubgen_server::{Limits, Media, Server, Settings, StorageVersions, process};

/// Serve every kind at every version, on the loopback interface.
#[derive(clap::Args)]
pub struct Args {
    /// The port to listen on; 0 picks a free one.
    #[arg(long, value_name = "N", default_value_t = 8001)]
    port: u16,
    /// A file that gets the address, as in 127.0.0.1:8001, once requests are answered.
    #[arg(long, value_name = "PATH")]
    ready_file: Option<PathBuf>,
    /// The directory to keep objects in; made if it is missing.
    #[arg(long, value_name = "DIR", required_unless_present = "in_memory")]
    data_dir: Option<PathBuf>,
    /// Keep objects in memory: they are gone with the process.
    #[arg(long, conflicts_with = "data_dir")]
    in_memory: bool,
    /// The versions to store kinds at, where not at the default ones: `group/version` for every
    /// kind that has this version, `group=othergroup/version` for kinds that moved to another
    /// group; several separated by commas, as in `autoscaling/v1,extensions=apps/v1`. Objects
    /// stored earlier at other versions stay readable.
    #[arg(long, value_name = "LIST", default_value = "", hide_default_value = true)]
    storage_versions: String,
    /// What to store objects in. Objects stored earlier in the other one stay readable.
    #[arg(long, value_name = "MEDIA-TYPE", default_value = Media::Protobuf.name(), value_parser = media)]
    storage_media_type: Media,
    /// Leave objects that cannot be read out of lists, with a warning. Without it such a list fails
    /// and names them: to clients that keep a copy of a list, a missing object was deleted.
    #[arg(long)]
    omit_unreadable: bool,
    /// The most connections at a time; one more closes those that have waited longest for a request.
    #[arg(long, value_name = "N", default_value_t = Limits::default().connections)]
    max_connections: usize,
    /// The most requests that read at a time; one more is answered with 429.
    #[arg(long, value_name = "N", default_value_t = Limits::default().reads)]
    max_requests_inflight: usize,
    /// The same for requests that write.
    #[arg(long, value_name = "N", default_value_t = Limits::default().writes)]
    max_mutating_requests_inflight: usize,
}

fn media(name: &str) -> Result<Media, String> {
    let names = [Media::Json, Media::Protobuf].map(Media::name).join(" or ");
    Media::named(name).ok_or_else(|| format!("expected {names}"))
}

/// Serves until it is told to stop; says on standard error why it could not.
pub fn run(args: &Args) -> ExitCode {
    match process::run(serve(args)).map_err(|error| error.to_string()).and_then(|served| served) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(args: &Args) -> Result<(), String> {
    let ready = |error: io::Error| {
        let path = args.ready_file.as_deref().unwrap_or(Path::new(""));
        format!("cannot write {}: {error}", path.display())
    };
    if let Some(path) = &args.ready_file {
        // That of an earlier server would call this one ready too soon.
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(ready(error)),
            _ => {}
        }
    }
    let scheme = Arc::new(hubgen_kubernetes::scheme());
    let storage_versions = StorageVersions::parse(&args.storage_versions, &scheme)
        .map_err(|message| format!("--storage-versions: {message}"))?;
    let store: Arc<dyn Store> = match &args.data_dir {
        Some(data_dir) => Arc::new(Embedded::open(data_dir, Options::default()).map_err(|e| e.to_string())?),
        None => Arc::new(Embedded::in_memory(Options::default()).map_err(|e| e.to_string())?),
    };
    let mut settings = Settings::new(scheme, store);
    settings.storage_versions = storage_versions;
    settings.storage_media = args.storage_media_type;
    settings.omit_unreadable = args.omit_unreadable;
    settings.limits = Limits {
        connections: args.max_connections,
        reads: args.max_requests_inflight,
        writes: args.max_mutating_requests_inflight,
        ..Limits::default()
    };
    // Signals are taken before anybody can know that there is somebody to send them to.
    let shutdown = process::asked_to_stop().map_err(|error| format!("cannot wait for signals: {error}"))?;
    let server = Server::bind(args.port, settings)
        .await
        .map_err(|error| format!("cannot listen on 127.0.0.1:{}: {error}", args.port))?;
    let address = server.address().to_string();
    println!("serving on http://{address}");
    if let Some(path) = &args.ready_file {
        // The listener queues whoever comes before the first answer.
        write_whole(path, &address).map_err(ready)?;
    }
    server.run(shutdown).await;
    Ok(())
}

/// Writes a file so that whoever finds it finds all of it.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let beside = path.with_file_name(name);
    let mut file = fs::File::create(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&beside, path)
}
