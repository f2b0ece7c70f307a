//! Asks a running API server for defaulted objects and for objects at other versions, and records
//! its answers in the same format as other recordings.
//!
//! To get defaults, it creates the object with `dryRun`, so that it is not stored. To get other
//! versions, it creates the object, reads it at each version, and removes it.

use std::collections::HashMap;
use std::io::{BufRead, Write};

use serde_json::{Map, Value, json};

use super::http::{Client, Options};
use crate::differential::exchange::{Request, Response};

/// The namespace for all namespaced objects; every server has it.
const NAMESPACE: &str = "default";

/// What to ask for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// The object with its defaults.
    Defaults,
    /// The object at other versions.
    Conversions,
}

impl Ask {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Defaults => "defaults",
            Self::Conversions => "convert",
        }
    }
}

/// Sends all requests, one JSON object per line, to the server at a URL, and writes a record for
/// each. Ignores answers that lines already contain.
///
/// # Errors
/// If the server cannot be reached, or a line is not a request.
pub fn record(
    url: &str,
    options: &Options,
    ask: Ask,
    requests: impl BufRead,
    mut records: impl Write,
) -> Result<(), String> {
    let mut server = Server::new(Client::new(url, options)?);
    for (number, line) in requests.lines().enumerate() {
        let at = |error: &dyn std::fmt::Display| format!("line {}: {error}", number + 1);
        let line = line.map_err(|error| at(&error))?;
        let request: Value = serde_json::from_str(&line).map_err(|error| at(&error))?;
        let Some(object @ Value::Object(_)) = request.get("object") else {
            return Err(at(&"expected a member `object`, found none"));
        };
        let record = match ask {
            Ask::Defaults => server.defaulted(object)?,
            Ask::Conversions => match request.get("to").and_then(Value::as_array) {
                Some(to) => server.converted(object, to)?,
                // The request is for defaults only.
                None => continue,
            },
        };
        writeln!(records, "{record}").map_err(|error| at(&error))?;
    }
    records.flush().map_err(|error| error.to_string())
}

/// A server, and what it serves.
pub(super) struct Server {
    client: Client,
    /// The resources of each requested group version, by kind.
    versions: HashMap<String, HashMap<String, Resource>>,
}

/// The resource of a kind.
#[derive(Clone)]
struct Resource {
    plural: String,
    namespaced: bool,
}

impl Server {
    pub(super) fn new(client: Client) -> Self {
        Self { client, versions: HashMap::new() }
    }

    fn defaulted(&mut self, object: &Value) -> Result<Value, String> {
        let (object, path) = self.place(object)?;
        let answer = match path {
            Ok(path) => self.client.post(&format!("{path}?dryRun=All"), &object)?.object(),
            Err(unknown) => Err(unknown),
        };
        Ok(record_of(&object, answer, None))
    }

    fn converted(&mut self, object: &Value, to: &[Value]) -> Result<Value, String> {
        let (object, path) = self.place(object)?;
        let created = match &path {
            Ok(path) => self.client.post(path, &object)?.object(),
            Err(unknown) => Err(unknown.clone()),
        };
        let (Ok(path), Ok(answer)) = (path, &created) else { return Ok(record_of(&object, created, None)) };
        let name = text(&answer["metadata"], "name").to_owned();
        let mut versions = Map::new();
        for version in to.iter().filter_map(Value::as_str) {
            let found = match self.path(text(&object, "kind"), version)? {
                Ok(path) => self.client.get(&format!("{path}/{name}"))?.object().map(cleaned),
                Err(unknown) => Err(unknown),
            };
            versions.insert(version.to_owned(), found.unwrap_or_else(|error| json!({"error": error})));
        }
        self.client.delete(&format!("{path}/{name}"))?.object()?;
        Ok(record_of(&object, created, Some(versions)))
    }

    /// The object to send, and the path to send it to.
    fn place(&mut self, object: &Value) -> Result<(Value, Result<String, String>), String> {
        let (version, kind) = (text(object, "apiVersion"), text(object, "kind"));
        let mut object = object.clone();
        if self.resource(version, kind)?.is_some_and(|resource| resource.namespaced) {
            object["metadata"]["namespace"] = NAMESPACE.into();
        }
        Ok((object, self.path(kind, version)?))
    }

