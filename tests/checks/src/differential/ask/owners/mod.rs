//! Plays sequences of writes to a running API server, and records who owns which fields after each.

pub(super) mod generate;

use std::io::{BufRead, Write};
use std::sync::Arc;

use hubgen_kubernetes::machinery::scheme::{KindEntry, Scheme};
use serde_json::{Value, json};

use self::generate::{Maker, Version};
use super::objects::Server;
use super::patches::request;
use crate::differential::sequence;

/// The namespace of all namespaced objects.
pub(super) const NAMESPACE: &str = "hubgen-owners";
/// Every how many-th sequence is one of many managers, the oldest of which are put together.
const CROWDED: u64 = 10;
/// How often another step is tried in the place of one that the server refuses.
const TRIES: u64 = 4;

/// Kinds of which controllers write the objects as soon as there are some.
const CONTROLLED: [&str; 4] =
    ["APIService", "CustomResourceDefinition", "FlowSchema", "PriorityLevelConfiguration"];

/// Plays a sequence that begins with an object, with a seed, to a server of a release. Returns what came of it; `None` if the
/// server refuses the object.
pub(super) type Play = fn(&mut Server, &Scheme, &str, &Value, u64) -> Result<Option<Value>, String>;

/// Plays sequences that begin with the objects of the requests, one after the other, and writes what came of them. Objects
/// that the server refuses are left out.
///
/// # Errors
/// If the server cannot be reached, or a line is not a request.
pub(super) fn record(
    server: &mut Server,
    release: &str,
    requests: impl BufRead,
    mut records: impl Write,
    (count, first_seed): (u64, u64),
    play: Play,
) -> Result<u64, String> {
    let scheme = hubgen_kubernetes::scheme();
    let objects = begin(server, requests)?;
    let (mut seed, mut written, mut refused) = (first_seed, 0, 0);
    while written < count && refused < 10 * objects.len() && !objects.is_empty() {
        let object = &objects[usize::try_from(seed).unwrap_or_default() % objects.len()];
        seed += 1;
        match play(server, &scheme, release, object, seed)? {
            Some(record) => {
                writeln!(records, "{record}").map_err(|error| error.to_string())?;
                (written, refused) = (written + 1, 0);
            }
            None => refused += 1,
        }
    }
    records.flush().map_err(|error| error.to_string())?;
    Ok(written)
}

/// Makes the namespace, and returns the objects of the requests that no controller writes.
fn begin(server: &mut Server, requests: impl BufRead) -> Result<Vec<Value>, String> {
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
    server.send(&request("POST", "/api/v1/namespaces", "application/json", &namespace))?;
    let mut objects = Vec::new();
    for (number, line) in requests.lines().enumerate() {
        let at = |error: &dyn std::fmt::Display| format!("line {}: {error}", number + 1);
        let line: Value =
            serde_json::from_str(&line.map_err(|error| at(&error))?).map_err(|error| at(&error))?;
        if !CONTROLLED.iter().any(|kind| line["object"]["kind"] == *kind) {
            objects.push(line["object"].clone());
        }
    }
    Ok(objects)
}

/// A sequence of writes: see [`Play`].
pub(super) fn one(
    server: &mut Server,
    scheme: &Scheme,
    release: &str,
    object: &Value,
    seed: u64,
) -> Result<Option<Value>, String> {
    let text = |object: &Value, name: &str| object[name].as_str().unwrap_or_default().to_owned();
    let (api_version, kind) = (text(object, "apiVersion"), text(object, "kind"));
    let Some(entry) = scheme.named(&api_version, &kind) else { return Ok(None) };
    let versions = versions(server, scheme, entry)?;
    let Some(own) = versions.iter().find(|version| version.entry.api_version() == api_version) else {
        return Ok(None);
    };
    let send = |asked: &_| server.send(asked);
    let mut maker = Maker::new(seed, versions.clone());
    let given = text(&object["metadata"], "name");
    // Others may have objects of the given name; but some names must be as they are.
    let own_name = (!given.is_empty()).then(|| format!("{given}-{seed}"));
    for name in own_name.into_iter().chain([given]) {
        let mut object = object.clone();
        object["metadata"]["name"] = name.clone().into();
        if own.collection.contains("/namespaces/") {
            object["metadata"]["namespace"] = NAMESPACE.into();
        }
        remove(server, &format!("{}/{name}", own.collection))?;
        let create = maker.create(own, &object);
        let created = sequence::play_step(&create, &send)?;
        if created["code"] == 201 {
            let (mut steps, mut answers) = (vec![create], vec![created]);
            go_on(server, &mut maker, (seed, &name), &mut steps, &mut answers)?;
            remove(server, &format!("{}/{name}", own.collection))?;
            return Ok(Some(json!({
                "release": release, "kind": kind, "object": object, "steps": steps, "answers": answers,
            })));
        }
    }
    Ok(None)
}

/// Adds steps that the server takes, each with its answer.
fn go_on(
    server: &Server,
    maker: &mut Maker,
    (seed, name): (u64, &str),
    steps: &mut Vec<Value>,
    answers: &mut Vec<Value>,
) -> Result<(), String> {
    let send = |asked: &_| server.send(asked);
    let wanted = if seed.is_multiple_of(CROWDED) { 15 } else { 2 + seed % 6 };
    for number in 0..wanted {
        for _ in 0..TRIES {
            let version = maker.version().clone();
            let path = format!("{}/{name}", version.collection);
            let read = server.send(&request("GET", &path, "", &Value::Null))?;
            let current: Value =
                serde_json::from_slice(&read.body).map_err(|error| format!("{path}: {error}"))?;
            let step = if wanted > 10 {
                maker.crowded(&version, &path, number)
            } else {
                maker.step(&version, &path, &current)
            };
            // A server whose handler panics closes the connection.
            let Ok(answer) = sequence::play_step(&step, &send) else { continue };
            if answer["code"] == 200 {
                steps.push(step);
                answers.push(answer);
                break;
            }
        }
    }
    Ok(())
}

/// The versions of a kind that both servers have.
pub(super) fn versions(
    server: &mut Server,
    scheme: &Scheme,
    entry: &Arc<KindEntry>,
) -> Result<Vec<Version>, String> {
    let mut found = Vec::new();
    for other in scheme.kinds().filter(|other| other.kind == entry.kind && other.is_family_of(entry)) {
        if let Some(collection) = server.collection(&other.api_version(), &other.kind)? {
            let collection = collection.replace("/namespaces/default/", &format!("/namespaces/{NAMESPACE}/"));
            found.push(Version { entry: Arc::clone(other), collection });
        }
    }
    Ok(found)
}

/// Removes an object, whatever finalizers it has.
pub(super) fn remove(server: &Server, path: &str) -> Result<(), String> {
    let no_finalizers = json!({"metadata": {"finalizers": null}});
    server.send(&request("DELETE", &format!("{path}?gracePeriodSeconds=0"), "", &Value::Null))?;
    server.send(&request("PATCH", path, "application/merge-patch+json", &no_finalizers))?;
    Ok(())
}
