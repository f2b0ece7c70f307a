//! Uses a running API server as the other implementation: sends requests to it and records its
//! answers in the same format as other recordings.

mod apply;
mod discovery;
mod errors;
mod generated;
pub mod http;
mod objects;
mod owners;
mod patches;
mod stored;
mod tables;

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};

pub use self::discovery::discovered;
pub use self::errors::release_of;
pub use self::generated::{Generated, What};
pub use self::objects::Ask;
pub use self::patches::{kept, request};
pub use self::tables::{kept_table, table_request};

/// Which server is asked, and where its answers go.
#[derive(clap::Args)]
pub struct Server {
    /// Record the answers of the API server in this file
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    options: http::Options,
}

/// What is asked.
#[derive(clap::Args)]
pub struct Requests {
    /// The requests for the API server, one line of JSON each; recorded answers work too
    /// [default: the requests of the recorded answers]
    #[arg(long, value_name = "FILE")]
    requests: Option<PathBuf>,
}

/// Whether a text is the URL of a server rather than the name of a file.
pub fn is_url(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

/// Asks the server at a URL for objects at other versions, or with defaults. Returns the file with
/// its answers.
///
/// # Errors
/// If the server cannot be reached, or a file cannot be read or written.
pub fn objects(url: &str, ask: Ask, requests: &Requests, server: &Server) -> Result<PathBuf, String> {
    let requests = requests.or(&format!("{}/server.jsonl", ask.name()));
    let answers = server.answers(&format!("{}.jsonl", ask.name()));
    if answers == requests {
        return Err(format!(
            "{}: answers cannot be written to the file with the requests",
            answers.display()
        ));
    }
    let context = |error: &dyn Display| format!("{}: {error}", requests.display());
    let input = BufReader::new(File::open(&requests).map_err(|error| context(&error))?);
    let output = BufWriter::new(create(&answers)?);
    objects::record(url, &server.options, ask, input, output).map_err(|error| context(&error))?;
    Ok(answers)
}

/// Sends requests that are wrong to the server at a URL. Returns the file with its answers.
///
/// # Errors
/// If the server cannot be reached, or a file cannot be read or written.
pub fn errors(
    url: &str,
    release: Option<&str>,
    requests: &Requests,
    server: &Server,
) -> Result<PathBuf, String> {
    let requests = requests.or("errors/server-1.37.jsonl");
    let answers = server.answers("errors.jsonl");
    // Reads all requests before writing answers: they may be the same file.
    let context = |error: &dyn Display| format!("{}: {error}", requests.display());
    let input = fs::read(&requests).map_err(|error| context(&error))?;
    let client = http::Client::new(url, &server.options)?;
    let output = BufWriter::new(create(&answers)?);
    let count =
        errors::record(&client, release, input.as_slice(), output).map_err(|error| context(&error))?;
    eprintln!("{count} answers in {}", answers.display());
    Ok(answers)
}

/// Asks the server at a URL for all that discovery tells. Returns the file with its answers.
///
/// # Errors
/// If the server cannot be reached, or the file cannot be written.
pub fn discovery(url: &str, server: &Server) -> Result<PathBuf, String> {
    let answers = server.answers("discovery.jsonl");
    let client = http::Client::new(url, &server.options)?;
    let output = BufWriter::new(create(&answers)?);
    let count = discovery::record(&client, output)?;
    eprintln!("{count} answers in {}", answers.display());
    Ok(answers)
}

/// Asks the server at a URL for every list. Returns the file with its answers.
///
/// # Errors
/// If the server cannot be reached, or the file cannot be written.
pub fn stored(url: &str, server: &Server) -> Result<PathBuf, String> {
    let answers = server.answers("stored.jsonl");
    let output = create(&answers)?;
    let client = http::Client::new(url, &server.options)?;
    let count = stored::record(&client, BufWriter::new(output))?;
    eprintln!("{count} answers in {}", answers.display());
    Ok(answers)
}

impl Server {
    /// The file in which answers are recorded, if one is given.
    pub fn record(&self) -> Option<&Path> {
        self.record.as_deref()
    }

    /// A client of the server at a URL.
    ///
    /// # Errors
    /// If a file with credentials cannot be read.
    pub fn client(&self, url: &str) -> Result<http::Client, String> {
        http::Client::new(url, &self.options)
    }

    /// The file for the answers: the given one, or else one in the build folder.
    fn answers(&self, name: &str) -> PathBuf {
        let new = || crate::root().join("target/differential").join(name);
        self.record.clone().unwrap_or_else(new)
    }
}

impl Requests {
    /// The file with the requests: the given one, or else a recording.
    fn or(&self, recorded: &str) -> PathBuf {
        let recorded = || crate::root().join("tests/whole/recorded").join(recorded);
        self.requests.clone().unwrap_or_else(recorded)
    }
}

/// Creates a file and its folder.
fn create(path: &Path) -> Result<File, String> {
    let context = |path: &Path, error: &dyn Display| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| context(folder, &error))?;
    }
    File::create(path).map_err(|error| context(path, &error))
}
