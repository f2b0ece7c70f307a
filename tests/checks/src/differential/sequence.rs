//! A sequence of writes of one object, as a client makes them, and what a server answers.
//!
//! A step describes what a client does, and not what it sends: it reads the object first where its request depends on it. So the
//! same sequence can be played to two servers, each of which answers with what it has.

use hubgen_patch::{JsonPatch, Limits, merge};
use serde_json::{Value, json};

use super::exchange::{Request, Response};

/// How the time of owners begins when a client has turned it back: it tells those that a write touches from others.
const EARLIER: &str = "2001-02-03T04:";

/// Members of the metadata that are chance.
const OF_SERVER: [&str; 4] = ["managedFields", "resourceVersion", "uid", "creationTimestamp"];

/// Sends a request.
pub type Send<'s> = dyn Fn(&Request) -> Result<Response, String> + 's;

/// Plays a step, and returns what is compared of the answer.
///
/// # Errors
/// If there is no answer.
pub fn play_step(step: &Value, send: &Send<'_>) -> Result<Value, String> {
    Ok(answer(step, send)?.map_or_else(|| json!({"code": 0}), |response| told(&response)))
}

/// Plays a step, and returns what is compared of the answer, the object and the causes of a refusal included.
///
/// # Errors
/// If there is no answer.
pub fn play_whole(step: &Value, send: &Send<'_>) -> Result<Value, String> {
    let Some(response) = answer(step, send)? else { return Ok(json!({"code": 0})) };
    let mut told = told(&response);
    let mut body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    if response.code >= 300 {
        let mut causes = body["details"]["causes"].as_array().cloned().unwrap_or_default();
        causes.sort_by_cached_key(ToString::to_string);
        told["causes"] = causes.into();
        return Ok(told);
    }
    if let Some(metadata) = body["metadata"].as_object_mut() {
        metadata.retain(|name, _| !OF_SERVER.contains(&name.as_str()));
    }
    told["object"] = body;
    Ok(told)
}

/// The answer to a step; `None` if the client cannot make its request.
fn answer(step: &Value, send: &Send<'_>) -> Result<Option<Response>, String> {
    let text = |name: &str| step[name].as_str().unwrap_or_default();
    let (path, change) = (text("path"), &step["change"]);
    let (method, media, body) = match text("verb") {
        "create" => ("POST", "application/json", Some(change.clone())),
        "apply" => ("PATCH", "application/apply-patch+yaml", Some(change.clone())),
        "update" => ("PUT", "application/json", updated(step, read(path, send)?)),
        _ => ("PATCH", text("media"), patched(step, path, send)?),
    };
    let Some(body) = body else { return Ok(None) };
    let mut query = Vec::new();
    if !text("manager").is_empty() {
        query.push(format!("fieldManager={}", text("manager")));
    }
    if step["dry"] == true {
        query.push("dryRun=All".to_owned());
    }
    if step["force"] == true {
        query.push("force=true".to_owned());
    }
    let path = if query.is_empty() { path.to_owned() } else { format!("{path}?{}", query.join("&")) };
    let mut asked = request(method, &path, media, &body);
    if !text("agent").is_empty() {
        asked.headers.push(("User-Agent".to_owned(), text("agent").to_owned()));
    }
    send(&asked).map(Some)
}

/// A request that accepts JSON.
fn request(method: &str, path: &str, media: &str, body: &Value) -> Request {
    let mut headers = vec![("Accept".to_owned(), "application/json".to_owned())];
    if !media.is_empty() {
        headers.push(("Content-Type".to_owned(), media.to_owned()));
    }
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    Request { method: method.to_owned(), path: path.to_owned(), headers, body }
}

/// The object as it is.
fn read(path: &str, send: &Send<'_>) -> Result<Value, String> {
    let path = path.strip_suffix("/status").unwrap_or(path);
    let answer = send(&request("GET", path, "", &Value::Null))?;
    serde_json::from_slice(&answer.body).map_err(|error| format!("{path}: {error}"))
}

