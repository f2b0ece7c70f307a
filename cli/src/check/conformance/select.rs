//! A few answers out of many, in which everything still happens: for recordings
//! that are kept.
//!
//! What happens in a record is that a leaf is there afterwards, is gone, has
//! another value or is said already; in a conversion, two changes together are
//! a third thing. Records are taken until every thing that happens in any of
//! them happens in one that is taken, those first in which most happens for
//! their length. What happens deep inside, as in the pods of templates, need
//! happen at one kind only, and lists of objects say nothing that the objects
//! do not.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use serde_json::{Map as Members, Value};

use super::compare::{general, is_unknown};
use super::record::Record;

/// Arguments of `select`.
#[derive(clap::Args)]
pub struct Args {
    /// The longest record that is taken, in bytes.
    #[arg(long, default_value_t = 3000)]
    longest: usize,
    /// How many records of a kind at a version to take at most.
    #[arg(long, default_value_t = 12)]
    most: usize,
}

/// Reads answers from standard input and writes those selected.
pub fn run(args: &Args) -> ExitCode {
    match select(args, &mut io::stdin().lock(), &mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// A record, and all that happens in it.
struct Candidate {
    line: String,
    features: BTreeSet<u32>,
}

fn select(args: &Args, input: &mut dyn BufRead, out: &mut dyn Write) -> io::Result<()> {
    let mut kinds: BTreeMap<String, Vec<Candidate>> = BTreeMap::new();
    let mut names: HashMap<String, u32> = HashMap::new();
    for (number, line) in input.lines().enumerate() {
        let wrong = |error: String| {
            io::Error::new(io::ErrorKind::InvalidData, format!("line {}: {error}", number + 1))
        };
        let mut value: Value = serde_json::from_str(&line?).map_err(|error| wrong(error.to_string()))?;
        forget(&mut value);
        let line = value.to_string();
        if line.len() > args.longest {
            continue;
        }
        let record = Record::read(&line).map_err(wrong)?;
        let (version, kind) = record.name();
        if record.answer.is_err() || (!record.default && record.versions.is_empty()) || kind.ends_with("List")
        {
            continue;
        }
        let name = format!("{version} {kind}");
        let mut features = BTreeSet::new();
        for happening in happenings(&record) {
            let everywhere = record.versions.is_empty() && happening.is_deep;
            let happening = if everywhere { happening.text } else { format!("{name} {}", happening.text) };
            let next = u32::try_from(names.len()).expect("few things happen");
            features.insert(*names.entry(happening).or_insert(next));
        }
        kinds.entry(name).or_default().push(Candidate { line, features });
    }
    let mut seen = BTreeSet::new();
    for candidates in kinds.values_mut() {
        for line in take(candidates, args.most, &mut seen) {
            writeln!(out, "{line}")?;
        }
    }
    out.flush()
}

/// Takes out the versions that the other side does not know, and its own one
/// where nothing became of it.
fn forget(record: &mut Value) {
    let own = record["answer"].take();
    let mut known = Vec::new();
    if let Some(Value::Object(versions)) = record.get_mut("versions") {
        versions.retain(|_, answer| !answer["error"].as_str().is_some_and(is_unknown) && *answer != own);
        known.extend(versions.keys().cloned().map(Value::from));
    }
    if !own.is_null() {
        record["answer"] = own;
    }
    if let Some(to) = record.get_mut("to") {
        *to = known.into();
    }
}

fn take(candidates: &mut Vec<Candidate>, most: usize, seen: &mut BTreeSet<u32>) -> Vec<String> {
    let mut taken = Vec::new();
    while taken.len() < most {
        let worth = |candidate: &Candidate| {
            let new = candidate.features.difference(seen).count();
            // In millionths, for whole numbers to compare.
            new * 1_000_000 / (candidate.line.len() + 300)
        };
        let Some(best) = (0..candidates.len()).max_by_key(|index| worth(&candidates[*index])) else { break };
        if worth(&candidates[best]) == 0 {
            break;
        }
        let candidate = candidates.swap_remove(best);
        seen.extend(candidate.features);
        taken.push(candidate.line);
    }
    taken
}

/// Something that happens in a record.
struct Happening {
    text: String,
    /// Whether it does deep inside the object.
    is_deep: bool,
}

/// From so many names on, a path is deep.
const DEEP: usize = 4;

fn happenings(record: &Record) -> Vec<Happening> {
    let Ok(answer) = &record.answer else { return Vec::new() };
    let answer = leaves(answer);
    let said = |path: &String| Happening::new('=', path, "");
    if record.versions.is_empty() {
        let object = record.object.as_object().map(leaves).unwrap_or_default();
        let mut out = changes(&object, &answer);
        out.extend(object.keys().map(said));
        out.push(Happening::new('+', "any", ""));
        return out;
    }
    let mut out = Vec::new();
    for (version, there) in &record.versions {
        let changes = match there {
            Ok(there) => changes(&answer, &leaves(there)),
            Err(_) => vec![Happening::new('-', "refused", "")],
        };
        for (index, change) in changes.iter().enumerate() {
            let others = if changes.len() <= PAIRS { &changes[index + 1..] } else { &[] };
            let pair = |other: &Happening| format!("{version} {} {}", change.text, other.text);
            let texts = others.iter().map(pair).chain([format!("{version} {}", change.text)]);
            out.extend(texts.map(|text| Happening { text, is_deep: change.is_deep }));
        }
    }
    if out.is_empty() {
        // All fields go over, and shallow ones are enough to see that.
        out.extend(answer.keys().filter(|path| path.matches('.').count() < 2).map(said));
    }
    out
}

/// Of so many changes all pairs are looked at.
const PAIRS: usize = 10;

fn changes(before: &BTreeMap<String, Value>, after: &BTreeMap<String, Value>) -> Vec<Happening> {
    let gone = before.keys().filter(|path| !after.contains_key(*path));
    let new = after.iter().filter(|(path, _)| !before.contains_key(*path)).map(|(path, value)| {
        // A word is a default; what is longer came from somewhere.
        let text = value.to_string();
        Happening::new('+', path, if text.len() < 20 { &text } else { "" })
    });
    let other = after.iter().filter(|(path, value)| before.get(*path).is_some_and(|before| before != *value));
    let gone = gone.map(|path| Happening::new('-', path, ""));
    gone.chain(new).chain(other.map(|(path, _)| Happening::new('~', path, ""))).collect()
}

impl Happening {
    fn new(what: char, path: &str, value: &str) -> Self {
        Self { text: format!("{what}{}={value}", end(path)), is_deep: path.matches('.').count() >= DEEP }
    }
}

/// The last two names of a path: most things happen to a field wherever it is.
fn end(path: &str) -> &str {
    let mut dots = path.rmatch_indices('.').map(|(at, _)| at);
    match (dots.next(), dots.next()) {
        (Some(_), Some(at)) => &path[at + 1..],
        _ => path,
    }
}

/// All leaves that hold something, by path without positions; those of JSON in
/// an annotation, too.
fn leaves(object: &Members<String, Value>) -> BTreeMap<String, Value> {
    let mut out = BTreeMap::new();
    for (name, value) in object.iter().filter(|(name, _)| *name != "apiVersion") {
        walk(value, name.clone(), &mut out);
    }
    out
}

fn walk(value: &Value, path: String, out: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(name, value)| walk(value, format!("{path}.{name}"), out));
        }
        Value::Array(elements) if !elements.is_empty() => {
            elements.iter().for_each(|value| walk(value, format!("{path}[]"), out));
        }
        Value::String(text) if path.starts_with("metadata.annotations") && text.starts_with(['[', '{']) => {
            match serde_json::from_str::<Value>(text) {
                Ok(value @ (Value::Object(_) | Value::Array(_))) => walk(&value, format!("{path}!"), out),
                _ => drop(out.insert(general(&path), value.clone())),
            }
        }
        Value::Null => {}
        Value::String(text) if text.is_empty() => {}
        _ => drop(out.insert(general(&path), value.clone())),
    }
}
