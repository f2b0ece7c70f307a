//! `cargo xtask check differential errors`: compares the answers of another API server to a series
//! of requests, most of which are wrong, with our server's answers to the same requests in the same
//! order.

mod compare;
mod listed;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::Value;

use self::compare::{Verdict, judge};
use self::listed::Listed;
use super::ask::{self, Requests, Server};
use super::exchange;
use super::ours::Ours;
use crate::{Failure, Report};

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The other server's answers, one per line, `-` for standard input, or its URL
    ///
    /// The check creates objects in that server and does not delete them.
    #[arg(long, value_name = "FILE-OR-URL")]
    against: String,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// The release of the server, for the recording [default: the release that the server returns]
    #[arg(long, value_name = "VERSION")]
    release: Option<String>,
    #[command(flatten)]
    requests: Requests,
    #[command(flatten)]
    server: Server,
}

/// Starts our server with an empty store, sends it the recorded requests, and compares the answers.
///
/// # Errors
/// If there are no answers to compare with, or our server does not start.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let answers = if ask::is_url(&args.against) {
        ask::errors(&args.against, args.release.as_deref(), &args.requests, &args.server)?
    } else {
        PathBuf::from(&args.against)
    };
    let report = compare(&answers).map_err(|error| format!("{}: {error}", answers.display()))?;
    Ok(report.print(args.json))
}

fn compare(answers: &Path) -> Result<Report, String> {
    let text = super::read(answers).map_err(|error| error.to_string())?;
    let ours = Ours::start()?;
    let listed = Listed::all();
    let mut failures = Vec::new();
    let mut whys: BTreeMap<String, usize> = BTreeMap::new();
    let (mut total, mut equal) = (0, 0);
    for (number, line) in text.lines().enumerate() {
        let at = |error: String| format!("line {}: {error}", number + 1);
        let line: Value = serde_json::from_str(line).map_err(|error| at(error.to_string()))?;
        let name = line["name"].as_str().ok_or_else(|| at("expected a text in `name`".to_owned()))?;
        let theirs = line.get("answer").ok_or_else(|| at("expected `answer`".to_owned()))?;
        let answer = exchange::exchange(&line, &mut |request| ours.send(request)).map_err(at)?;
        total += 1;
        match judge(theirs, &answer, listed.get(name)) {
            Verdict::Equal => equal += 1,
            Verdict::Listed(why) => *whys.entry(why.to_owned()).or_default() += 1,
            Verdict::Different(message) => {
                failures.push(Failure { file: name.to_owned(), path: String::new(), message });
            }
        }
    }
    let notes: Vec<String> =
        whys.iter().map(|(why, count)| format!("{why}: {count} answers differ so")).collect();
    let different = failures.len();
    Ok(Report {
        what: "answers",
        passed: total - different,
        total,
        details: vec![
            ("equal", equal),
            ("listed differences", total - different - equal),
            ("different", different),
        ],
        failures,
        notes,
    })
}
