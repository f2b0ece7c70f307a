//! Selects a few answers that together have the same effects as all answers, for recordings.
//!
//! An effect of a conversion or of defaults is that a leaf of the object is added, removed, changed
//! or copied. For protobuf, an effect is that a leaf is written. Records are selected until each
//! effect of any record is an effect of a selected one; records with many effects for their length
//! are selected first. Effects of defaults deep inside an object, such as in the pods of templates,
//! need to occur for one kind only. A refusal is an effect as well, and lists are kinds like
//! others.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use hubgen_kubernetes::machinery::reflect::Descriptor;
use serde_json::{Map as Members, Value};

use super::compare::is_unknown;
use super::encoded::Encoded;
use super::path::general;
use super::record::Record;

/// Arguments of `select`.
#[derive(clap::Args)]
pub struct Args {
    /// The longest object to select, in bytes of JSON
    #[arg(long, default_value_t = 800)]
    longest: usize,
    /// The number of records to select for each pair of effects that occur together
    #[arg(long, default_value_t = 1)]
    pairs: usize,
    /// The most records to select for one kind at one version
    #[arg(long, default_value_t = 14)]
    most: usize,
}

/// Reads answers from standard input and writes the selected ones.
///
/// # Errors
/// If a line is not an answer.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let done = select(args, &mut io::stdin().lock(), &mut io::stdout().lock());
    done.map(|()| ExitCode::SUCCESS).map_err(|error| error.to_string())
}

/// A record and its effects.
struct Candidate {
    line: String,
    features: BTreeSet<u32>,
    /// Pairs of effects.
    pairs: BTreeSet<u32>,
    /// Whether all its effects are copied leaves.
    is_plain: bool,
}

/// The number of records for a kind without other effects.
const PLAIN: usize = 1;

fn select(args: &Args, input: &mut dyn BufRead, out: &mut dyn Write) -> io::Result<()> {
    let mut kinds: BTreeMap<String, Vec<Candidate>> = BTreeMap::new();
    let mut names: HashMap<String, u32> = HashMap::new();
    let scheme = hubgen_kubernetes::scheme();
    for (number, line) in input.lines().enumerate() {
        let wrong = |error: String| {
            io::Error::new(io::ErrorKind::InvalidData, format!("line {}: {error}", number + 1))
        };
        let mut value: Value = serde_json::from_str(&line?).map_err(|error| wrong(error.to_string()))?;
        forget(&mut value);
        let line = value.to_string();
        if value.get("encode").is_some() {
            let Encoded { object, protobuf } = Encoded::read(&line).map_err(wrong)?;
            let length = object.len();
            let object: Value = serde_json::from_str(&object).map_err(|error| wrong(error.to_string()))?;
            let name = ["apiVersion", "kind"].map(|name| object[name].as_str().unwrap_or_default());
            let Some(entry) = scheme.named(name[0], name[1]) else { continue };
            if length > args.longest {
                continue;
            }
            // Many versions have the same types of options.
            let of: *const Descriptor = &*entry.descriptor();
            let mut features = BTreeSet::from([number_of(&mut names, format!("{of:p}"))]);
            if protobuf.is_err() {
                features.insert(number_of(&mut names, format!("{of:p} refused")));
            }
            // A refused object has no protobuf.
            let written =
                protobuf.is_ok().then(|| object.as_object().map(leaves)).flatten().unwrap_or_default();
            for path in written.keys() {
                let written = Effect::new('=', path, "");
                // Types deep inside an object belong to other kinds, too.
                let text = if written.is_deep { written.text } else { format!("{of:p} {}", written.text) };
                features.insert(number_of(&mut names, text));
            }
            let candidate = Candidate { line, features, pairs: BTreeSet::new(), is_plain: false };
            kinds.entry(name.join(" ")).or_default().push(candidate);
            continue;
        }
        let record = Record::read(&line).map_err(wrong)?;
        let (version, kind) = record.name();
        let is_for_nothing = record.versions.is_empty() && (value.get("to").is_some() || !record.default);
        let is_long = record.object.to_string().len() > args.longest;
        if is_long || (is_for_nothing && record.answer.is_ok()) {
            continue;
        }
        let name = format!("{version} {kind}");
        let effects = effects(&record);
        let is_plain = effects.iter().all(|effect| effect.text.starts_with('='));
        let mut number = |text| number_of(&mut names, text);
        let features: BTreeSet<u32> = effects
            .into_iter()
            .map(|effect| {
                let is_default = record.versions.is_empty();
                number(match effect.text {
                    text if is_default && effect.is_deep => text,
                    // Without defaults, one version is enough.
                    text if is_default && is_plain => format!("{kind} {text}"),
                    text => format!("{name} {text}"),
                })
            })
            .collect();
        let pairs = pairs(&features).map(|(one, other)| number(format!("{one} {other}"))).collect();
        kinds.entry(name).or_default().push(Candidate { line, features, pairs, is_plain });
    }
    let mut seen = BTreeSet::new();
    for candidates in kinds.values_mut() {
        let is_plain = candidates.iter().all(|candidate| candidate.is_plain);
        let (most, more) = if is_plain { (args.most.min(PLAIN), 0) } else { (args.most, args.pairs) };
        let mut taken = take(candidates, most, |candidate| &candidate.features, &mut seen);
        let mut seen = taken.iter().flat_map(|candidate| &candidate.pairs).copied().collect();
        taken.extend(take(candidates, more, |candidate| &candidate.pairs, &mut seen));
        for candidate in taken {
            writeln!(out, "{}", candidate.line)?;
        }
    }
    out.flush()
}

