//! `cargo xtask check differential apply`: compares what applies, between other writes, make of objects and of their owners in
//! another API server and in ours.

mod compare;
mod listed;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::Value;

use self::compare::{Verdict, judge};
use super::ask::{self, Requests, Server};
use super::ours::Ours;
use super::sequence;
use crate::{Failure, Report};

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The other server's answers, one sequence per line, `-` for standard input, or its URL
    ///
    /// The check creates objects in that server and deletes them.
    #[arg(long, value_name = "FILE-OR-URL")]
    against: String,
    /// The number of sequences that are sent to a server
    #[arg(long, default_value_t = 500)]
    count: u64,
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

/// Plays each recorded sequence to a server of ours, and compares the answers.
///
/// # Errors
/// If there are no answers to compare with, or our server does not start.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let answers = if ask::is_url(&args.against) {
        ask::applies(
            &args.against,
            args.release.as_deref(),
            &args.requests,
            &args.server,
            (args.count, args.seed),
        )?
    } else {
        PathBuf::from(&args.against)
    };
    let report = compare(&answers).map_err(|error| format!("{}: {error}", answers.display()))?;
    Ok(report.print(args.json))
}

/// Compares the recorded answers of a file with ours.
fn compare(answers: &Path) -> Result<Report, String> {
    let text = super::read(answers).map_err(|error| error.to_string())?;
    let ours = Ours::start()?;
    let mut failures = Vec::new();
    let mut whys: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut total, mut equal, mut writes) = (0, 0, 0);
    let (mut kinds, mut several) = (BTreeSet::new(), 0);
    let (mut applies, mut conflicts) = (0, 0);
    for (number, line) in text.split('\n').filter(|line| !line.is_empty()).enumerate() {
        let at = |error: String| format!("line {}: {error}", number + 1);
        let line: Value = serde_json::from_str(line).map_err(|error| at(error.to_string()))?;
        let steps = line["steps"].as_array().ok_or_else(|| at("expected a list in `steps`".to_owned()))?;
        let answers = play(steps, &ours).map_err(at)?;
        ours.remove(&line["object"]).map_err(at)?;
        kinds.insert(line["kind"].to_string());
        let versions: BTreeSet<String> = steps.iter().map(|step| step["version"].to_string()).collect();
        several += usize::from(versions.len() > 1);
        total += 1;
        writes += steps.len();
        applies += steps.iter().filter(|step| step["verb"] == "apply").count();
        conflicts += answers.iter().filter(|answer| answer["code"] == 409).count();
        match judge(&line, &answers) {
            Verdict::Equal => equal += 1,
            Verdict::Listed(why) => *whys.entry(why).or_default() += 1,
            Verdict::Different(message) => failures.push(Failure {
                file: format!("line {}: {}", number + 1, line["object"]),
                path: String::new(),
                message,
            }),
        }
    }
    let notes = whys.iter().map(|(why, count)| format!("{why}: {count} sequences differ so")).collect();
    let different = failures.len();
    Ok(Report {
        what: "sequences of applies",
        passed: total - different,
        total,
        details: vec![
            ("writes", writes),
            ("applies", applies),
            ("conflicts", conflicts),
            ("kinds", kinds.len()),
            ("at several versions", several),
            ("equal", equal),
            ("listed differences", total - different - equal),
            ("different", different),
        ],
        failures,
        notes,
    })
}

fn play(steps: &[Value], ours: &Ours) -> Result<Vec<Value>, String> {
    steps.iter().map(|step| sequence::play_whole(step, &|request| ours.send(request))).collect()
}
