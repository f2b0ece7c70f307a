//! Sends patches to a running API server, and records what it makes of them.

pub mod generate;
mod steps;

use std::io::{BufRead, Write};

use hubgen_kubernetes::machinery::scheme::Scheme;
use serde_json::{Value, json};

use self::generate::{Generated, generate};
use super::objects::Server;
use crate::differential::exchange::{Request, Response};

/// Every how many-th patch is of the status, if the object has one.
const STATUS: u64 = 7;

/// Kinds of which controllers write the status as soon as there is an object.
const CONTROLLED: [&str; 4] =
    ["APIService", "CustomResourceDefinition", "FlowSchema", "PriorityLevelConfiguration"];

/// Creates each object of the requests as often as there are patches for it, patches it, and writes what came of it.
/// Objects that the server refuses are left out.
///
/// # Errors
/// If the server cannot be reached, or a line is not a request.
pub(super) fn record(
    server: &mut Server,
    release: &str,
    requests: impl BufRead,
    mut records: impl Write,
    (count, first_seed): (u64, u64),
) -> Result<u64, String> {
    let scheme = hubgen_kubernetes::scheme();
    let (mut seed, mut written) = (first_seed, 0);
    for (number, line) in requests.lines().enumerate() {
        let at = |error: &dyn std::fmt::Display| format!("line {}: {error}", number + 1);
        let line: Value =
            serde_json::from_str(&line.map_err(|error| at(&error))?).map_err(|error| at(&error))?;
        let object = &line["object"];
        let text = |name: &str| object[name].as_str().unwrap_or_default();
        let Some(collection) = server.collection(text("apiVersion"), text("kind"))? else { continue };
        for _ in 0..count {
            seed += 1;
            if let Some(record) = one(server, &scheme, release, &collection, object, seed)? {
                writeln!(records, "{record}").map_err(|error| at(&error))?;
                written += 1;
            }
        }
    }
    records.flush().map_err(|error| error.to_string())?;
    Ok(written)
}

fn one(
    server: &Server,
    scheme: &Scheme,
    release: &str,
    collection: &str,
    object: &Value,
    seed: u64,
) -> Result<Option<Value>, String> {
    let mut object = object.clone();
    let namespaced = collection.contains("/namespaces/");
    if namespaced {
        object["metadata"]["namespace"] = "default".into();
    }
    let created = server.send(&request("POST", collection, "application/json", &object))?;
    let Ok(created) = serde_json::from_slice::<Value>(&created.body) else { return Ok(None) };
    let name = match created["metadata"]["name"].as_str() {
        Some(name) if created["kind"] == object["kind"] => name.to_owned(),
        _ => return Ok(None),
    };
    let path = format!("{collection}/{name}");
    let is_controlled = CONTROLLED.iter().any(|kind| created["kind"] == *kind);
    let of_status = seed.is_multiple_of(STATUS)
        && !is_controlled
        && created["status"].as_object().is_some_and(|status| !status.is_empty());
    let read = server.send(&request("GET", &path, "", &Value::Null))?;
    let current = cleaned(serde_json::from_slice(&read.body).map_err(|error| format!("{path}: {error}"))?);
    let text = |field: &str| current[field].as_str().unwrap_or_default();
    let Some(entry) = scheme.named(text("apiVersion"), text("kind")) else { return Ok(None) };
    let Generated { media, patch } = generate(&current, &entry.descriptor(), of_status, seed);
    let patched = if of_status { format!("{path}/status") } else { path.clone() };
    // A server whose handler panics closes the connection.
    let answer = server
        .send(&request("PATCH", &patched, media, &patch))
        .map_or_else(|_| json!({"code": 0}), |answer| kept(&answer));
    // So that it goes, whatever the patch has set.
    let no_finalizers = json!({"metadata": {"finalizers": null}});
    server.send(&request("DELETE", &format!("{path}?gracePeriodSeconds=0"), "", &Value::Null))?;
    server.send(&request("PATCH", &path, "application/merge-patch+json", &no_finalizers))?;
    Ok(Some(json!({
        "release": release, "path": patched, "object": current, "media": media, "patch": patch,
        "answer": answer,
    })))
}

/// A request that accepts JSON.
pub fn request(method: &str, path: &str, media: &str, body: &Value) -> Request {
    let mut headers = vec![("Accept".to_owned(), "application/json".to_owned())];
    if !media.is_empty() {
        headers.push(("Content-Type".to_owned(), media.to_owned()));
    }
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    Request { method: method.to_owned(), path: path.to_owned(), headers, body }
}

/// The code and the object, or the `Status`.
pub fn kept(response: &Response) -> Value {
    let body = serde_json::from_slice(&response.body).unwrap_or_default();
    let mut kept = json!({"code": response.code, "body": cleaned(body)});
    if !response.warnings.is_empty() {
        kept["warnings"] = response.warnings.clone().into();
    }
    kept
}

/// An object without `managedFields`, which the check of owners compares.
fn cleaned(mut object: Value) -> Value {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.shift_remove("managedFields");
    }
    object
}
