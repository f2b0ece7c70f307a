//! `cargo xtask check differential crds`: compares what another API server answers about CustomResourceDefinitions, and what becomes
//! of them, with ours.
//!
//! Most definitions are wrong in one place and only tried (`dryRun`): created, and in the place of others that exist. Others
//! live: they want the same names, are replaced, and are deleted. Some have rules in CEL, most of which are wrong or too expensive.
//! Those of real projects must be accepted.

mod cases;
mod compare;
mod lives;
mod projects;
mod rules;
mod side;

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};

use self::compare::{Comparison, Verdict};
use self::side::Side;
use super::answers;
use super::ask::{self, http};
use super::ours::Ours;
use crate::{Failure, Report};

/// The longest answer about a definition of a large rule that is recorded, in bytes.
const MAX_RECORDED: usize = 4096;

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The other server's answers, `-` for standard input, or its URL
    ///
    /// The check writes definitions to that server, and deletes them.
    #[arg(long, value_name = "FILE-OR-URL")]
    against: String,
    /// Compare with the server at this URL instead of one that the check starts
    #[arg(long, value_name = "URL")]
    ours: Option<String>,
    /// Files and folders with definitions of projects, which must be accepted
    #[arg(long, value_name = "PATH")]
    projects: Vec<PathBuf>,
    /// Record answers of the API server in this file: those about definitions that live, and some of the others
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Compare only this part of the cases: create, update, status, life, rules
    #[arg(long, value_name = "PART")]
    only: Option<String>,
    /// The most failures that are printed
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    shown: usize,
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
    let lines = if ask::is_url(&args.against) {
        asked(args)?
    } else {
        let all = all()?;
        let text = super::read(PathBuf::from(&args.against).as_path());
        let text = text.map_err(|error| format!("{}: {error}", args.against))?;
        let line = |(number, line): (usize, &str)| {
            recorded(&all, line).map_err(|error| format!("{}: line {}: {error}", args.against, number + 1))
        };
        text.lines().enumerate().map(line).collect::<Result<Vec<Value>, String>>()?
    };
    if let Some(path) = &args.record {
        let kept = ["part", "name", "release", "answer"];
        let short =
            |line: &Value| kept.into_iter().map(|key| (key.to_owned(), line[key].clone())).collect::<Value>();
        answers::record(sample(&lines).map(short), Some(path))?;
    }
    Ok(compared(args, &lines)?.print(args.json))
}

/// What both servers are asked, with the answers of the other one.
fn asked(args: &Args) -> Result<Vec<Value>, String> {
    let theirs = Side::new(&args.against, &args.options)?;
    let release = theirs.send("GET", "/version", None)?.1["gitVersion"].clone();
    let mut lines = all()?;
    for path in &args.projects {
        projects::read(path, &mut lines)?;
    }
    if let Some(part) = &args.only {
        lines.retain(|line| line["part"] == part.as_str());
    }
    answer(&theirs, &mut lines, None)?;
    for line in &mut lines {
        line["release"] = release.clone();
    }
    Ok(lines)
}

/// All that is asked, but for the definitions of projects.
fn all() -> Result<Vec<Value>, String> {
    let mut lines = cases::all()?;
    lines.extend(lives::all());
    lines.extend(rules::all()?);
    Ok(lines)
}

/// A line of a recording, with what was asked, which it has by its name.
fn recorded(all: &[Value], line: &str) -> Result<Value, String> {
    let line: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let asked = all.iter().find(|asked| asked["part"] == line["part"] && asked["name"] == line["name"]);
    let mut asked =
        asked.cloned().ok_or_else(|| format!("nothing is asked that is called {}", line["name"]))?;
    asked["answer"] = line["answer"].clone();
    Ok(asked)
}

/// Adds the answers of a server to lines. Where it takes a while until a definition has become what it will be, `expected` has
/// what it is waited for.
fn answer(side: &Side, lines: &mut [Value], expected: Option<&[Value]>) -> Result<(), String> {
    side.tidy()?;
    let bases = cases::bases()?;
    for (_, base) in &bases {
        side.establish(base)?;
    }
    for line in lines.iter_mut().filter(|line| matches!(line["part"].as_str(), Some("update" | "status"))) {
        line["answer"] = cases::replace(side, line, &bases)?;
    }
    side.tidy()?;
    for (at, line) in lines.iter_mut().enumerate() {
        let expected = expected.map(|expected| &expected[at]["answer"]);
        let answer = match line["part"].as_str() {
            Some("create") => cases::create(side, line)?,
            Some("rules") => rules::create(side, line)?,
            Some("life") => lives::live(side, line, expected)?,
            Some("project") => projects::install(side, line, expected)?,
            Some("update" | "status") => continue,
            part => return Err(format!("expected a part, found {part:?}")),
        };
        line["answer"] = answer;
    }
    side.tidy()
}

