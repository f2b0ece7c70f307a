//! `cargo xtask check differential definitions`: compares what another API server and ours make of objects whose kinds come from
//! CustomResourceDefinitions.
//!
//! Each definition is created in both, for a group of its own. Then objects that its schemas allow, and objects that are wrong in
//! one place, are created, read at every version, updated, patched, applied and deleted at each version that is served.

mod compare;
mod listed;
mod odd;
mod requests;
mod side;
mod world;
mod wrong;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::process::ExitCode;

use hubgen_server::openapi::Sources;
use serde_json::{Value, json};

use self::side::Side;
use super::answers::{self, Verdict};
use super::ask::{self, http};
use super::ours::Ours;
use crate::{Failure, Report};

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The answers of another implementation, one per line, `-` for standard input, or the URL of an API server
    ///
    /// The check creates the definitions in that server, for groups of their own, and deletes them.
    #[arg(long, value_name = "FILE-OR-URL")]
    against: String,
    /// Files and folders with definitions, in YAML or JSON; answers in a file have theirs
    #[arg(value_name = "FILE")]
    definitions: Vec<PathBuf>,
    /// How many objects are created at each version
    #[arg(long, default_value_t = 20)]
    count: u64,
    /// The seed of the objects
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Leave the rules in CEL in the schemas
    #[arg(long)]
    rules: bool,
    /// Compare the schemas and operations in the documents of OpenAPI, too
    #[arg(long)]
    openapi: bool,
    /// Record the answers of the API server in this file
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// How many differences are printed
    #[arg(long, value_name = "NUMBER", default_value_t = 40)]
    shown: usize,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: http::Options,
}

/// Compares the answers of both servers, or recorded ones with those of ours.
///
/// # Errors
/// If a server does not answer, or a line is no record.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let lines = if ask::is_url(&args.against) { asked(args)? } else { answers::recorded(&args.against)? };
    answers::record(&lines, args.record.as_deref())?;
    let mut report = compared(&lines)?;
    report.failures.truncate(args.shown);
    Ok(report.print(args.json))
}

/// The definitions and the requests, with the answers of the other server.
fn asked(args: &Args) -> Result<Vec<Value>, String> {
    let theirs = Side::Theirs(http::Client::new(&args.against, &args.options)?);
    let mut lines = Vec::new();
    for definition in world::definitions(&args.definitions, args.rules)? {
        // Another run may have left it.
        theirs.undefine(&definition)?;
        if theirs.refuses(&definition)? {
            lines.push(json!({"refused": definition}));
            continue;
        }
        let about = about(&theirs, &definition, args, &mut lines);
        theirs.undefine(&definition)?;
        about?;
    }
    Ok(lines)
}

/// What is asked about the objects of one definition: first while it allows anything, and then as it is.
fn about(theirs: &Side, definition: &Value, args: &Args, lines: &mut Vec<Value>) -> Result<(), String> {
    let answered = |asked: Vec<Value>, lines: &mut Vec<Value>| {
        asked.into_iter().try_for_each(|ask| {
            // A handler that panics ends the connection, and the next request opens another one.
            let answer = theirs.send(&ask).unwrap_or_else(|error| json!({"error": error}));
            lines.push(json!({"ask": ask, "answer": answer}));
            Ok::<_, String>(())
        })
    };
    let (before, after) = requests::ratcheting(definition, args.count, args.seed)?;
    let loose = world::loose(definition);
    theirs.define(&loose)?;
    lines.push(json!({"definition": loose}));
    answered(before, lines)?;
    theirs.redefine(definition)?;
    lines.push(json!({"redefinition": definition}));
    answered(after, lines)?;
    answered(requests::of(definition, args.count, args.seed)?, lines)?;
    // Last, because the other server publishes late.
    answered(requests::of_documents(definition, args.openapi), lines)
}

/// Asks a server of ours the same, and compares.
fn compared(lines: &[Value]) -> Result<Report, String> {
    let mut sources = Sources::default();
    sources.distilled(hubgen_schemas::kubernetes());
    let ours = Side::Ours(Box::new(Ours::publishing(sources)?));
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    let (mut failures, mut definition, mut total) = (Vec::new(), String::new(), 0);
    let (mut floats, mut before) = (HashSet::new(), None);
    for (number, line) in lines.iter().enumerate() {
        if let Some(refused) = line.get("refused") {
            *counts.entry("definitions refused").or_default() += 1;
            total += 1;
            if !ours.refuses(refused)? {
                failures.push(Failure {
                    file: format!("line {} {}", number + 1, refused["metadata"]["name"]),
                    path: String::new(),
                    message: "the definition is accepted here".to_owned(),
                });
            }
            continue;
        }
        if let Some(defined) = line.get("definition") {
            // What is published of a group depends on the others.
            before.replace(defined).map_or(Ok(()), |before| ours.undefine(before))?;
            ours.define(defined)?;
            defined["metadata"]["name"].as_str().unwrap_or_default().clone_into(&mut definition);
            *counts.entry("definitions").or_default() += 1;
            continue;
        }
        if let Some(defined) = line.get("redefinition") {
            ours.redefine(defined)?;
            continue;
        }
        let (ask, theirs) = (&mut line["ask"].clone(), &line["answer"]);
        let found = ours.send(ask)?;
        total += 1;
        let object = format!("{definition}/{}", requests::name_of(ask));
        if has_whole_float(&ask["body"]) {
            floats.insert(object.clone());
        }
        if floats.contains(&object) {
            ask["wroteWholeFloats"] = true.into();
        }
        if ask["method"] == "PUT" && requests::name_of(ask).starts_with("r-") {
            *counts.entry("updates of changed objects").or_default() += 1;
        }
        let is_refused = theirs["code"].as_u64().is_some_and(|code| code >= 400);
        *counts.entry(if is_refused { "refused" } else { "accepted" }).or_default() += 1;
        match compare::judge(ask, theirs, &found) {
            Verdict::Equal => {}
            Verdict::Listed(name) => *counts.entry(name).or_default() += 1,
            Verdict::Different(why) => failures.push(Failure {
                file: format!("line {} {definition}", number + 1),
                path: format!(
                    "{} {}",
                    ask["method"].as_str().unwrap_or_default(),
                    ask["path"].as_str().unwrap_or_default()
                ),
                message: format!("{why}; sent {}", ask["body"]),
            }),
        }
    }
    let passed = total - failures.len();
    counts.insert("different", failures.len());
    let details = counts.into_iter().collect();
    Ok(Report { what: "answers about custom resources", passed, total, details, failures, notes: Vec::new() })
}

/// Whether a number is written as `1.0` in a body.
fn has_whole_float(body: &Value) -> bool {
    match body {
        Value::Number(number) => {
            number.is_f64() && number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        Value::Array(items) => items.iter().any(has_whole_float),
        Value::Object(members) => members.values().any(has_whole_float),
        _ => false,
    }
}
