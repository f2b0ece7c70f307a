//! Asks a running API server for tables of objects, and records them.

use std::io::{BufRead, Write};

use hubgen_kubernetes::machinery::reflect::SlotMut;
use hubgen_kubernetes::machinery::scheme::{KindEntry, Scheme};
use hubgen_laws::objects::{Source, fill};
use serde_json::{Value, json};

use super::objects::Server;
use super::patches::request;
use crate::dice::Dice;
use crate::differential::exchange::Request;
use crate::differential::words;
use crate::generating;

/// Kinds of which controllers write the status as soon as there is an object.
const CONTROLLED: [&str; 2] = ["APIService", "CustomResourceDefinition"];

/// Creates each object of the requests, changes it as often as asked, and writes the table of it after each change, at
/// each version of its family that the server has. Changes that the server refuses leave the object as it is; objects
/// that it refuses are left out.
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
        let mut object = line["object"].clone();
        let text = |name: &str| object[name].as_str().unwrap_or_default().to_owned();
        let (version, kind) = (text("apiVersion"), text("kind"));
        let Some(entry) = scheme.named(&version, &kind) else { continue };
        let Some(collection) = server.collection(&version, &kind)? else { continue };
        if collection.contains("/namespaces/") {
            object["metadata"]["namespace"] = "default".into();
        }
        let created = server.send(&request("POST", &collection, "application/json", &object))?;
        let created: Value = serde_json::from_slice(&created.body).unwrap_or_default();
        let name = match created["metadata"]["name"].as_str() {
            Some(name) if created["kind"] == object["kind"] => name.to_owned(),
            _ => continue,
        };
        let paths = paths(server, &scheme, entry, &name)?;
        for _ in 0..count {
            seed += 1;
            let created = format!("{collection}/{name}");
            change(server, entry, &created, seed)?;
            // One version after the other, so that each is asked for equally often.
            let path = &paths[usize::try_from(seed).unwrap_or_default() % paths.len()];
            if let Some(record) = table(server, release, &created, path)? {
                writeln!(records, "{record}").map_err(|error| at(&error))?;
                written += 1;
            }
        }
        remove(server, &format!("{collection}/{name}"))?;
    }
    records.flush().map_err(|error| error.to_string())?;
    Ok(written)
}

/// The paths of an object at each version of its family that the server has.
fn paths(server: &mut Server, scheme: &Scheme, entry: &KindEntry, name: &str) -> Result<Vec<String>, String> {
    let mut versions: Vec<String> = entry
        .family
        .iter()
        .flat_map(|family| scheme.family(family))
        .map(|member| member.api_version())
        .collect();
    if versions.is_empty() {
        versions.push(entry.api_version());
    }
    let mut paths = Vec::new();
    for version in versions {
        if let Some(collection) = server.collection(&version, &entry.kind)? {
            paths.push(format!("{collection}/{name}"));
        }
    }
    Ok(paths)
}

/// Changes an object: sometimes its labels, and its status if it has one.
fn change(server: &Server, entry: &KindEntry, path: &str, seed: u64) -> Result<(), String> {
    let mut dice = Dice::new(seed);
    let labels = match dice.below(3) {
        0 => json!({"app": "web", "node-role.kubernetes.io/worker": ""}),
        1 => json!({"kubernetes.io/role": "master", "app": null}),
        _ => json!({"app": format!("l{}", dice.below(9))}),
    };
    let patch = json!({"metadata": {"labels": labels}});
    server.send(&request("PATCH", path, "application/merge-patch+json", &patch))?;
    let has_status =
        entry.resource.iter().flat_map(|resource| &resource.subresources).any(|part| part.name == "status");
    if !has_status || CONTROLLED.contains(&&*entry.kind) {
        return Ok(());
    }
    let read = server.send(&request("GET", path, "", &Value::Null))?;
    let Ok(mut object) = serde_json::from_slice::<Value>(&read.body) else { return Ok(()) };
    let Some(status) = status(entry, seed) else { return Ok(()) };
    object["status"] = status;
    server.send(&request("PUT", &format!("{path}/status"), "application/json", &object))?;
    Ok(())
}

/// A generated status.
fn status(entry: &KindEntry, seed: u64) -> Option<Value> {
    let words = words::for_tables(&entry.kind);
    let bytes = generating::bytes(seed);
    let mut source = Source::new(&bytes, &words);
    let mut value = entry.object();
    let SlotMut::Struct(status) = value.field_mut("status")?.present() else { return None };
    fill(status, &mut source);
    let encoded = hubgen_kubernetes::machinery::json::encode(&*value).ok()?;
    let object: Value = serde_json::from_slice(&encoded).ok()?;
    object.get("status").cloned()
}

/// The table of an object at a version, with the object itself as it is read where it was created: other versions may
/// not tell all of it.
fn table(server: &Server, release: &str, created: &str, path: &str) -> Result<Option<Value>, String> {
    let read = server.send(&request("GET", created, "", &Value::Null))?;
    let mut object: Value =
        serde_json::from_slice(&read.body).map_err(|error| format!("{created}: {error}"))?;
    let Some(metadata) = object["metadata"].as_object_mut() else { return Ok(None) };
    metadata.shift_remove("managedFields");
    let answered = server.send(&table_request(path))?;
    let table: Value = serde_json::from_slice(&answered.body).map_err(|error| format!("{path}: {error}"))?;
    if table["kind"] != "Table"
        || table["metadata"]["resourceVersion"] != object["metadata"]["resourceVersion"]
    {
        // A controller has changed it in between.
        return Ok(None);
    }
    let mut record = json!({"release": release, "path": path, "object": object});
    if !answered.warnings.is_empty() {
        record["warnings"] = answered.warnings.into();
    }
    if let (Some(record), Value::Object(kept)) = (record.as_object_mut(), kept_table(&table)) {
        record.extend(kept);
    }
    Ok(Some(record))
}

/// A request for a table.
pub fn table_request(path: &str) -> Request {
    let accept = "application/json;as=Table;v=v1;g=meta.k8s.io".to_owned();
    Request {
        method: "GET".to_owned(),
        path: format!("{path}?includeObject=None"),
        headers: vec![("Accept".to_owned(), accept)],
        body: Vec::new(),
    }
}

/// What is recorded of a table: the columns without descriptions, and the rows without objects.
pub fn kept_table(table: &Value) -> Value {
    let list = |name: &str| table[name].as_array().cloned().unwrap_or_default();
    let columns: Vec<Value> = list("columnDefinitions")
        .iter()
        .map(|column| {
            json!({"name": column["name"], "type": column["type"], "format": column["format"], "priority": column["priority"]})
        })
        .collect();
    let rows: Vec<Value> = list("rows")
        .iter()
        .map(|row| {
            let mut kept = json!({"cells": row["cells"]});
            if let Some(reason) = row["conditions"].get(0) {
                kept["reason"] = reason["reason"].clone();
            }
            kept
        })
        .collect();
    json!({"columns": columns, "rows": rows})
}

/// Removes an object, whatever its finalizers are.
fn remove(server: &Server, path: &str) -> Result<(), String> {
    server.send(&request("DELETE", &format!("{path}?gracePeriodSeconds=0"), "", &Value::Null))?;
    let no_finalizers = json!({"metadata": {"finalizers": null}});
    server.send(&request("PATCH", path, "application/merge-patch+json", &no_finalizers)).map(drop)
}