/// Some of the lines, which are enough to notice a change. Definitions of projects are not ours to record.
fn sample(lines: &[Value]) -> impl Iterator<Item = &Value> {
    let mut seen = 0_usize;
    lines.iter().filter(move |line| {
        seen += 1;
        match line["part"].as_str() {
            Some("project") => false,
            Some("life" | "status") => true,
            Some("create") if line["by"] == "hand" => true,
            // What is accepted or long takes much space to repeat.
            Some("rules") if matches!(line["by"].as_str(), Some("hand" | "size")) => {
                let answer = &line["answer"];
                answer.to_string().len() < MAX_RECORDED && (answer["code"] == 422 || seen.is_multiple_of(9))
            }
            _ if line["by"] == "hand" => seen.is_multiple_of(3),
            _ => seen.is_multiple_of(29),
        }
    })
}

/// Asks a server of ours the same, and compares.
fn compared(args: &Args, lines: &[Value]) -> Result<Report, String> {
    let started = match &args.ours {
        Some(_) => None,
        None => Some(Ours::start()?),
    };
    let url = args.ours.clone().or_else(|| started.as_ref().map(Ours::url)).unwrap_or_default();
    let side = Side::new(&url, &args.options)?;
    let asked = |line: &Value| {
        let mut line = line.clone();
        line.as_object_mut().map(|line| line.shift_remove("answer"));
        line
    };
    let mut ours: Vec<Value> = lines.iter().map(asked).collect();
    answer(&side, &mut ours, Some(lines))?;
    let mut comparison = Comparison::default();
    let (mut failures, mut counts) = (Vec::new(), [0; 7]);
    for (line, ours) in lines.iter().zip(&ours) {
        let (theirs, ours) = (&line["answer"], &ours["answer"]);
        let part = match line["part"].as_str() {
            Some("create") => 0,
            Some("update") => 1,
            Some("status") => 2,
            Some("life") => 3,
            Some("rules") => 4,
            _ => 5,
        };
        counts[part] += 1;
        counts[6] += usize::from(theirs["code"].as_u64().is_some_and(|code| code >= 400));
        if let Verdict::Different(message) = comparison.compare(theirs, ours) {
            failures.push(Failure {
                file: format!("{} {}", line["part"].as_str().unwrap_or_default(), line["name"]),
                path: String::new(),
                message,
            });
        }
    }
    let (total, failed) = (lines.len(), failures.len());
    failures.truncate(args.shown);
    let Comparison { equal, reordered, listed, left_out } = comparison;
    Ok(Report {
        what: "answers about definitions",
        passed: total - failed,
        total,
        details: vec![
            ("created", counts[0]),
            ("replaced", counts[1]),
            ("statuses", counts[2]),
            ("lives", counts[3]),
            ("with rules", counts[4]),
            ("of projects", counts[5]),
            ("refused there", counts[6]),
            ("equal", equal),
            ("in other order", reordered),
            ("listed", listed.values().sum()),
            ("different", failed),
        ],
        failures,
        notes: listed
            .iter()
            .map(|(why, count)| format!("{why}: {count}"))
            .chain(
                (left_out > 0)
                    .then(|| format!("steps left out, because no kind is served for them: {left_out}")),
            )
            .collect(),
    })
}

/// What is compared of an answer: the definition, or the error.
fn kept(code: u16, body: &Value) -> Value {
    if code >= 400 {
        let causes = body["details"]["causes"].as_array().cloned().unwrap_or_default();
        return json!({"code": code, "reason": body["reason"], "message": body["message"], "causes": causes});
    }
    let metadata = &body["metadata"];
    let mut status = body["status"].clone();
    if let Some(conditions) = status["conditions"].as_array_mut() {
        for condition in conditions.iter_mut().filter_map(Value::as_object_mut) {
            condition.shift_remove("lastTransitionTime");
        }
        // Upstream's controllers add them in no order.
        conditions.sort_by_key(|condition| condition["type"].to_string());
    }
    if status["conditions"].is_null() {
        status["conditions"] = json!([]);
    }
    let mut of_metadata = json!({"ends": metadata["deletionTimestamp"].is_string()});
    for key in ["name", "labels", "annotations", "finalizers", "generation", "deletionGracePeriodSeconds"] {
        of_metadata[key] = metadata[key].clone();
    }
    json!({"code": code, "metadata": of_metadata, "spec": body["spec"], "status": status})
}
