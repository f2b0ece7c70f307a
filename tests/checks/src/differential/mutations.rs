//! Tests that each exception is as narrow as its reason: recorded answers with exceptions are
//! changed in one field each, and each change must be refused.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::*;

/// The number of answers for each exception in each recording.
const ANSWERS: usize = 4;

/// Fields in which a change may stay within an exception: a server sets them to any text or port.
const WITHIN: [&str; 5] =
    ["spec.groups", "spec.ports[0].nodePort", "spec.uid", "spec.username", "status.error"];

fn recordings(part: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../whole/recorded").join(part);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    paths.sort();
    paths
}

/// The name of an exception.
fn name(explained: Explanation) -> String {
    match explained {
        Explanation::Listed(name) => name.to_owned(),
        Explanation::Served(who) => format!("by the {who}"),
    }
}

/// Another value of the same type.
fn other(value: &Value) -> Value {
    match value {
        Value::Null => json!("~"),
        Value::Bool(value) => json!(!value),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => json!(integer.wrapping_add(1)),
            None => json!(7.5),
        },
        Value::String(text) => json!(format!("{text}~")),
        Value::Array(elements) => {
            let mut more = elements.clone();
            more.push(elements.last().cloned().unwrap_or_else(|| json!("~")));
            Value::Array(more)
        }
        Value::Object(members) => {
            let mut more = members.clone();
            more.insert("invented".to_owned(), json!(true));
            Value::Object(more)
        }
    }
}

/// All changes of a value in one field: each part of it is replaced, and each member of an object
/// is removed.
fn changes(value: &Value, out: &mut Vec<Value>) {
    out.push(other(value));
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let mut less = members.clone();
                less.shift_remove(name);
                out.push(Value::Object(less));
                let mut parts = Vec::new();
                changes(member, &mut parts);
                out.extend(parts.into_iter().map(|part| {
                    let mut changed = members.clone();
                    changed.insert(name.clone(), part);
                    Value::Object(changed)
                }));
            }
        }
        Value::Array(elements) => {
            for (at, element) in elements.iter().enumerate() {
                let mut parts = Vec::new();
                changes(element, &mut parts);
                out.extend(parts.into_iter().map(|part| {
                    let mut changed = elements.clone();
                    changed[at] = part;
                    Value::Array(changed)
                }));
            }
        }
        _ => {}
    }
}

/// The answer with a value added at a path.
fn with(answer: &Members<String, Value>, path: &str, value: &Value) -> Option<Value> {
    let mut changed = Value::Object(answer.clone());
    let (holder, name) = match path.split_once("metadata.annotations.") {
        Some((before, key)) => (format!("{before}metadata.annotations"), key),
        None => {
            path.rsplit_once('.').map_or((String::new(), path), |(holder, name)| (holder.to_owned(), name))
        }
    };
    let pointer = match &*holder {
        "" => String::new(),
        holder => format!("/{}", holder.replace(['.', '['], "/").replace(']', "")),
    };
    changed.pointer_mut(&pointer)?.as_object_mut()?.insert(name.to_owned(), value.clone());
    Some(changed)
}

/// The changed answers.
fn mutations(theirs: &Answer, findings: &[Finding], ours: &Answer) -> Vec<Answer> {
    let Ok(answer) = theirs else {
        let error = theirs.as_ref().unwrap_err();
        return vec![
            Err(String::new()),
            Err(format!("another reason: {error}")),
            Err(error.replacen(['e', 'i'], "~", 3)),
            Err("panic: runtime error: invalid memory address or nil pointer dereference".to_owned()),
            Ok(Members::new()),
        ];
    };
    let mut out = Vec::new();
    changes(&Value::Object(answer.clone()), &mut out);
    for finding in findings {
        let there = ours.as_ref().map_or(&Value::Null, |ours| find(ours, &finding.path));
        for value in [json!("~"), json!({"invented": 1}), json!([7]), other(there)] {
            out.extend(with(answer, &finding.path, &value));
        }
    }
    let object = |value: Value| match value {
        Value::Object(members) => Ok(members),
        _ => Err("no object".to_owned()),
    };
    out.into_iter().map(object).collect()
}

fn find<'a>(answer: &'a Members<String, Value>, path: &str) -> &'a Value {
    let mut names = path.split(['.', '[', ']']).filter(|name| !name.is_empty());
    let Some(mut value) = names.next().and_then(|name| answer.get(name)) else { return &Value::Null };
    for name in names {
        value = match name.parse::<usize>() {
            Ok(index) => &value[index],
            Err(_) => &value[name],
        };
    }
    value
}

