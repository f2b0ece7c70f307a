//! One of the two servers.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::ask::http;
use super::super::exchange::{Request, Response};
use super::super::openapi::facts::Facts;
use super::super::ours::Ours;
use super::world::{NAMESPACE, collection, group};

/// How long a server may take until it serves a kind.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long the other server holds creations back after a kind has come.
const HELD_BACK: Duration = Duration::from_secs(2);
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

pub(super) enum Side {
    Theirs(http::Client),
    Ours(Box<Ours>),
}

/// A request as it is sent.
#[derive(Default)]
struct Raw<'a> {
    method: &'a str,
    path: &'a str,
    media: &'a str,
    accept: &'a str,
    body: Option<&'a str>,
}

/// What a document of OpenAPI tells of a group: the schemas of its kinds, and which operations there are.
fn published(document: &Value, group: &str) -> Value {
    let below = format!(" /apis/{group}/");
    let of_kind = format!("schema {}.", group.rsplit('.').collect::<Vec<_>>().join("."));
    let of_group = |(name, fact): (String, Value)| match name.contains(&below) {
        true => Some((name, Value::Null)),
        false => name.starts_with(&of_kind).then_some((name, fact)),
    };
    Facts::of(document).0.into_iter().filter_map(of_group).collect()
}

impl Side {
    /// Sends a request: a `method`, a `path`, a `body` in JSON or a `text`, the media `type` of that, and what the client accepts
    /// (`accept`). Where a body has the revision `$RV`, it gets that of the object as it is, and none if there is no object.
    /// The answer has the code, the warnings and the body.
    ///
    /// # Errors
    /// If the server does not answer.
    pub(super) fn send(&self, ask: &Value) -> Result<Value, String> {
        let text = |name: &str| ask[name].as_str().unwrap_or_default();
        let mut body = ask.get("body").cloned();
        if let Some(body) = &mut body
            && body["metadata"]["resourceVersion"] == "$RV"
        {
            let path = text("path").split('?').next().unwrap_or_default();
            let path = path.trim_end_matches("/status").trim_end_matches("/scale");
            let found = self.raw(&Raw { method: "GET", path, ..Raw::default() })?;
            let found: Value = serde_json::from_slice(&found.body).unwrap_or_default();
            match found["metadata"].get("resourceVersion") {
                Some(revision) => body["metadata"]["resourceVersion"] = revision.clone(),
                None => drop(
                    body["metadata"]
                        .as_object_mut()
                        .and_then(|members| members.shift_remove("resourceVersion")),
                ),
            }
        }
        let body = match (body, ask.get("text").and_then(Value::as_str)) {
            (Some(body), _) => Some(body.to_string()),
            (None, text) => text.map(str::to_owned),
        };
        let (method, path, media, accept) = (text("method"), text("path"), text("type"), text("accept"));
        let response = self.raw(&Raw { method, path, media, accept, body: body.as_deref() })?;
        let mut warnings = response.warnings;
        warnings.sort();
        let mut body: Value = serde_json::from_slice(&response.body)
            .unwrap_or_else(|_| String::from_utf8_lossy(&response.body).into_owned().into());
        if path.starts_with("/openapi/") {
            body = published(&body, text("group"));
        }
        Ok(json!({"code": response.code, "warnings": warnings, "body": body}))
    }

    fn raw(&self, raw: &Raw<'_>) -> Result<Response, String> {
        let or = |text: &str, usual: &str| if text.is_empty() { usual.to_owned() } else { text.to_owned() };
        let mut headers = vec![
            ("Accept".to_owned(), or(raw.accept, "application/json")),
            ("User-Agent".to_owned(), "checks".to_owned()),
        ];
        if raw.body.is_some() {
            headers.push(("Content-Type".to_owned(), or(raw.media, "application/json")));
        }
        let body = raw.body.unwrap_or_default().as_bytes().to_vec();
        let request = Request { method: raw.method.to_owned(), path: raw.path.to_owned(), headers, body };
        match self {
            Self::Theirs(client) => client.send(&request),
            Self::Ours(ours) => ours.send(&request),
        }
    }

    fn get(&self, path: &str) -> Result<Response, String> {
        self.raw(&Raw { method: "GET", path, ..Raw::default() })
    }

    /// Sends a request that must succeed with one of these codes.
    fn must(&self, method: &str, path: &str, body: Option<&Value>, codes: &[u16]) -> Result<Value, String> {
        let text = body.map(Value::to_string);
        let response = self.raw(&Raw { method, path, body: text.as_deref(), ..Raw::default() })?;
        if !codes.contains(&response.code) {
            return Err(format!(
                "{method} {path}: {} {}",
                response.code,
                String::from_utf8_lossy(&response.body)
            ));
        }
        Ok(serde_json::from_slice(&response.body).unwrap_or_default())
    }

    /// Whether the server refuses a definition as invalid.
    ///
    /// # Errors
    /// If the server does not answer.
    pub(super) fn refuses(&self, definition: &Value) -> Result<bool, String> {
        let path = format!("{DEFINITIONS}?dryRun=All");
        let text = definition.to_string();
        let answer = self.raw(&Raw { method: "POST", path: &path, body: Some(&text), ..Raw::default() })?;
        Ok(answer.code == 422)
    }

    /// Creates a definition, and waits until its kind is served.
    ///
    /// # Errors
    /// If the server refuses it, or does not serve the kind in time.
    pub(super) fn define(&self, definition: &Value) -> Result<(), String> {
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
        self.must("POST", "/api/v1/namespaces", Some(&namespace), &[201, 409])?;
        self.must("POST", DEFINITIONS, Some(definition), &[201])?;
        let start = Instant::now();
        let served = definition["spec"]["versions"].as_array().into_iter().flatten();
        for version in served.filter(|version| version["served"] == true) {
            let path = collection(definition, version["name"].as_str().unwrap_or_default());
            while self.get(&path)?.code != 200 {
                if start.elapsed() > PATIENCE {
                    return Err(format!("{path} is not served"));
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        if let Self::Theirs(_) = self {
            std::thread::sleep(HELD_BACK);
        }
        Ok(())
    }

    /// Replaces a definition, and waits until it has an effect: a version of the new one has a field more than the old one.
    ///
    /// # Errors
    /// If the server refuses it.
    pub(super) fn redefine(&self, definition: &Value) -> Result<(), String> {
        let path = format!("{DEFINITIONS}/{}", definition["metadata"]["name"].as_str().unwrap_or_default());
        loop {
            let stored = self.must("GET", &path, None, &[200])?;
            let mut next = definition.clone();
            next["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"].clone();
            // The server may have written a condition meanwhile.
            if self.must("PUT", &path, Some(&next), &[200, 409])?["code"] != 409 {
                break;
            }
        }
        // Neither server tells when it serves the new one.
        std::thread::sleep(HELD_BACK);
        Ok(())
    }

    /// Deletes a definition, and waits until it is gone.
    ///
    /// # Errors
    /// If the server does not.
    pub(super) fn undefine(&self, definition: &Value) -> Result<(), String> {
        let path = format!("{DEFINITIONS}/{}", definition["metadata"]["name"].as_str().unwrap_or_default());
        self.must("DELETE", &path, None, &[200, 404])?;
        let start = Instant::now();
        while self.get(&path)?.code != 404 {
            if start.elapsed() > PATIENCE {
                return Err(format!("{path} of {} stays", group(definition)));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}
