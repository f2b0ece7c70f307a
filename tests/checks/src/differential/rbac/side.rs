//! One of the two servers.

use std::time::Duration;

use serde_json::{Value, json};
use ureq::Agent;
use ureq::tls::TlsConfig;

use super::world::{ADMIN, GROUP};

const PATIENCE: Duration = Duration::from_secs(60);
const LONGEST: u64 = 16 << 20;

/// A server, and connections to it that are kept open. Clones have connections of their own.
pub struct Side {
    agent: Agent,
    base: String,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub code: u16,
    pub body: Value,
}

impl Answer {
    /// The code, and the message if it is an error.
    pub fn kept(&self) -> Value {
        let mut kept = json!({"code": self.code});
        if let Some(message) = self.body.get("message").filter(|_| self.code >= 400) {
            kept["message"] = message.clone();
        }
        kept
    }
}

impl Side {
    /// The server at a URL, whose certificate may be any: nothing that is secret is sent to it.
    pub fn new(base: &str) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(PATIENCE))
            .tls_config(TlsConfig::builder().disable_verification(true).build());
        Self { agent: config.build().into(), base: base.trim_end_matches('/').to_owned() }
    }

    /// The same server with other connections.
    pub fn again(&self) -> Self {
        Self::new(&self.base)
    }

    /// Sends a request, which has the members `method`, `path`, `token`, `type` and `body`.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn send(&self, request: &Value) -> Result<Answer, String> {
        let text = |name: &str| request[name].as_str().unwrap_or_default();
        let (method, path) = (text("method"), text("path"));
        let failed = |error: &dyn std::fmt::Display| format!("{method} {}{path}: {error}", self.base);
        let mut head = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base))
            .header("accept", "application/json");
        if !text("token").is_empty() {
            head = head.header("authorization", format!("Bearer {}", text("token")));
        }
        let sent = match request.get("body") {
            None => self.agent.run(head.body(()).map_err(|error| failed(&error))?),
            Some(body) => {
                let head = head.header("content-type", text("type"));
                self.agent.run(head.body(body.to_string()).map_err(|error| failed(&error))?)
            }
        };
        let mut response = sent.map_err(|error| failed(&error))?;
        let code = response.status().as_u16();
        let body = response.body_mut().with_config().limit(LONGEST).read_to_vec();
        let body = body.map_err(|error| failed(&error))?;
        Ok(Answer { code, body: serde_json::from_slice(&body).unwrap_or(Value::Null) })
    }

    /// Sends a request as somebody who may do everything.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn admin(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Answer, String> {
        let mut request = json!({"method": method, "path": path, "token": ADMIN, "type": "application/json"});
        if let Some(body) = body {
            request["body"] = body.clone();
        }
        self.send(&request)
    }

    /// The answer to a question: the status of a SubjectAccessReview.
    ///
    /// # Errors
    /// If the server does not answer, or with an error.
    pub fn ask(&self, spec: &Value) -> Result<Value, String> {
        let path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
        let Answer { code, body } = self.admin("POST", path, Some(&json!({"spec": spec})))?;
        match code {
            201 => Ok(body["status"].clone()),
            code => Ok(json!({"code": code, "message": body["message"]})),
        }
    }

    /// What a user may do in a namespace: the status of a SelfSubjectRulesReview.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn rules(&self, token: &str, namespace: &str) -> Result<Value, String> {
        let body = json!({"spec": {"namespace": namespace}});
        let path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
        let request =
            json!({"method": "POST", "path": path, "token": token, "type": "application/json", "body": body});
        Ok(self.send(&request)?.body["status"].clone())
    }

    /// Sends a write, after it has read what the write needs.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn write(&self, write: &Value) -> Result<Answer, String> {
        let Some(path) = write["read"].as_str() else { return self.send(write) };
        let mut object = self.admin("GET", path, None)?.body;
        merge(&mut object, &write["body"]);
        let mut write = write.clone();
        write["body"] = object;
        self.send(&write)
    }

    /// The rules, bindings and labels of all roles and bindings, sorted.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn stored(&self) -> Result<Vec<Value>, String> {
        let mut all = Vec::new();
        for plural in ["clusterroles", "roles", "clusterrolebindings", "rolebindings"] {
            let list = self.admin("GET", &format!("/apis/{GROUP}/v1/{plural}"), None)?.body;
            let items =
                list["items"].as_array().ok_or_else(|| format!("{}: no list of {plural}", self.base))?;
            for item in items {
                let mut kept = item.clone();
                let metadata = &item["metadata"];
                kept["metadata"] = json!({
                    "name": metadata["name"], "namespace": metadata["namespace"],
                    "labels": metadata["labels"], "annotations": metadata["annotations"],
                });
                kept["kind"] = plural.into();
                all.push(kept);
            }
        }
        all.sort_by_key(|object| (object["kind"].to_string(), object["metadata"].to_string()));
        Ok(all)
    }
}

/// Merges a patch (RFC 7386) into an object.
fn merge(object: &mut Value, patch: &Value) {
    match (object, patch) {
        (Value::Object(object), Value::Object(patch)) => {
            for (name, value) in patch {
                merge(object.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (object, patch) => *object = patch.clone(),
    }
}