/// Whether an object has a subset of the members of another one.
fn is_part(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => part
            .iter()
            .all(|(name, part)| whole.get(name).is_some_and(|whole| part == whole || is_part(part, whole))),
        _ => false,
    }
}

/// A change that was not refused.
struct Accepted {
    exceptions: Vec<String>,
    what: String,
}

/// The number of changes for each exception, and the accepted ones.
#[derive(Default)]
struct Result {
    tried: BTreeMap<String, usize>,
    accepted: Vec<Accepted>,
}

fn try_all(part: Part, folder: &str, result: &mut Result) {
    let comparison = Comparison { scheme: hubgen_kubernetes::scheme(), part };
    for path in recordings(folder) {
        let mut used: BTreeMap<String, usize> = BTreeMap::new();
        let text = std::fs::read_to_string(&path).unwrap();
        for (number, line) in text.lines().enumerate() {
            let record = Record::read(line).unwrap();
            let (api_version, kind) = record.name();
            let from = comparison.scheme.named(api_version, kind).expect("a kind of ours");
            comparison.answers(from, &record, &mut |asked, theirs, ours| {
                let Some(asked) = asked else { return };
                let findings = comparison.findings(&asked, theirs, ours).unwrap_or_default();
                let names: BTreeSet<String> =
                    findings.iter().filter_map(|finding| finding.explained.map(name)).collect();
                if !names.iter().any(|name| used.get(name).copied().unwrap_or_default() < ANSWERS) {
                    return;
                }
                names.iter().for_each(|name| *used.entry(name.clone()).or_default() += 1);
                let known: BTreeSet<&str> = findings.iter().map(|finding| &*finding.path).collect();
                for mutation in mutations(theirs, &findings, ours) {
                    if mutation == *theirs {
                        continue;
                    }
                    let found = comparison.findings(&asked, &mutation, ours).unwrap_or_default();
                    let paths: BTreeSet<&str> = found.iter().map(|finding| &*finding.path).collect();
                    // The changed field now equals ours, or lacks what the exception is about.
                    if paths.len() < known.len() && paths.is_subset(&known) {
                        continue;
                    }
                    names.iter().for_each(|name| *result.tried.entry(name.clone()).or_default() += 1);
                    let is_refused = found.iter().any(|finding| finding.explained.is_none());
                    let is_new = |finding: &&Finding| {
                        !findings
                            .iter()
                            .any(|other| other.path == finding.path && other.message == finding.message)
                    };
                    let changed: Vec<&Finding> = found.iter().filter(is_new).collect();
                    // Any part of a value that only the server has may be missing.
                    let is_less = |path: &str| match (&mutation, theirs) {
                        (Ok(less), Ok(more)) => is_part(find(less, path), find(more, path)),
                        _ => false,
                    };
                    let is_within = |path: &str| WITHIN.contains(&path) || is_less(path);
                    if is_refused
                        || (asked.record.server && changed.iter().all(|finding| is_within(&finding.path)))
                    {
                        continue;
                    }
                    let changed: Vec<String> = changed
                        .iter()
                        .map(|finding| format!("{}: {}", finding.path, finding.message))
                        .collect();
                    result.accepted.push(Accepted {
                        exceptions: names.iter().cloned().collect(),
                        what: format!(
                            "{}, line {}, {} {} → {}: {}",
                            path.display(),
                            number + 1,
                            asked.from.api_version(),
                            asked.from.kind,
                            asked.to.api_version(),
                            changed.join("; ")
                        ),
                    });
                }
            });
        }
    }
}

/// There are at least three changes for each exception, and all are refused.
#[test]
fn answers_that_go_beyond_an_exception_are_refused() {
    let mut result = Result::default();
    try_all(Part::Conversions, "convert", &mut result);
    try_all(Part::Defaults, "defaults", &mut result);
    let total: usize = result.tried.values().sum();
    for (name, tried) in &result.tried {
        println!("{name}: {tried}");
    }
    let accepted: Vec<String> = result
        .accepted
        .iter()
        .map(|accepted| format!("{:?}: {}", accepted.exceptions, accepted.what))
        .collect();
    println!("{} of {total} changes beyond an exception are refused", total - accepted.len());
    assert!(
        accepted.is_empty(),
        "{} are not refused:\n{}",
        accepted.len(),
        accepted[..accepted.len().min(40)].join("\n")
    );
    for name in differences::names() {
        let tried = result.tried.get(name).copied().unwrap_or_default();
        assert!(tried >= 3, "{name}: only {tried} changes; record an answer with this difference");
    }
}
