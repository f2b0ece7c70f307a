//! `cargo xtask check differential tables`: compares the tables that another implementation makes of objects with ours.

mod compare;
mod listed;
mod ours;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;

use serde_json::Value;

use self::compare::judge;
use self::ours::Tables;
use super::answers::Verdict;
use super::ask::{Generated, What};
use crate::{Failure, Report};

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The number of objects of each kind that a server is asked for
    #[arg(long, default_value_t = 200)]
    count: u64,
    #[command(flatten)]
    generated: Generated,
}

/// Makes a table of each recorded object, and compares.
///
/// # Errors
/// If there are no answers to compare with, or our server does not start.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    args.generated.run(What::Tables, args.count, compare)
}

/// The most failures that are printed of a kind at a version.
const MOST_FAILURES: usize = 3;

/// Compares the recorded tables of a file with ours.
fn compare(answers: &Path) -> Result<Report, String> {
    let text = super::read(answers).map_err(|error| error.to_string())?;
    let tables = Tables::start()?;
    let mut failures = Vec::new();
    let mut whys: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failed: BTreeMap<String, usize> = BTreeMap::new();
    let (mut total, mut equal, mut unknown) = (0, 0, 0);
    let (mut kinds, mut versions) = (BTreeSet::new(), BTreeSet::new());
    for (number, line) in text.split('\n').filter(|line| !line.is_empty()).enumerate() {
        let at = |error: String| format!("line {}: {error}", number + 1);
        let line: Value = serde_json::from_str(line).map_err(|error| at(error.to_string()))?;
        if line.get("error").is_some() {
            unknown += 1;
            continue;
        }
        let ours = tables.of(&line).map_err(at)?;
        let object = &line["object"];
        let name = |key: &str| object[key].as_str().unwrap_or_default();
        let version = format!("{} {}", name("apiVersion"), name("kind"));
        kinds.insert(name("kind").to_owned());
        versions.insert(version.clone());
        total += 1;
        match judge(&line, &ours) {
            Verdict::Equal => equal += 1,
            Verdict::Listed(why) => *whys.entry(why).or_default() += 1,
            Verdict::Different(message) => {
                let count = failed.entry(version.clone()).or_default();
                *count += 1;
                if *count <= MOST_FAILURES {
                    let file = format!("line {}: {version}", number + 1);
                    failures.push(Failure { file, path: String::new(), message });
                }
            }
        }
    }
    let mut notes: Vec<String> =
        whys.iter().map(|(why, count)| format!("{why}: {count} answers differ so")).collect();
    notes.extend(failed.iter().map(|(version, count)| format!("{version}: {count} differ")));
    let different: usize = failed.values().sum();
    Ok(Report {
        what: "tables",
        passed: total - different,
        total,
        details: vec![
            ("kinds", kinds.len()),
            ("kinds at versions", versions.len()),
            ("equal", equal),
            ("listed differences", total - different - equal),
            ("different", different),
            ("not known there", unknown),
        ],
        failures,
        notes,
    })
}