/// The number of an effect; a new effect gets a new number.
fn number_of(names: &mut HashMap<String, u32>, text: String) -> u32 {
    let next = u32::try_from(names.len()).expect("few things happen");
    *names.entry(text).or_insert(next)
}

/// Removes the versions that the other side does not know, and the object's own version if it is
/// unchanged.
fn forget(record: &mut Value) {
    let own = record.get("answer").cloned();
    let mut known = Vec::new();
    if let Some(Value::Object(versions)) = record.get_mut("versions") {
        versions.retain(|_, answer| {
            !answer["error"].as_str().is_some_and(is_unknown) && Some(&*answer) != own.as_ref()
        });
        known.extend(versions.keys().cloned().map(Value::from));
    }
    if let Some(to) = record.get_mut("to") {
        *to = known.into();
    }
}

/// Takes the records with the most new effects, as long as there are any.
fn take(
    candidates: &mut Vec<Candidate>,
    most: usize,
    features: fn(&Candidate) -> &BTreeSet<u32>,
    seen: &mut BTreeSet<u32>,
) -> Vec<Candidate> {
    let mut taken = Vec::new();
    while taken.len() < most {
        let worth = |candidate: &Candidate| {
            let new = features(candidate).difference(seen).count();
            // In millionths, so that integers can be compared.
            new * 1_000_000 / (candidate.line.len() + 300)
        };
        let Some(best) = (0..candidates.len()).max_by_key(|index| worth(&candidates[*index])) else { break };
        if worth(&candidates[best]) == 0 {
            break;
        }
        let candidate = candidates.swap_remove(best);
        seen.extend(features(&candidate));
        taken.push(candidate);
    }
    taken
}

/// An effect in a record.
struct Effect {
    text: String,
    /// Whether it is deep inside the object.
    is_deep: bool,
}

/// Paths with at least this many names are deep.
const DEEP: usize = 4;

