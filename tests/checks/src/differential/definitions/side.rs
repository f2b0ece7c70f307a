//! One of the two servers.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::ask::http;
use super::super::exchange::{Request, Response};
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

impl Side {
    /// Sends a request. Where its body has the revision `$RV`, it gets that of the object as it is; where the object does not
    /// exist, none. The answer has the code, the warnings and the body.
    ///
    /// # Errors
    /// If the server does not answer.
    pub(super) fn send(&self, ask: &Value) -> Result<Value, String> {
        let text = |name: &str| ask[name].as_str().unwrap_or_default();
        let mut body = ask.get("body").cloned();
        if let Some(body) = &mut body
            && body["metadata"]["resourceVersion"] == "$RV"
        {
            let path = text("path").trim_end_matches("/status").split('?').next().unwrap_or_default();
            let found = self.raw("GET", path, "", None)?;
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
        let response = self.raw(text("method"), text("path"), text("type"), body.as_ref())?;
        let mut warnings = response.warnings;
        warnings.sort();
        let body: Value = serde_json::from_slice(&response.body)
            .unwrap_or_else(|_| String::from_utf8_lossy(&response.body).into_owned().into());
        Ok(json!({"code": response.code, "warnings": warnings, "body": body}))
    }

    fn raw(&self, method: &str, path: &str, media: &str, body: Option<&Value>) -> Result<Response, String> {
        let mut headers = vec![("Accept".to_owned(), "application/json".to_owned())];
        if body.is_some() {
            let media = if media.is_empty() { "application/json" } else { media };
            headers.push(("Content-Type".to_owned(), media.to_owned()));
            headers.push(("User-Agent".to_owned(), "checks".to_owned()));
        }
        let body = body.map_or_else(Vec::new, |body| body.to_string().into_bytes());
        let request = Request { method: method.to_owned(), path: path.to_owned(), headers, body };
        match self {
            Self::Theirs(client) => client.send(&request),
            Self::Ours(ours) => ours.send(&request),
        }
    }

    /// Sends a request that must succeed with one of these codes.
    fn must(&self, method: &str, path: &str, body: Option<&Value>, codes: &[u16]) -> Result<Value, String> {
        let response = self.raw(method, path, "", body)?;
        if !codes.contains(&response.code) {
            return Err(format!(
                "{method} {path}: {} {}",
                response.code,
                String::from_utf8_lossy(&response.body)
            ));
        }
        Ok(serde_json::from_slice(&response.body).unwrap_or_default())
    }

    /// Creates a definition, and waits until its kind is served.
    ///
    /// # Errors
    /// If the server refuses it, or does not serve the kind in time.
    pub(super) fn define(&self, definition: &Value) -> Result<(), String> {
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
        self.must("POST", "/api/v1/namespaces", Some(&namespace), &[201, 409])?;
        self.must("POST", DEFINITIONS, Some(definition), &[201])?;
        if let Self::Ours(_) = self {
            self.establish(definition)?;
        }
        let start = Instant::now();
        let served = definition["spec"]["versions"].as_array().into_iter().flatten();
        for version in served.filter(|version| version["served"] == true) {
            let path = collection(definition, version["name"].as_str().unwrap_or_default());
            while self.raw("GET", &path, "", None)?.code != 200 {
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

    /// Accepts a definition, if nobody else does.
    fn establish(&self, definition: &Value) -> Result<(), String> {
        let path = format!("{DEFINITIONS}/{}", definition["metadata"]["name"].as_str().unwrap_or_default());
        let mut stored = self.must("GET", &path, None, &[200])?;
        stored["status"]["acceptedNames"] = stored["spec"]["names"].clone();
        stored["status"]["storedVersions"] = json!([]);
        stored["status"]["conditions"] = json!([{
            "type": "Established", "status": "True", "reason": "InitialNamesAccepted", "message": "checked",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }]);
        self.must("PUT", &format!("{path}/status"), Some(&stored), &[200, 409]).map(drop)
    }

    /// Deletes a definition, and waits until it is gone.
    ///
    /// # Errors
    /// If the server does not.
    pub(super) fn undefine(&self, definition: &Value) -> Result<(), String> {
        let path = format!("{DEFINITIONS}/{}", definition["metadata"]["name"].as_str().unwrap_or_default());
        self.must("DELETE", &path, None, &[200, 404])?;
        let start = Instant::now();
        while self.raw("GET", &path, "", None)?.code != 404 {
            if start.elapsed() > PATIENCE {
                return Err(format!("{path} of {} stays", group(definition)));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}