    /// The path of a kind's resource at a version, or why there is none.
    fn path(&mut self, kind: &str, version: &str) -> Result<Result<String, String>, String> {
        let Some(Resource { plural, namespaced }) = self.resource(version, kind)? else {
            return Ok(Err(format!("no kind \"{kind}\" is served at {version}")));
        };
        let namespace = if namespaced { format!("namespaces/{NAMESPACE}/") } else { String::new() };
        Ok(Ok(format!("{}/{namespace}{plural}", root(version))))
    }

    fn resource(&mut self, version: &str, kind: &str) -> Result<Option<Resource>, String> {
        if let Some(resources) = self.versions.get(version) {
            return Ok(resources.get(kind).cloned());
        }
        let answer = self.client.get(&root(version))?;
        let all = match answer.status.as_u16() {
            // The server does not have the group or the version.
            404 => Value::Null,
            _ => answer.object().map_err(|error| format!("{}: {error}", root(version)))?,
        };
        let all = all["resources"].as_array().into_iter().flatten();
        // Skips subresources, such as `deployments/scale`.
        let whole = all.filter(|resource| !text(resource, "name").contains('/'));
        let resources: HashMap<_, _> = whole
            .map(|resource| {
                let namespaced = resource["namespaced"] == Value::Bool(true);
                let plural = text(resource, "name").to_owned();
                (text(resource, "kind").to_owned(), Resource { plural, namespaced })
            })
            .collect();
        let found = resources.get(kind).cloned();
        self.versions.insert(version.to_owned(), resources);
        Ok(found)
    }
}

impl Server {
    /// The path of the collection of a kind; `None` if the server does not have it.
    pub(super) fn collection(&mut self, version: &str, kind: &str) -> Result<Option<String>, String> {
        self.path(kind, version).map(Result::ok)
    }

    pub(super) fn send(&self, request: &Request) -> Result<Response, String> {
        self.client.send(request)
    }
}

/// The root path of a group version.
fn root(version: &str) -> String {
    if version.contains('/') { format!("/apis/{version}") } else { format!("/api/{version}") }
}

fn text<'a>(object: &'a Value, name: &str) -> &'a str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Removes `managedFields`, which the check of owners compares, and which is longer than the object itself.
fn cleaned(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.shift_remove("managedFields");
    }
    object
}

fn record_of(object: &Value, answer: Result<Value, String>, versions: Option<Map<String, Value>>) -> Value {
    let mut record = json!({"default": true, "server": true});
    if let Some(versions) = &versions {
        record["to"] = versions.keys().map(String::as_str).collect();
    }
    record["object"] = object.clone();
    match answer {
        Ok(answer) => {
            // Defaults that depend on the time use the time of creation.
            record["now"] = answer["metadata"]["creationTimestamp"].clone();
            record["answer"] = cleaned(answer);
        }
        Err(error) => record["error"] = error.into(),
    }
    if let Some(versions) = versions {
        record["versions"] = versions.into();
    }
    record
}

