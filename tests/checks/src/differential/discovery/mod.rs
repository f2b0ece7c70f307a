//! `cargo xtask check differential discovery`: compares what another API server tells of its resources with what
//! `hubgen serve` tells.

mod listed;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::ask::{self, Server};
use super::told::{self, Facts};
use crate::{Failure, Report};

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The other server's answers, one per line, `-` for standard input, or its URL
    #[arg(long, value_name = "FILE-OR-URL")]
    against: String,
    /// The URL of `hubgen serve`, started with the same --runtime-config
    #[arg(long, value_name = "URL")]
    ours: String,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: Server,
}

/// Compares two servers, or a server with recorded answers.
///
/// # Errors
/// If a server cannot be asked, or there are no answers to compare with.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let answers = if ask::is_url(&args.against) {
        ask::discovery(&args.against, &args.server)?
    } else {
        PathBuf::from(&args.against)
    };
    let text = super::read(&answers).map_err(|error| format!("{}: {error}", answers.display()))?;
    Ok(report(&text, &args.ours)?.print(args.json))
}

/// Compares recorded answers with those of a server of ours.
///
/// # Errors
/// If the server cannot be asked, or a line is not an answer.
pub fn report(answers: &str, ours: &str) -> Result<Report, String> {
    let theirs = told::read(answers)?;
    let ours = ask::discovered(ours)?;
    Ok(compare(&theirs, &ours))
}

fn compare(theirs: &Facts, ours: &Facts) -> Report {
    let keys: std::collections::BTreeSet<&String> = theirs.keys().chain(ours.keys()).collect();
    let (mut equal, mut failures) = (0, Vec::new());
    let mut whys: BTreeMap<&str, usize> = BTreeMap::new();
    for key in &keys {
        let of = |facts: &Facts| facts.get(*key).cloned().unwrap_or(Value::Null);
        let (theirs, ours) = (of(theirs), of(ours));
        if theirs == ours {
            equal += 1;
        } else if let Some(why) = listed::why(key, &theirs, &ours) {
            *whys.entry(why).or_default() += 1;
        } else {
            failures.push(Failure {
                file: (*key).clone(),
                path: String::new(),
                message: json!({"theirs": theirs, "ours": ours}).to_string(),
            });
        }
    }
    let different = failures.len();
    Report {
        what: "facts of discovery",
        passed: keys.len() - different,
        total: keys.len(),
        details: vec![
            ("equal", equal),
            ("listed differences", keys.len() - equal - different),
            ("different", different),
        ],
        failures,
        notes: whys.iter().map(|(why, count)| format!("{why}: {count} differ so")).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(key: &str, theirs: Value, ours: Value) -> bool {
        let one =
            |value: Value| if value.is_null() { Facts::new() } else { [(key.to_owned(), value)].into() };
        let report = compare(&one(theirs), &one(ours));
        report.passed == report.total
    }

    #[test]
    fn what_differs_and_is_not_listed_is_a_failure() {
        let pods = json!({"kind": "Pod", "verbs": ["get"], "shortNames": ["po"]});
        assert!(passed("v1 pods", pods.clone(), pods.clone()));
        assert!(!passed("v1 pods", pods.clone(), Value::Null));
        assert!(!passed("v1 pods", Value::Null, pods.clone()));
        assert!(!passed(
            "v1 pods",
            pods,
            json!({"kind": "Pod", "verbs": ["get", "list"], "shortNames": ["po"]})
        ));
    }

    #[test]
    fn a_change_beyond_what_is_listed_is_a_failure() {
        let log = json!({"kind": "Pod", "verbs": ["get"]});
        assert!(passed("v1 pods/log", log.clone(), Value::Null));
        assert!(!passed("v1 pods/log", log, json!({"kind": "Pod", "verbs": []})));
        let events = json!({"kind": "Event", "shortNames": ["ev"]});
        assert!(passed("events.k8s.io/v1 events", events.clone(), json!({"kind": "Event"})));
        assert!(!passed("events.k8s.io/v1 events", events.clone(), json!({"kind": "Events"})));
        assert!(!passed(
            "events.k8s.io/v1 events",
            events.clone(),
            json!({"kind": "Event", "shortNames": ["e"]})
        ));
        assert!(!passed("v1 events", events, json!({"kind": "Event"})));
    }
}
