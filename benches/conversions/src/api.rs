//! Requests to an API server, all over one connection.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use ureq::tls::TlsConfig;

pub type Error = Box<dyn std::error::Error>;

/// How long something may take that happens by itself.
const PATIENCE: Duration = Duration::from_secs(120);
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// An API server.
pub struct Api {
    url: String,
    agent: ureq::Agent,
    token: Option<String>,
}

impl Api {
    /// The server at a URL, whatever certificate it has.
    pub fn new(url: &str, token: Option<&str>) -> Self {
        let tls = TlsConfig::builder().disable_verification(true).build();
        let config = ureq::Agent::config_builder().tls_config(tls).http_status_as_error(false);
        Self { url: url.to_owned(), agent: config.build().into(), token: token.map(str::to_owned) }
    }

    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<(u16, Vec<u8>), Error> {
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        let request = request.header("Content-Type", "application/json");
        let body = body.map(Value::to_string).unwrap_or_default();
        let mut response = self.agent.run(request.body(body)?)?;
        let bytes = response.body_mut().with_config().limit(1 << 30).read_to_vec()?;
        Ok((response.status().as_u16(), bytes))
    }

    fn expect(&self, method: &str, path: &str, body: Option<&Value>, code: u16) -> Result<Vec<u8>, Error> {
        let (found, bytes) = self.send(method, path, body)?;
        if found == code {
            return Ok(bytes);
        }
        Err(format!("{method} {path} is answered with {found}: {}", String::from_utf8_lossy(&bytes)).into())
    }

    pub fn create(&self, path: &str, object: &Value) -> Result<(), Error> {
        self.expect("POST", path, Some(object), 201).map(drop)
    }

    /// Reads a list. Returns how many objects it has.
    pub fn list(&self, path: &str) -> Result<usize, Error> {
        let bytes = self.expect("GET", path, None, 200)?;
        // To read all of it as JSON would take longer than the server needs.
        let mark: &[u8] = b"\"uid\":\"";
        Ok(bytes.windows(mark.len()).filter(|window| *window == mark).count())
    }

    /// Creates a definition, and waits until its kind is served at all versions.
    pub fn establish(&self, definition: &Value) -> Result<(), Error> {
        self.create(DEFINITIONS, definition)?;
        let versions = definition["spec"]["versions"].as_array().into_iter().flatten();
        for version in versions.filter_map(|version| version["name"].as_str()) {
            self.until(&crate::definition::path(version), 200)?;
        }
        Ok(())
    }

    /// Deletes a definition with its objects, and waits until it is gone.
    pub fn remove(&self, name: &str) -> Result<(), Error> {
        let path = format!("{DEFINITIONS}/{name}");
        self.expect("DELETE", &path, None, 200)?;
        self.until(&path, 404)
    }

    fn until(&self, path: &str, code: u16) -> Result<(), Error> {
        let begin = Instant::now();
        while self.send("GET", path, None)?.0 != code {
            if begin.elapsed() > PATIENCE {
                return Err(format!("{path} is not answered with {code}").into());
            }
            sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}
