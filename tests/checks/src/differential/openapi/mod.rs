//! `cargo xtask check differential openapi`: compares what another API server publishes of its kinds with what ours does.

mod compare;
pub(super) mod facts;
mod listed;
mod theirs;

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use hubgen_server::openapi::{Release, Sources, gnostic};
use serde_json::Value;

use self::compare::{Context, Difference, Served, differences};
use self::facts::Facts;
use self::theirs::{Document, Documents};
use super::ask::{self, Server};
use super::exchange::Request;
use super::ours::Ours;
use crate::{Failure, Report};

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// Recorded documents, one per line; `-` for standard input; a folder of published documents; or the URL of an API
    /// server, which is only read
    #[arg(long, value_name = "FILE-OR-URL")]
    against: String,
    /// Let ours publish the fields of a release, and compare only which fields schemas have
    ///
    /// What else is published of them has changed from release to release.
    #[arg(long, value_name = "RELEASE")]
    release: Option<Release>,
    /// Record only these documents, such as apis/apps/v1
    #[arg(long, value_name = "PATH", requires = "record")]
    only: Vec<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: Server,
}

/// Compares each document with ours: the same paths, schemas and operations, and the same bytes in protobuf.
///
/// # Errors
/// If there is nothing to compare with, or our server does not start.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let theirs = if ask::is_url(&args.against) {
        let theirs = theirs::ask(&args.against, &args.server)?;
        if let Some(file) = args.server.record() {
            theirs::record(&theirs, &args.only, file)?;
        }
        theirs
    } else {
        theirs::read(&args.against)?
    };
    let mut published = Sources::default();
    published.distilled(hubgen_schemas::kubernetes());
    if let Some(release) = args.release {
        published.release(release);
    }
    let ours = Ours::publishing(published)?;
    let facts = if args.release.is_some() { Facts::names } else { Facts::of };
    Ok(compare(&theirs, &ours, facts)?.print(args.json))
}

/// What is counted.
#[derive(Default)]
struct Tally {
    documents: usize,
    equal: usize,
    listed: BTreeMap<&'static str, BTreeSet<String>>,
    differing: usize,
    encodings: usize,
    failures: Vec<Failure>,
}

fn compare(theirs: &Documents, ours: &Ours, facts: fn(&Value) -> Facts) -> Result<Report, String> {
    let mut tally = Tally::default();
    let served = Served::read(&mut |path| fetch(ours, path))?;
    for Document { path, text, protobuf } in &theirs.documents {
        tally.documents += 1;
        if let Some(bytes) = protobuf {
            tally.encodings += 1;
            let is_swagger = path == theirs::SWAGGER;
            let made = if is_swagger { gnostic::v2(text) } else { gnostic::v3(text) };
            if made.map_err(|error| error.to_string())? != *bytes {
                tally.fail(path, "", "the document is encoded otherwise in protobuf".to_owned());
            }
        }
        let document: Value = serde_json::from_str(text).map_err(|error| format!("{path}: {error}"))?;
        let answer = ours.send(&request(&theirs::url(path)))?;
        let found = if answer.code == 200 {
            serde_json::from_slice(&answer.body).map_err(|error| format!("{path}: {error}"))?
        } else {
            Value::Null
        };
        if answer.code != 200 && !served.has(path) {
            tally.list(listed::NOT_SERVED, path.clone());
            continue;
        }
        let context = Context::of(&document, &found, &served, path == theirs::SWAGGER);
        tally.take(path, &facts(&document), &facts(&found), &context);
    }
    let Tally { documents, equal, listed, differing, encodings, failures } = tally;
    let mut notes: Vec<String> =
        listed.iter().map(|(why, where_)| format!("{why}: {} of ours differ so", where_.len())).collect();
    notes.extend(theirs.left_out.iter().cloned());
    let total = equal + differing + listed.values().flatten().collect::<BTreeSet<_>>().len();
    Ok(Report {
        what: "paths, schemas and operations",
        passed: total + encodings - failures.len(),
        total: total + encodings,
        details: vec![
            ("documents", documents),
            ("equal", equal),
            ("with listed differences", total - equal - differing),
            ("different", differing),
            ("documents in protobuf compared byte for byte", encodings),
        ],
        failures,
        notes,
    })
}

impl Tally {
    fn take(&mut self, path: &str, theirs: &Facts, ours: &Facts, context: &Context<'_>) {
        let names: BTreeSet<&String> = theirs.0.keys().chain(ours.0.keys()).collect();
        for name in names {
            let found = differences(theirs.0.get(name), ours.0.get(name));
            if found.is_empty() {
                self.equal += 1;
                continue;
            }
            let place = format!("{path} {name}");
            let whys: Vec<_> =
                found.iter().map(|difference| listed::why(name, difference, context)).collect();
            match found.iter().zip(&whys).find(|(_, why)| why.is_none()) {
                Some((Difference { at, theirs, ours }, _)) => {
                    self.differing += 1;
                    let shown =
                        |value: &Option<Value>| value.as_ref().map_or("nothing".to_owned(), Value::to_string);
                    self.fail(
                        &place,
                        &at.join("/"),
                        format!("theirs has {}, ours {}", shown(theirs), shown(ours)),
                    );
                }
                None => whys.into_iter().flatten().for_each(|why| self.list(why, place.clone())),
            }
        }
    }

    fn list(&mut self, why: &'static str, place: String) {
        self.listed.entry(why).or_default().insert(place);
    }

    fn fail(&mut self, file: &str, path: &str, message: String) {
        self.failures.push(Failure { file: file.to_owned(), path: path.to_owned(), message });
    }
}

fn request(path: &str) -> Request {
    let headers = vec![("Accept".to_owned(), "application/json".to_owned())];
    Request { method: "GET".to_owned(), path: path.to_owned(), headers, body: Vec::new() }
}

/// An answer of our server.
fn fetch(ours: &Ours, path: &str) -> Result<Value, String> {
    let answer = ours.send(&request(path))?;
    serde_json::from_slice(&answer.body).map_err(|error| format!("{path}: {error}"))
}