#[cfg(test)]
pub mod tests {
    use std::io::{BufReader, Read};
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    const DISCOVERY: &str = r#"{"resources": [
        {"name": "things", "kind": "Thing", "namespaced": true},
        {"name": "things/scale", "kind": "Thing", "namespaced": true}]}"#;

    /// Starts a server that expects these requests in this order and answers each.
    pub fn serve(
        exchanges: &'static [(&'static str, u16, &'static str)],
    ) -> (String, thread::JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            for (expected, status, answer) in exchanges {
                let mut stream = BufReader::new(listener.accept().unwrap().0);
                let (mut first, mut length) = (String::new(), 0);
                stream.read_line(&mut first).unwrap();
                loop {
                    let mut line = String::new();
                    stream.read_line(&mut line).unwrap();
                    if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap();
                    }
                    if line.trim().is_empty() {
                        break;
                    }
                }
                std::io::copy(&mut stream.by_ref().take(length), &mut std::io::sink()).unwrap();
                assert!(
                    first.starts_with(&format!("{expected} HTTP/1.1")),
                    "expected {expected}, found {first}"
                );
                let size = answer.len();
                let head = format!(
                    "HTTP/1.1 {status} Answer\r\nconnection: close\r\ncontent-length: {size}\r\n\r\n"
                );
                stream.get_mut().write_all(format!("{head}{answer}").as_bytes()).unwrap();
            }
        });
        (url, server)
    }

    fn records(
        ask: Ask,
        requests: &str,
        exchanges: &'static [(&'static str, u16, &'static str)],
    ) -> Vec<Value> {
        let (url, server) = serve(exchanges);
        let mut out = Vec::new();
        record(&url, &Options::default(), ask, requests.as_bytes(), &mut out).unwrap();
        server.join().unwrap();
        String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn objects_are_defaulted_without_being_stored() {
        let requests = concat!(
            r#"{"object": {"apiVersion": "a/v1", "kind": "Thing", "metadata": {"name": "t"}}}"#,
            "\n",
            r#"{"object": {"apiVersion": "a/v1", "kind": "Thing", "metadata": {"name": "u"}}}"#,
            "\n",
            r#"{"object": {"apiVersion": "a/v1", "kind": "Nothing"}}"#,
        );
        let found = records(
            Ask::Defaults,
            requests,
            &[
                ("GET /apis/a/v1", 200, DISCOVERY),
                (
                    "POST /apis/a/v1/namespaces/default/things?dryRun=All",
                    201,
                    r#"{"metadata": {"creationTimestamp": "2006-01-02T15:04:05Z", "managedFields": []}, "spec": 1}"#,
                ),
                (
                    "POST /apis/a/v1/namespaces/default/things?dryRun=All",
                    422,
                    r#"{"message": "it is invalid"}"#,
                ),
            ],
        );
        let object = |name: &str| json!({"apiVersion": "a/v1", "kind": "Thing", "metadata": {"name": name, "namespace": "default"}});
        let answer = json!({"metadata": {"creationTimestamp": "2006-01-02T15:04:05Z"}, "spec": 1});
        assert_eq!(
            found,
            [
                json!({"default": true, "server": true, "object": object("t"), "now": "2006-01-02T15:04:05Z", "answer": answer}),
                json!({"default": true, "server": true, "object": object("u"), "error": "it is invalid"}),
                json!({"default": true, "server": true, "object": {"apiVersion": "a/v1", "kind": "Nothing"},
                       "error": "no kind \"Nothing\" is served at a/v1"}),
            ]
        );
    }

    #[test]
    fn objects_are_read_at_other_versions_and_removed() {
        let requests = concat!(
            r#"{"object": {"apiVersion": "a/v1", "kind": "Thing"}}"#,
            "\n",
            r#"{"to": ["a/v2", "a/v3"], "object": {"apiVersion": "a/v1", "kind": "Thing", "metadata": {"name": "t"}}}"#
        );
        let found = records(
            Ask::Conversions,
            requests,
            &[
                ("GET /apis/a/v1", 200, DISCOVERY),
                ("POST /apis/a/v1/namespaces/default/things", 201, r#"{"metadata": {"name": "t"}}"#),
                ("GET /apis/a/v2", 200, DISCOVERY),
                ("GET /apis/a/v2/namespaces/default/things/t", 200, r#"{"spec": 2}"#),
                ("GET /apis/a/v3", 404, "404 page not found"),
                ("DELETE /apis/a/v1/namespaces/default/things/t", 200, "{}"),
            ],
        );
        assert_eq!(found.len(), 1, "a request without other versions is skipped");
        assert_eq!(
            found[0]["versions"],
            json!({"a/v2": {"spec": 2}, "a/v3": {"error": "no kind \"Thing\" is served at a/v3"}})
        );
        assert_eq!(found[0]["to"], json!(["a/v2", "a/v3"]));
    }
}
