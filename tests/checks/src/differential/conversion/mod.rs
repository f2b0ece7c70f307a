//! `cargo xtask check differential conversion`: compares what clients see of conversion webhooks that are wrong at another API server
//! and at ours.
//!
//! Both servers have the same definitions, whose webhook is one of the check, on this machine. It answers as the script of
//! each case, while objects are read, listed, watched, written and deleted at the version at which they are not stored.

mod compare;
mod listed;
mod objects;
mod side;
mod steps;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use hubgen_kubernetes::machinery::yaml;
use serde_json::{Value, json};

use self::side::Side;
use super::answers::{self, Verdict};
use super::ask::{self, http};
use super::ours::Ours;
use crate::{Failure, Report};

/// Those of the server use it, too.
#[path = "../../../../whole/support/scripted.rs"]
mod scripted;

/// The most failures that are printed.
const MOST_SHOWN: usize = 20;
/// How many servers of ours share the cases.
const SERVERS: usize = 10;
/// How long our server waits for a webhook. Upstream's time is no setting.
const LIMIT: Duration = Duration::from_secs(2);

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The other server's answers, `-` for standard input, or its URL
    ///
    /// The check creates definitions in that server, and deletes them. The server has to be on this machine, and to have been
    /// started with --watch-cache=false: from its cache it answers without asking a webhook.
    #[arg(long, value_name = "FILE-OR-URL")]
    against: String,
    /// Only the case of this name
    #[arg(long, value_name = "NAME")]
    case: Option<String>,
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
    let mut cases = cases()?;
    if let Some(name) = &args.case {
        cases.retain(|case| case["name"] == **name);
    }
    let lines = if ask::is_url(&args.against) {
        let theirs = Side::new(&args.against, &args.options)?;
        let release = theirs.send("GET", "/version", None)?.1["gitVersion"].clone();
        let mut lines = answers(&theirs, &cases)?;
        lines.iter_mut().for_each(|line| line["release"] = release.clone());
        lines
    } else {
        let lines = answers::recorded(&args.against)?;
        let is_asked = |line: &Value| args.case.as_ref().is_none_or(|name| line["case"] == **name);
        let lines: Vec<Value> = lines.into_iter().filter(is_asked).collect();
        cases.retain(|case| lines.iter().any(|line| line["case"] == case["name"]));
        lines
    };
    answers::record(&lines, args.record.as_deref())?;
    Ok(compared(&lines, &cases)?.print(args.json))
}

/// What webhooks do.
fn cases() -> Result<Vec<Value>, String> {
    let json = yaml::to_json(include_str!("cases.yaml")).map_err(|error| error.to_string())?;
    serde_json::from_slice(&json).map_err(|error| error.to_string())
}

/// What clients of a server see in each case, step by step.
fn answers(side: &Side, cases: &[Value]) -> Result<Vec<Value>, String> {
    let mut webhooks = scripted::All::default();
    let mut lines = Vec::new();
    let all: Vec<Value> = cases.iter().map(|case| objects::definition(case, &mut webhooks)).collect();
    let mut defined = BTreeMap::new();
    for definition in
        all.iter().filter(|all| defined.insert(all["metadata"]["name"].to_string(), ()).is_none())
    {
        side.undefine(definition)?;
        side.define(definition)?;
    }
    for (case, definition) in cases.iter().zip(&all) {
        let webhook = webhooks.with(case["certificate"].as_str().unwrap_or("good"));
        for (step, answer) in steps::taken(side, case, definition, webhook)? {
            let answer = compare::normal(&answer);
            lines.push(json!({"case": case["name"], "step": step, "answer": answer}));
        }
    }
    all.iter().try_for_each(|definition| side.undefine(definition))?;
    Ok(lines)
}

/// What clients of servers of ours see in each case. Most of the time passes with waiting for webhooks that hang, so several servers
/// have a share of the cases each.
fn answers_of_ours(cases: &[Value]) -> Result<Vec<Value>, String> {
    let answers_of = |share: &[Value]| {
        let ours = Ours::with(|settings| settings.limits.conversion = LIMIT)?;
        answers(&Side::new(&ours.url(), &http::Options::default())?, share)
    };
    let shares = cases.chunks(cases.len().div_ceil(SERVERS).max(1));
    thread::scope(|scope| {
        let threads: Vec<_> = shares.map(|share| scope.spawn(move || answers_of(share))).collect();
        let found: Result<Vec<Vec<Value>>, String> = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect();
        found.map(|found| found.concat())
    })
}

/// Asks servers of ours the same, and compares.
fn compared(lines: &[Value], cases: &[Value]) -> Result<Report, String> {
    let found = answers_of_ours(cases)?;
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for line in lines {
        let of_same = |other: &&Value| other["case"] == line["case"] && other["step"] == line["step"];
        let found = found.iter().find(of_same).map_or(&Value::Null, |found| &found["answer"]);
        let is_refused = line["answer"]["code"].as_u64().is_some_and(|code| code >= 400);
        *counts.entry(if is_refused { "refused" } else { "answered" }).or_default() += 1;
        match compare::judge(line, found) {
            Verdict::Equal => {}
            Verdict::Listed(name) => *counts.entry(name).or_default() += 1,
            Verdict::Different(message) => failures.push(Failure {
                file: line["case"].as_str().unwrap_or_default().to_owned(),
                path: line["step"].as_str().unwrap_or_default().to_owned(),
                message,
            }),
        }
    }
    let (total, different) = (lines.len(), failures.len());
    counts.insert("cases", cases.len());
    counts.insert("different", different);
    failures.truncate(MOST_SHOWN);
    let details = counts.into_iter().collect();
    let what = "answers about conversion webhooks";
    Ok(Report { what, passed: total.saturating_sub(different), total, details, failures, notes: Vec::new() })
}
