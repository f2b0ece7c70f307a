//! `cargo xtask check differential patches`: compares what another API server makes of patches with what ours makes of
//! the same objects and patches.

mod compare;
mod listed;
mod ours;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;

use serde_json::Value;

use self::compare::{Verdict, judge};
use super::ask::{Generated, What};
use super::ours::Ours;
use crate::{Failure, Report};

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The number of patches for each object that is sent to a server
    #[arg(long, default_value_t = 20)]
    count: u64,
    #[command(flatten)]
    generated: Generated,
}

/// Puts each recorded object into a server of ours, patches it, and compares the answers.
///
/// # Errors
/// If there are no answers to compare with, or our server does not start.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    args.generated.run(What::Patches, args.count, compare)
}

/// Compares the recorded answers of a file with ours.
fn compare(answers: &Path) -> Result<Report, String> {
    let text = super::read(answers).map_err(|error| error.to_string())?;
    let ours = Ours::start()?;
    let mut failures = Vec::new();
    let mut whys: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut total, mut equal, mut refused) = (0, 0, 0);
    let mut kinds = BTreeSet::new();
    for (number, line) in text.split('\n').filter(|line| !line.is_empty()).enumerate() {
        let at = |error: String| format!("line {}: {error}", number + 1);
        let line: Value = serde_json::from_str(line).map_err(|error| at(error.to_string()))?;
        let answer = ours::answer(&ours, &line).map_err(at)?;
        let object = &line["object"];
        kinds.insert(format!("{} {}", object["apiVersion"], object["kind"]));
        total += 1;
        match judge(&line, &answer) {
            Verdict::Equal(is_refused) => {
                equal += 1;
                refused += usize::from(is_refused);
            }
            Verdict::Listed(why) => *whys.entry(why).or_default() += 1,
            Verdict::Different(message) => failures.push(Failure {
                file: format!("line {}: {} {}", number + 1, line["media"], line["patch"]),
                path: String::new(),
                message,
            }),
        }
    }
    let notes = whys.iter().map(|(why, count)| format!("{why}: {count} answers differ so")).collect();
    let different = failures.len();
    Ok(Report {
        what: "patches",
        passed: total - different,
        total,
        details: vec![
            ("kinds", kinds.len()),
            ("equal", equal),
            ("of these refused alike", refused),
            ("listed differences", total - different - equal),
            ("different", different),
        ],
        failures,
        notes,
    })
}