fn effects(record: &Record) -> Vec<Effect> {
    let Ok(answer) = &record.answer else { return vec![Effect::new('-', "refused", "")] };
    let answer = leaves(answer);
    let written = |path: &String| Effect::new('=', path, "");
    if record.versions.is_empty() {
        let object = record.object.as_object().map(leaves).unwrap_or_default();
        let mut out = changes(&object, &answer, true);
        out.extend(object.keys().map(written));
        out.push(Effect::new('=', "any", ""));
        return out;
    }
    let mut out = Vec::new();
    for (version, there) in &record.versions {
        let changes = match there {
            Ok(there) => changes(&answer, &leaves(there), false),
            Err(_) => vec![Effect::new('-', "refused", "")],
        };
        let at_version = |change: Effect| Effect { text: format!("{version} {}", change.text), ..change };
        out.extend(changes.into_iter().map(at_version));
    }
    if out.is_empty() {
        // All fields are copied; shallow ones are enough to check that.
        out.extend(answer.keys().filter(|path| path.matches('.').count() < 2).map(written));
    }
    out
}

/// Pairs are considered only for at most this many effects.
const PAIRS: usize = 12;

fn pairs(features: &BTreeSet<u32>) -> impl Iterator<Item = (u32, u32)> {
    let few = if features.len() <= PAIRS { features.clone() } else { BTreeSet::new() };
    let all = few.clone();
    all.into_iter().flat_map(move |one| few.range(one + 1..).map(|other| (one, *other)).collect::<Vec<_>>())
}

/// Removed leaves, added leaves (with values if requested), and changed leaves.
fn changes(
    before: &BTreeMap<String, Value>,
    after: &BTreeMap<String, Value>,
    with_values: bool,
) -> Vec<Effect> {
    let gone = before.keys().filter(|path| !after.contains_key(*path));
    let new = after.iter().filter(|(path, _)| !before.contains_key(*path)).map(|(path, value)| {
        // A short value is a default; a long one is copied from elsewhere.
        let text = value.to_string();
        Effect::new('+', path, if with_values && text.len() < 20 { &text } else { "" })
    });
    let other = after.iter().filter(|(path, value)| before.get(*path).is_some_and(|before| before != *value));
    let gone = gone.map(|path| Effect::new('-', path, ""));
    gone.chain(new).chain(other.map(|(path, _)| Effect::new('~', path, ""))).collect()
}

impl Effect {
    fn new(what: char, path: &str, value: &str) -> Self {
        Self { text: format!("{what}{}={value}", end(path)), is_deep: path.matches('.').count() >= DEEP }
    }
}

/// The last two names of a path: most effects on a field are the same wherever it occurs.
fn end(path: &str) -> &str {
    let mut dots = path.rmatch_indices('.').map(|(at, _)| at);
    match (dots.next(), dots.next()) {
        (Some(_), Some(at)) => &path[at + 1..],
        _ => path,
    }
}

/// All leaves with a value, by path without indexes, including those of JSON in annotations.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(lines: &[&str]) -> Vec<String> {
        let args = Args { longest: 800, pairs: 1, most: 14 };
        let mut out = Vec::new();
        select(&args, &mut lines.join("\n").as_bytes(), &mut out).unwrap();
        String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
    }

    /// Refusals and lists are answers as well.
    #[test]
    fn refusals_and_lists_are_kept() {
        let refused = r#"{"default":true,"object":{"kind":"Secret","apiVersion":"v1","data":{"a":"?"}},"error":"illegal base64 data"}"#;
        let list = r#"{"default":true,"object":{"kind":"SecretList","apiVersion":"v1","items":[{}]},"answer":{"kind":"SecretList","apiVersion":"v1","items":[{"type":"Opaque"}]}}"#;
        let bytes = r#"{"encode":"protobuf","object":{"kind":"SecretList","apiVersion":"v1","items":[{}]},"protobuf":"azhzAA=="}"#;
        let no_bytes = r#"{"encode":"protobuf","object":{"kind":"Secret","apiVersion":"v1","data":{"a":"?"}},"error":"illegal base64 data"}"#;
        for line in [refused, list, bytes, no_bytes] {
            assert_eq!(selected(&[line]), [line]);
        }
        assert_eq!(selected(&[refused, list]).len(), 2);
        // One refusal of a kind is enough.
        assert_eq!(selected(&[refused, refused]).len(), 1);
    }
}
