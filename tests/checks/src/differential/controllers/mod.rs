//! `cargo xtask check differential controllers`: compares what becomes of objects at another API server with its controllers and
//! at ours: garbage collection, and the lives of namespaces.
//!
//! Each scenario has namespaces of its own, and all of them are played at once. Nobody can ask other controllers whether they have
//! done everything, so they are waited for.

mod compare;
mod kinds;
mod listed;
mod stage;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use hubgen_kubernetes::machinery::yaml;
use hubgen_server::loops::Controllers;
use serde_json::Value;

use self::stage::{Settle, Stage};
use super::answers::{self, Verdict};
use super::ask::{self, http};
use super::ours::Ours;
use crate::{Failure, Report};

/// The most failures that are printed.
const MOST_SHOWN: usize = 20;

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The other server's answers, `-` for standard input, or its URL
    ///
    /// The check creates namespaces, definitions and roles in that server, and deletes them. Beside it has to run a
    /// kube-controller-manager with `--controllers=namespace-controller,garbage-collector-controller,serviceaccount-controller,\
    /// root-ca-certificate-publisher-controller`.
    #[arg(long, value_name = "FILE-OR-URL")]
    against: String,
    /// Only the scenario of this name
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
    /// For how many seconds the other controllers are waited for
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    wait: u64,
    /// For how many seconds they are waited for where they have to learn of definitions
    #[arg(long, value_name = "SECONDS", default_value_t = 75)]
    wait_for_definitions: u64,
    /// Record the answers of the API server in this file
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    options: http::Options,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Compares both servers, or recorded answers with those of ours.
///
/// # Errors
/// If a server does not answer, or a line is no record.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let mut scenarios = scenarios()?;
    if let Some(name) = &args.scenario {
        scenarios.retain(|scenario| scenario["name"] == **name);
    }
    let lines = if ask::is_url(&args.against) {
        let settle = |scenario: &Value| {
            let has_definitions = scenario["steps"].to_string().contains("\"define\"");
            let seconds = if has_definitions { args.wait_for_definitions } else { args.wait };
            thread::sleep(Duration::from_secs(seconds));
        };
        let client = http::Client::new(&args.against, &args.options)?;
        let version = client.get("/version")?.object()?["gitVersion"].clone();
        let mut lines = answers(&args.against, &args.options, &settle, &scenarios)?;
        lines.iter_mut().for_each(|line| line["release"] = version.clone());
        lines
    } else {
        let lines = answers::recorded(&args.against)?;
        scenarios.retain(|scenario| lines.iter().any(|line| line["scenario"] == scenario["name"]));
        lines
    };
    answers::record(&lines, args.record.as_deref())?;
    Ok(compared(&lines, &scenarios)?.print(args.json))
}

/// What clients do.
fn scenarios() -> Result<Vec<Value>, String> {
    let json = yaml::to_json(include_str!("scenarios.yaml")).map_err(|error| error.to_string())?;
    let scenarios: Vec<Value> = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
    let mut slugs = BTreeSet::new();
    match scenarios.iter().find(|scenario| !slugs.insert(stage::slug(scenario))) {
        Some(twice) => Err(format!("{}: another scenario has the same names", twice["name"])),
        None => Ok(scenarios),
    }
}

/// What clients of a server see in each scenario, step by step.
fn answers(
    url: &str,
    options: &http::Options,
    settle: Settle<'_>,
    scenarios: &[Value],
) -> Result<Vec<Value>, String> {
    thread::scope(|scope| {
        let players: Vec<_> = scenarios
            .iter()
            .map(|scenario| {
                scope.spawn(move || {
                    let played = Stage::new(http::Client::new(url, options)?, settle, scenario).play();
                    played.map_err(|error| format!("{}: {error}", scenario["name"]))
                })
            })
            .collect();
        let mut lines = Vec::new();
        for player in players {
            lines.extend(player.join().map_err(|_| "a scenario panicked".to_owned())??);
        }
        Ok(lines)
    })
}

/// Plays the scenarios at a server of ours, and compares.
fn compared(lines: &[Value], scenarios: &[Value]) -> Result<Report, String> {
    let ours = Ours::with(|settings| {
        settings.loops.controllers = Controllers::default();
        settings.admission.namespace_lifecycle = true;
    })?;
    let found = answers(&ours.url(), &http::Options::default(), &|_| ours.settle(), scenarios)?;
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for line in lines {
        let of_same = |other: &&Value| other["scenario"] == line["scenario"] && other["step"] == line["step"];
        let found = found.iter().find(of_same).map_or(&Value::Null, |found| &found["answer"]);
        let what = match &line["answer"]["code"] {
            Value::Null => "states",
            code if code.as_u64().is_some_and(|code| code >= 400) => "refused",
            _ => "done",
        };
        *counts.entry(what).or_default() += 1;
        match compare::judge(line, found) {
            Verdict::Equal => {}
            Verdict::Listed(name) => *counts.entry(name).or_default() += 1,
            Verdict::Different(message) => failures.push(Failure {
                file: line["scenario"].as_str().unwrap_or_default().to_owned(),
                path: format!("step {}", line["step"]),
                message,
            }),
        }
    }
    let (total, different) = (lines.len(), failures.len());
    counts.insert("scenarios", scenarios.len());
    counts.insert("different", different);
    failures.truncate(MOST_SHOWN);
    let details = counts.into_iter().collect();
    let what = "answers about what controllers do";
    Ok(Report { what, passed: total.saturating_sub(different), total, details, failures, notes: Vec::new() })
}
