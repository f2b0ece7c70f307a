//! `cargo xtask conformance`: what another implementation answers, beside what
//! ours answers. The answers come from a file that a program of its own wrote,
//! or from a running API server; `hubgen check conformance` compares them.

mod errors;
// The same file as in `hubgen check conformance errors`: both ask alike.
#[path = "../../../cli/src/check/conformance/errors/exchange.rs"]
mod exchange;
mod http;
mod server;
mod stored;

use std::fs::{self, File};
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::bench::programs;

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Objects at each version that the other implementation brought them to.
    Convert(Against),
    /// Objects that the other implementation has defaulted.
    Defaults(Against),
    /// Objects that the other implementation has written in protobuf.
    Protobuf(Recorded),
    /// Answers to requests that are wrong.
    Errors(Errors),
    /// What a server has stored, as `hubgen decode` reads it.
    Stored(Stored),
}

#[derive(clap::Args)]
struct Errors {
    /// Answers, a line of JSON each, or the URL of an API server that nobody needs: objects are
    /// created in it, and stay.
    #[arg(long, value_name = "FILE-OR-URL")]
    against: String,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// What to ask an API server: requests, or answers of an earlier day, a line of JSON each.
    /// Without it, what the recorded answers of a server asked.
    #[arg(long, value_name = "FILE")]
    requests: Option<PathBuf>,
    /// Where to keep an API server's answers.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// The release of the server, for the record; without it, what the server says.
    #[arg(long, value_name = "VERSION")]
    release: Option<String>,
    #[command(flatten)]
    server: http::Options,
}

#[derive(clap::Args)]
struct Stored {
    /// What is stored, as `etcdctl get --prefix / -w json` prints it.
    #[arg(long, value_name = "FILE")]
    dump: PathBuf,
    /// The server's answers, a line of JSON for each object at each version, or its URL.
    #[arg(long, value_name = "FILE-OR-URL")]
    against: String,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// Where to keep the server's answers.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    server: http::Options,
}

#[derive(clap::Args)]
struct Recorded {
    /// Answers, a line of JSON each.
    #[arg(long, value_name = "FILE")]
    against: PathBuf,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct Against {
    /// Answers, a line of JSON each, or the URL of an API server, as in https://127.0.0.1:6443.
    #[arg(long, value_name = "FILE-OR-URL")]
    against: String,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// What to ask an API server: requests, or answers of an earlier day, a line of JSON each.
    /// Without it, what the recorded answers of a server asked.
    #[arg(long, value_name = "FILE")]
    requests: Option<PathBuf>,
    /// Where to keep an API server's answers.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    server: http::Options,
}

/// Compares.
pub fn run(args: &Args) -> ExitCode {
    let result = match &args.what {
        What::Convert(against) => against.run(server::Ask::Conversions),
        What::Defaults(against) => against.run(server::Ask::Defaults),
        What::Protobuf(recorded) => check("protobuf", &[("--against", &recorded.against)], recorded.json),
        What::Errors(errors) => errors.run(),
        What::Stored(stored) => stored.run(),
    };
    result.unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::FAILURE
    })
}

/// Compares with `hubgen check conformance`.
fn check(what: &str, files: &[(&str, &Path)], json: bool) -> Result<ExitCode, String> {
    let mut hubgen = programs::cargo();
    hubgen.args(["run", "--quiet", "--release", "--package", "hubgen", "--manifest-path"]);
    hubgen.arg(programs::root().join("Cargo.toml"));
    hubgen.args(["--", "check", "conformance", what]);
    for (option, file) in files {
        hubgen.arg(option).arg(file);
    }
    if json {
        hubgen.arg("--json");
    }
    let status = hubgen.status().map_err(|error| format!("{hubgen:?}: {error}"))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Errors {
    fn run(&self) -> Result<ExitCode, String> {
        let answers = if is_url(&self.against) { self.ask()? } else { PathBuf::from(&self.against) };
        check("errors", &[("--against", &answers)], self.json)
    }

    /// Asks the server; the file that its answers are in.
    fn ask(&self) -> Result<PathBuf, String> {
        let recorded = || programs::root().join("tests/conformance/errors/server-1.35.jsonl");
        let requests = self.requests.clone().unwrap_or_else(recorded);
        let new = || programs::root().join("target/conformance/errors.jsonl");
        let answers = self.record.clone().unwrap_or_else(new);
        // Read whole before anything is written: the file may be the one that is written.
        let told = |error: &dyn std::fmt::Display| format!("{}: {error}", requests.display());
        let input = fs::read(&requests).map_err(|error| told(&error))?;
        let client = http::Client::new(&self.against, &self.server)?;
        let output = BufWriter::new(create(&answers)?);
        let count = errors::record(&client, self.release.as_deref(), input.as_slice(), output)
            .map_err(|error| told(&error))?;
        eprintln!("{count} answers in {}", answers.display());
        Ok(answers)
    }
}

impl Stored {
    fn run(&self) -> Result<ExitCode, String> {
        let answers = if is_url(&self.against) { self.ask()? } else { PathBuf::from(&self.against) };
        check("stored", &[("--dump", &self.dump), ("--against", &answers)], self.json)
    }

    /// Asks the server; the file that its answers are in.
    fn ask(&self) -> Result<PathBuf, String> {
        let new = || programs::root().join("target/conformance/stored.jsonl");
        let answers = self.record.clone().unwrap_or_else(new);
        let output = create(&answers)?;
        let client = http::Client::new(&self.against, &self.server)?;
        let count = stored::record(&client, BufWriter::new(output))?;
        eprintln!("{count} answers in {}", answers.display());
        Ok(answers)
    }
}

fn is_url(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

/// Creates a file, and the folder that it is in.
fn create(path: &Path) -> Result<File, String> {
    let told = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| told(folder, &error))?;
    }
    File::create(path).map_err(|error| told(path, &error))
}

impl Against {
    fn run(&self, ask: server::Ask) -> Result<ExitCode, String> {
        let answers = if is_url(&self.against) { self.ask(ask)? } else { PathBuf::from(&self.against) };
        check(ask.name(), &[("--against", &answers)], self.json)
    }

    /// Asks the server; the file that its answers are in.
    fn ask(&self, ask: server::Ask) -> Result<PathBuf, String> {
        let recorded = || programs::root().join(format!("tests/conformance/{}/server.jsonl", ask.name()));
        let requests = self.requests.clone().unwrap_or_else(recorded);
        let new = || programs::root().join(format!("target/conformance/{}.jsonl", ask.name()));
        let answers = self.record.clone().unwrap_or_else(new);
        if answers == requests {
            return Err(format!("{}: answers cannot go where the requests are read from", answers.display()));
        }
        let told = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let input = File::open(&requests).map_err(|error| told(&requests, &error))?;
        let output = create(&answers)?;
        let (input, output) = (BufReader::new(input), BufWriter::new(output));
        server::record(&self.against, &self.server, ask, input, output)
            .map_err(|error| told(&requests, &error))?;
        Ok(answers)
    }
}
