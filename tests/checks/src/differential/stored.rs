//! Compares what a server has stored, as `hubgen decode` reads it, with the answers of that server; and what a snapshot of
//! etcd contains with what etcd answers.
//!
//! An answer belongs to the stored value with the same uid. At the stored version they must be
//! equal, in some cases after defaulting, which a server does with everything that it reads. At
//! other versions they must be equal after conversion.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hubgen_kubernetes::machinery::scalar::Time;
use hubgen_migrate::{Known as Kinds, Target};
use hubgen_stored::{Decoded, Decoder, Finding, Snapshot, Stored, Values};
use serde_json::Value;

use super::ask::{self, Server};
use crate::annotations::is_ours;
use crate::compare::{Difference, first_difference};
use crate::{Failure, Report};

/// Arguments of `stored`.
#[derive(clap::Args)]
pub struct Args {
    /// The stored values, as `etcdctl get --prefix "" -w json` prints them
    #[arg(long, value_name = "FILE", required_unless_present = "snapshot")]
    dump: Option<PathBuf>,
    /// The stored values, in a snapshot of etcd; with --dump, each value is compared with that of the dump
    #[arg(long, value_name = "FILE")]
    snapshot: Option<PathBuf>,
    /// The revision of the snapshot, instead of the newest one
    #[arg(long, value_name = "N", requires = "snapshot")]
    revision: Option<u64>,
    /// The server's answers: one line of JSON for each object at each version, with the object in
    /// `object`; or the URL of the server
    #[arg(long, value_name = "FILE-OR-URL", required_unless_present_all = ["dump", "snapshot"])]
    against: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: Server,
}

/// Compares every answer with its stored value, or every value of a snapshot with that of a dump.
///
/// # Errors
/// If the server cannot be reached, or the dump, the snapshot or the answers cannot be read.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let dump = args.dump.as_deref().map(dumped).transpose()?;
    let snapshot = args.snapshot.as_deref().map(|path| snapshotted(path, args.revision)).transpose()?;
    let (values, against) = match (dump, snapshot, &args.against) {
        (Some(dump), Some(snapshot), None) => return Ok(same(&dump, &snapshot).print(args.json)),
        (Some(values), None, Some(against)) | (None, Some(values), Some(against)) => (values, against),
        _ => return Err("--against: expected --dump or --snapshot, found both".to_owned()),
    };
    let answers =
        if ask::is_url(against) { ask::stored(against, &args.server)? } else { PathBuf::from(against) };
    Ok(compare(&values, &answers)?.report().print(args.json))
}

fn at(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

/// The values in the output of `etcdctl`.
fn dumped(path: &Path) -> Result<Vec<Stored>, String> {
    let dump = fs::read(path).map_err(|error| at(path, &error))?;
    Ok(Values::parse(&dump).map_err(|error| at(path, &error))?.into_iter().collect())
}

/// The values in a snapshot.
fn snapshotted(path: &Path, revision: Option<u64>) -> Result<Vec<Stored>, String> {
    let mut snapshot = Snapshot::open(path).map_err(|error| at(path, &error))?;
    if let Some(finding) = snapshot.findings().first() {
        return Err(at(path, finding));
    }
    let state = snapshot.state(revision, b"").map_err(|error| at(path, &error))?;
    snapshot.values(state).collect::<Result<_, _>>().map_err(|error| at(path, &error))
}

/// Compares each value of a snapshot with that of a dump.
fn same(dump: &[Stored], snapshot: &[Stored]) -> Report {
    let by_key = |values: &[Stored]| -> BTreeMap<String, Stored> {
        values.iter().map(|stored| (stored.key.clone().unwrap_or_default(), stored.clone())).collect()
    };
    let (dump, mut snapshot) = (by_key(dump), by_key(snapshot));
    let mut failures = Vec::new();
    let mut fail = |key: &str, path: &str, message: &str| {
        failures.push(Failure { file: key.to_owned(), path: path.to_owned(), message: message.to_owned() });
    };
    let mut passed = 0;
    for (key, stored) in &dump {
        match snapshot.remove(key) {
            Some(found) if found == *stored => passed += 1,
            Some(found) if found.bytes == stored.bytes => {
                fail(key, "revision", "the snapshot has another one than the dump");
            }
            Some(_) => fail(key, "value", "the snapshot has another one than the dump"),
            None => fail(key, "value", "the snapshot has none"),
        }
    }
    snapshot.keys().for_each(|key| fail(key, "value", "the dump has none"));
    let total = passed + failures.len();
    Report {
        what: "values of the snapshot",
        passed,
        total,
        details: vec![("equal", passed), ("different", failures.len())],
        failures,
        notes: Vec::new(),
    }
}

/// The results of the comparison.
#[derive(Default)]
struct Tally {
    /// `apiVersion kind` of everything that was compared.
    versions: BTreeSet<String>,
    as_stored: usize,
    defaulted: usize,
    converted: usize,
    failures: Vec<Failure>,
    values: usize,
    /// Keys of values without an answer, and the reason if they cannot be read.
    unanswered: Vec<String>,
    /// Reasons for not comparing answers, with the number of answers.
    left_out: BTreeMap<String, usize>,
}

impl Tally {
    fn report(self) -> Report {
        let passed = self.as_stored + self.defaulted + self.converted;
        let unanswered = self.unanswered.iter().map(|key| format!("no answer for {key}"));
        let left_out = self.left_out.iter().map(|(why, count)| format!("left out: {why} ({count} answers)"));
        let notes: Vec<String> = unanswered.chain(left_out).collect();
        Report {
            what: "answers for stored values",
            passed,
            total: passed + self.failures.len(),
            details: vec![
                ("values", self.values),
                ("without an answer", self.unanswered.len()),
                ("kinds and versions", self.versions.len()),
                ("equal as stored", self.as_stored),
                ("equal once defaulted", self.defaulted),
                ("equal at another version", self.converted),
                ("different", self.failures.len()),
            ],
            failures: self.failures,
            notes,
        }
    }
}

/// A stored value, and the object in it.
struct Known<'a> {
    key: &'a str,
    stored: &'a Stored,
    object: Value,
}