/// The body of an update: the object with a change, and with the owners that the client sends.
fn updated(step: &Value, mut object: Value) -> Option<Value> {
    let owners = object["metadata"]["managedFields"].clone();
    match JsonPatch::new(step["change"].clone()) {
        Ok(patch) => object = patch.apply(object, &Limits::default()).ok()?,
        Err(_) => merge(&mut object, step["change"].clone()),
    }
    let metadata = object["metadata"].as_object_mut()?;
    metadata.shift_remove("resourceVersion");
    match given(step, &owners) {
        Some(owners) => metadata.insert("managedFields".to_owned(), owners),
        None => metadata.shift_remove("managedFields"),
    };
    Some(object)
}

/// The body of a patch, with the owners that the client sends.
fn patched(step: &Value, path: &str, send: &Send<'_>) -> Result<Option<Value>, String> {
    let mut patch = step["change"].clone();
    if step["owners"].is_null() {
        return Ok(Some(patch));
    }
    let Some(owners) = given(step, &read(path, send)?["metadata"]["managedFields"]) else {
        return Ok(Some(patch));
    };
    match &mut patch {
        Value::Array(operations) => {
            operations.push(json!({"op": "add", "path": "/metadata/managedFields", "value": owners}));
        }
        patch => merge(patch, json!({"metadata": {"managedFields": owners}})),
    }
    Ok(Some(patch))
}

/// The owners that a client sends: those that it has read, or others. `None` if it sends none.
fn given(step: &Value, owners: &Value) -> Option<Value> {
    match step["owners"].as_str() {
        Some("kept") => Some(owners.clone()),
        Some(when @ ("earlier" | "in order")) => {
            let mut owners = owners.as_array()?.clone();
            for (at, owner) in owners.iter_mut().enumerate() {
                let second = if when == "in order" { at } else { 0 };
                owner["time"] = format!("{EARLIER}{:02}:{:02}Z", second / 60, second % 60).into();
            }
            Some(Value::Array(owners))
        }
        Some("emptied") => Some(json!([])),
        Some("blank") => Some(json!([{}])),
        Some("wrong") => Some(json!([{"manager": "wrong", "operation": "Change", "apiVersion": "v1"}])),
        Some("unknown version") => {
            // Their order is chance: it depends on seconds.
            let mut owners = owners.as_array()?.clone();
            owners.iter_mut().min_by_key(|owner| identity(owner))?["apiVersion"] = "example.com/v1".into();
            Some(Value::Array(owners))
        }
        _ => None,
    }
}

/// What is compared of an answer: its code, and the owners, of which the time is told only as earlier or not. Who writes in
/// the server itself is left out.
fn told(response: &Response) -> Value {
    let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    let mut told = json!({"code": response.code});
    if response.code >= 300 {
        told["reason"] = body["reason"].clone();
        told["message"] = body["message"].clone();
        return told;
    }
    let mut owners = body["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    if !owners.is_sorted_by_key(order) {
        told["is unsorted"] = true.into();
    }
    owners.retain(|owner| owner["manager"] != "kube-apiserver");
    for owner in &mut owners {
        owner["time"] = match owner["time"].as_str() {
            None => Value::Null,
            Some(time) if time.starts_with(EARLIER) => "earlier".into(),
            Some(_) => "now".into(),
        };
    }
    // Which of two seconds a write falls into is chance.
    owners.sort_by_key(identity);
    told["owners"] = owners.into();
    told
}

/// What tells owners apart.
fn identity(owner: &Value) -> [String; 4] {
    ["manager", "operation", "apiVersion", "subresource"].map(|name| owner[name].to_string())
}

/// The order of owners, but for those of the same second.
fn order(owner: &Value) -> (String, String) {
    let text = |name: &str| owner[name].as_str().unwrap_or_default().to_owned();
    (text("operation"), text("time"))
}
