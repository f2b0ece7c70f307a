//! Plays sequences of applies and other writes to a running API server, and records what becomes of the objects and their
//! owners.

mod configuration;
mod generate;

use hubgen_kubernetes::machinery::scheme::Scheme;
use serde_json::{Value, json};

use self::generate::Steps;
use super::objects::Server;
use super::owners::{NAMESPACE, remove, versions};
use super::patches::request;
use crate::differential::sequence;

/// How often another step is tried in the place of one that the server refuses.
const TRIES: usize = 5;

/// A sequence of applies and other writes: see [`Play`](super::owners::Play).
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
    let Some(own) = versions.iter().find(|version| version.entry.api_version() == api_version).cloned()
    else {
        return Ok(None);
    };
    let given = text(&object["metadata"], "name");
    // Nothing can be applied to what has no name.
    let names = if given.is_empty() { Vec::new() } else { vec![format!("{given}-{seed}"), given] };
    for name in names {
        let mut object = object.clone();
        object["metadata"]["name"] = name.clone().into();
        if own.collection.contains("/namespaces/") {
            object["metadata"]["namespace"] = NAMESPACE.into();
        }
        remove(server, &format!("{}/{name}", own.collection))?;
        let mut maker = Steps::new(seed, versions.clone());
        for _ in 0..2 {
            let create = maker.create(&own, &name, &object);
            let created = sequence::play_whole(&create, &|asked| server.send(asked))?;
            if created["code"] == 201 && create["dry"] != true {
                let (mut steps, mut answers) = (vec![create], vec![created]);
                go_on(server, &mut maker, 4 + seed % 7, &name, &mut steps, &mut answers)?;
                remove(server, &format!("{}/{name}", own.collection))?;
                return Ok(Some(json!({
                    "release": release, "kind": kind, "object": object, "steps": steps, "answers": answers,
                })));
            }
        }
    }
    Ok(None)
}

/// Adds steps that the server takes, or refuses because of a conflict, each with its answer.
fn go_on(
    server: &Server,
    maker: &mut Steps,
    wanted: u64,
    name: &str,
    steps: &mut Vec<Value>,
    answers: &mut Vec<Value>,
) -> Result<(), String> {
    let send = |asked: &_| server.send(asked);
    for _ in 0..wanted {
        for _ in 0..TRIES {
            let version = maker.version();
            let path = format!("{}/{name}", version.collection);
            let read = server.send(&request("GET", &path, "", &Value::Null))?;
            let current: Value =
                serde_json::from_slice(&read.body).map_err(|error| format!("{path}: {error}"))?;
            if current["kind"] == "Status" {
                // An object without finalizers may be gone.
                return Ok(());
            }
            let step = maker.step(&version, &path, &current);
            // A server whose handler panics closes the connection.
            let Ok(answer) = sequence::play_whole(&step, &send) else { continue };
            let is_conflict = answer["code"] == 409 && step["verb"] == "apply";
            if answer["code"] == 200 || is_conflict {
                steps.push(step);
                answers.push(answer);
                break;
            }
        }
    }
    Ok(())
}
