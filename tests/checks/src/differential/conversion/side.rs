//! One of the two servers.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::http;
use super::objects::{NAMESPACE, collection, object};
use crate::differential::exchange::Request;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/// How long a server may take until it serves a kind, or does not any more.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(20);

/// A server.
pub struct Side {
    client: http::Client,
}

impl Side {
    pub fn new(url: &str, options: &http::Options) -> Result<Self, String> {
        Ok(Self { client: http::Client::new(url, options)? })
    }

    /// Sends a request. Returns the code, and all documents of the answer, in which a watch has several.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn all(&self, method: &str, path: &str, body: Option<&Value>) -> Result<(u16, Vec<Value>), String> {
        let headers =
            [("Accept", "application/json"), ("Content-Type", "application/json"), ("User-Agent", "checks")];
        let response = self.client.send(&Request {
            method: method.to_owned(),
            path: path.to_owned(),
            headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            body: body.map_or_else(Vec::new, |body| body.to_string().into_bytes()),
        })?;
        let text = String::from_utf8_lossy(&response.body);
        let documents = serde_json::Deserializer::from_str(&text).into_iter::<Value>().filter_map(Result::ok);
        Ok((response.code, documents.collect()))
    }

    /// Sends a request that is answered with one document.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<(u16, Value), String> {
        let (code, mut documents) = self.all(method, path, body)?;
        Ok((code, documents.pop().unwrap_or_default()))
    }

    /// Sends a request that must succeed.
    ///
    /// # Errors
    /// If it does not.
    pub fn must(&self, method: &str, path: &str, body: Option<&Value>, but: u16) -> Result<Value, String> {
        let (code, answer) = self.send(method, path, body)?;
        if code >= 300 && code != but {
            return Err(format!("{method} {path}: {code} {}", answer["message"]));
        }
        Ok(answer)
    }

    /// Creates a definition, and waits until objects can be created at the version at which they are stored.
    ///
    /// # Errors
    /// If they cannot be in time.
    pub fn define(&self, definition: &Value) -> Result<(), String> {
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
        self.must("POST", "/api/v1/namespaces", Some(&namespace), 409)?;
        self.must("POST", DEFINITIONS, Some(definition), 0)?;
        let probe = object(definition, "v1", "probe");
        let path = collection(definition, "v1");
        self.until(&format!("{path} is not served"), || {
            Ok(matches!(self.send("POST", &path, Some(&probe))?.0, 201 | 409))
        })?;
        self.must("DELETE", &format!("{path}/probe"), None, 404).map(drop)
    }

    /// Deletes a definition, and waits until it is gone.
    ///
    /// # Errors
    /// If it is not in time.
    pub fn undefine(&self, definition: &Value) -> Result<(), String> {
        let name = definition["metadata"]["name"].as_str().unwrap_or_default();
        let path = format!("{DEFINITIONS}/{name}");
        self.must("DELETE", &path, None, 404)?;
        self.until(&format!("{name} is not deleted"), || Ok(self.send("GET", &path, None)?.0 == 404))
    }

    fn until(&self, or: &str, is_so: impl Fn() -> Result<bool, String>) -> Result<(), String> {
        let start = Instant::now();
        while !is_so()? {
            if start.elapsed() > PATIENCE {
                return Err(format!("{or} after {PATIENCE:?}"));
            }
            sleep(PAUSE);
        }
        Ok(())
    }
}