fn compare(values: &[Stored], answers_file: &Path) -> Result<Tally, String> {
    let answers = fs::read_to_string(answers_file).map_err(|error| at(answers_file, &error))?;
    let kinds = Kinds::kubernetes();
    let mut tally = Tally::default();
    let mut known = HashMap::new();
    let mut unanswered = BTreeSet::new();
    for stored in values {
        tally.values += 1;
        let key = stored.key.as_deref().unwrap_or_default();
        match decode(&kinds, stored, None, false) {
            Ok(Decoded::Object(object, _)) => {
                unanswered.insert(key);
                if let Some(uid) = object["metadata"]["uid"].as_str() {
                    known.insert(uid.to_owned(), Known { key, stored, object });
                }
            }
            Ok(Decoded::Unknown(why)) => {
                tally.unanswered.push(format!("{key}, which cannot be read: {why}"));
            }
            Err(Finding { path, message, .. }) => {
                tally.failures.push(Failure { file: key.to_owned(), path, message });
            }
        }
    }
    for (number, line) in answers.lines().enumerate() {
        let at = |error: &dyn std::fmt::Display| at(answers_file, &format!("line {}: {error}", number + 1));
        let mut answer: Value = serde_json::from_str(line).map_err(|error| at(&error))?;
        let answer = answer["object"].take();
        if !answer.is_object() {
            return Err(at(&"expected an object `object`, found none"));
        }
        // Objects that are created on request have no uid.
        let uid = answer["metadata"]["uid"].as_str().unwrap_or_default();
        let Some(known) = known.get(uid) else {
            let kind = answer["kind"].as_str().unwrap_or_default();
            *tally.left_out.entry(format!("{kind}, which is not among the values")).or_default() += 1;
            continue;
        };
        unanswered.remove(known.key);
        let revision = known.stored.revision.map(|revision| Value::from(revision.to_string()));
        if revision.is_some_and(|revision| revision != answer["metadata"]["resourceVersion"]) {
            let why = format!("{}, which was changed between the dump and the answer", known.key);
            *tally.left_out.entry(why).or_default() += 1;
            continue;
        }
        tally.take(&kinds, known, &answer)?;
    }
    tally.unanswered.extend(unanswered.into_iter().map(str::to_owned));
    Ok(tally)
}

impl Tally {
    fn take(&mut self, kinds: &Kinds, known: &Known<'_>, answer: &Value) -> Result<(), String> {
        let text = |object: &Value, name: &str| object[name].as_str().unwrap_or_default().to_owned();
        let (version, kind) = (text(answer, "apiVersion"), text(answer, "kind"));
        let stored_version = text(&known.object, "apiVersion");
        let is_stored_so = version == stored_version;
        if !is_stored_so && kinds.scheme.named(&stored_version, &kind).is_none() {
            let why = format!("{version} {kind}, a custom resource stored at {stored_version}");
            *self.left_out.entry(why).or_default() += 1;
            return Ok(());
        }
        self.versions.insert(format!("{version} {kind}"));
        if is_stored_so && difference(known, known.object.clone(), answer).is_none() {
            self.as_stored += 1;
            return Ok(());
        }
        let target = (!is_stored_so).then(|| Target::versions(&kinds.scheme, [&version])).transpose();
        let target = target.map_err(|error| error.to_string())?;
        let message = match decode(kinds, known.stored, target.as_ref(), true) {
            Ok(Decoded::Object(object, _)) => match difference(known, object, answer) {
                None if is_stored_so => {
                    self.defaulted += 1;
                    return Ok(());
                }
                None => {
                    self.converted += 1;
                    return Ok(());
                }
                Some(Difference { path, message }) => format!("{path}: {message}"),
            },
            Ok(Decoded::Unknown(finding)) | Err(finding) => finding.to_string(),
        };
        self.failures.push(Failure {
            file: known.key.to_owned(),
            path: format!("{version} {kind}"),
            message,
        });
        Ok(())
    }
}

fn decode(
    kinds: &Kinds,
    stored: &Stored,
    target: Option<&Target>,
    sets_defaults: bool,
) -> Result<Decoded, Finding> {
    // Defaults that depend on the time were set when the value was stored.
    Decoder { target, sets_defaults, now: Time::default(), ..Decoder::new(kinds) }.decode(&stored.bytes)
}

/// The first difference between an answer and the value as we read it. A server sets the resource
/// version of what it reads, and does not have hubgen's annotations.
fn difference(known: &Known<'_>, mut ours: Value, answer: &Value) -> Option<Difference> {
    if let Some(revision) = known.stored.revision {
        ours["metadata"]["resourceVersion"] = revision.to_string().into();
    }
    if let Some(Value::Object(annotations)) = ours["metadata"].get_mut("annotations") {
        annotations.retain(|key, _| !is_ours(key));
        if annotations.is_empty()
            && let Value::Object(metadata) = &mut ours["metadata"]
        {
            metadata.shift_remove("annotations");
        }
    }
    first_difference(answer, &ours)
}
