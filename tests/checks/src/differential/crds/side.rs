//! One of the two servers.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{http, kept};
use crate::differential::exchange::Request;

/// Where definitions are.
pub const PATH: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/// The groups of the definitions of the check.
pub const GROUPS: [&str; 2] = ["crds.example.com", "crds.k8s.io"];
/// How long a definition may take to become what it will be.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long it must not change to be taken for that.
const REST: Duration = Duration::from_millis(800);
const PAUSE: Duration = Duration::from_millis(20);

/// A server.
pub struct Side {
    client: http::Client,
}

impl Side {
    pub fn new(url: &str, options: &http::Options) -> Result<Self, String> {
        Ok(Self { client: http::Client::new(url, options)? })
    }

    /// Sends a request.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<(u16, Value), String> {
        self.send_with_warnings(method, path, body).map(|(code, body, _)| (code, body))
    }

    fn send_with_warnings(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<(u16, Value, Vec<String>), String> {
        let kind = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        let headers = [("Accept", "application/json"), ("Content-Type", kind)];
        let response = self.client.send(&Request {
            method: method.to_owned(),
            path: path.to_owned(),
            headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            body: body.map_or_else(Vec::new, |body| body.to_string().into_bytes()),
        })?;
        let mut warnings = response.warnings;
        // Upstream visits properties in no order.
        warnings.sort();
        Ok((response.code, serde_json::from_slice(&response.body).unwrap_or_default(), warnings))
    }

    /// Sends a request that writes nothing. Upstream closes the connection where it panics: then the code is 0.
    pub fn attempt(&self, method: &str, path: &str, body: &Value) -> Value {
        match self.send_with_warnings(method, &format!("{path}?dryRun=All"), Some(body)) {
            Ok((code, body, warnings)) => {
                let mut answer = kept(code, &body);
                if !warnings.is_empty() {
                    answer["warnings"] = warnings.into();
                }
                answer
            }
            Err(_) => serde_json::json!({"code": 0}),
        }
    }

    /// A definition as it is.
    pub fn get(&self, name: &str) -> Result<(u16, Value), String> {
        self.send("GET", &format!("{PATH}/{name}"), None)
    }

    /// Creates a definition, and waits until its kind is served.
    ///
    /// # Errors
    /// If it is not.
    pub fn establish(&self, definition: &Value) -> Result<(), String> {
        let name = definition["metadata"]["name"].as_str().unwrap_or_default();
        let (code, body) = self.send("POST", PATH, Some(definition))?;
        if code != 201 {
            return Err(format!("{name}: {code} {}", body["message"]));
        }
        let is_served = |definition: &Value| {
            let conditions = definition["status"]["conditions"].as_array().into_iter().flatten();
            conditions
                .into_iter()
                .any(|condition| condition["type"] == "Established" && condition["status"] == "True")
        };
        let start = Instant::now();
        while !is_served(&self.get(name)?.1) {
            if start.elapsed() > PATIENCE {
                return Err(format!("{name} is not served after {PATIENCE:?}"));
            }
            sleep(PAUSE);
        }
        Ok(())
    }

    /// What a definition becomes: what is expected, or what stays for a while.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn settled(&self, name: &str, expected: Option<&Value>) -> Result<Value, String> {
        let start = Instant::now();
        let (mut last, mut since) = (Value::Null, Instant::now());
        loop {
            let (code, body) = self.get(name)?;
            let now = kept(code, &body);
            if now != last {
                (last, since) = (now, Instant::now());
            }
            let is_enough = match expected {
                Some(expected) => last == *expected,
                None => since.elapsed() > REST,
            };
            if is_enough || start.elapsed() > PATIENCE {
                return Ok(last);
            }
            sleep(PAUSE);
        }
    }

    /// Deletes a definition, and waits until it is gone.
    ///
    /// # Errors
    /// If it stays.
    pub fn remove(&self, name: &str) -> Result<(), String> {
        self.send("DELETE", &format!("{PATH}/{name}"), None)?;
        if self.is_gone(name)? { Ok(()) } else { Err(format!("{name} is still there after {PATIENCE:?}")) }
    }

    /// Whether a definition goes in time.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn is_gone(&self, name: &str) -> Result<bool, String> {
        let start = Instant::now();
        while self.get(name)?.0 != 404 {
            if start.elapsed() > PATIENCE {
                return Ok(false);
            }
            sleep(PAUSE);
        }
        Ok(true)
    }

    /// Deletes all definitions of the check.
    ///
    /// # Errors
    /// If one stays.
    pub fn tidy(&self) -> Result<(), String> {
        let list = self.send("GET", PATH, None)?.1;
        for item in list["items"].as_array().into_iter().flatten() {
            let name = item["metadata"]["name"].as_str().unwrap_or_default();
            if item["spec"]["group"].as_str().is_some_and(|group| GROUPS.contains(&group)) {
                self.remove(name)?;
            }
        }
        Ok(())
    }
}
