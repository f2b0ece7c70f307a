//! Checks that make what they send by dice, from the objects of requests: with which answers each compares, and how those of a
//! server are recorded.

use std::fmt::Display;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::objects::Server as Asked;
use super::{Requests, Server, apply, create, http, is_url, owners, patches, release_of, tables};
use crate::Report;

/// Arguments of such a check, but for how much it sends.
#[derive(clap::Args)]
pub struct Generated {
    /// The answers of another implementation, one per line, `-` for standard input, or the URL of an API server
    ///
    /// The check creates objects in that server and deletes them.
    #[arg(long, value_name = "FILE-OR-URL")]
    against: String,
    /// The first seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The release of the server, for the recording [default: the release that the server returns]
    #[arg(long, value_name = "VERSION")]
    release: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    requests: Requests,
    #[command(flatten)]
    server: Server,
}

/// What is sent to a server.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// Patches of each object.
    Patches,
    /// Requests for tables of each kind.
    Tables,
    /// Sequences of writes.
    Writes,
    /// Sequences of applies and other writes.
    Applies,
}

impl What {
    /// The name of the file with the answers.
    fn file(self) -> &'static str {
        match self {
            Self::Patches => "patches.jsonl",
            Self::Tables => "tables.jsonl",
            Self::Writes => "owners.jsonl",
            Self::Applies => "apply.jsonl",
        }
    }

    /// Sends `count` of it, and writes the answers. Returns how many lines there are.
    fn record(
        self,
        server: &mut Asked,
        release: &str,
        requests: &[u8],
        answers: impl Write,
        choice: (u64, u64),
    ) -> Result<u64, String> {
        match self {
            Self::Patches => patches::record(server, release, requests, answers, choice),
            Self::Tables => tables::record(server, release, requests, answers, choice),
            Self::Writes => owners::record(server, release, requests, answers, choice, owners::one),
            Self::Applies => owners::record(server, release, requests, answers, choice, apply::one),
        }
    }
}

impl Generated {
    /// Compares the answers of a file, or those of a server to `count` of what is sent to it.
    ///
    /// # Errors
    /// If the server cannot be reached, or a file cannot be read or written.
    pub fn run(
        &self,
        what: What,
        count: u64,
        compare: impl Fn(&Path) -> Result<Report, String>,
    ) -> Result<ExitCode, String> {
        let answers =
            if is_url(&self.against) { self.ask(what, count)? } else { PathBuf::from(&self.against) };
        let report = compare(&answers).map_err(|error| format!("{}: {error}", answers.display()))?;
        Ok(report.print(self.json))
    }

    /// Asks the server. Returns the file with its answers.
    fn ask(&self, what: What, count: u64) -> Result<PathBuf, String> {
        let requests = self.requests.or("defaults/server.jsonl");
        let answers = self.server.answers(what.file());
        let context = |error: &dyn Display| format!("{}: {error}", requests.display());
        let input = fs::read(&requests).map_err(|error| context(&error))?;
        let client = http::Client::new(&self.against, &self.server.options)?;
        let release = self.release.clone().map_or_else(|| release_of(&client), Ok)?;
        let output = BufWriter::new(create(&answers)?);
        let written = what
            .record(&mut Asked::new(client), &release, &input, output, (count, self.seed))
            .map_err(|error| context(&error))?;
        eprintln!("{written} lines in {}", answers.display());
        Ok(answers)
    }
}
