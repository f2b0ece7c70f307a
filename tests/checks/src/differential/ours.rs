//! Our server, and a client that sends bytes unchanged.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use hubgen_kubernetes::machinery::scheme::Scheme;
use hubgen_server::loops::{Controllers, Loops};
use hubgen_server::openapi::Sources;
use hubgen_server::store::{self, Embedded, Options, Store};
use hubgen_server::{Kinds, Server, Settings};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::differential::exchange::{Request, Response};

/// The longest time to wait for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server of every kind with an empty store in memory. It stops when it is dropped.
pub struct Ours {
    address: SocketAddr,
    scheme: Arc<Scheme>,
    loops: Loops,
    store: Arc<dyn Store>,
    runtime: Runtime,
}

impl Ours {
    /// Starts the server.
    ///
    /// # Errors
    /// If it cannot listen on a port.
    pub fn start() -> Result<Self, String> {
        Self::publishing(Sources::default())
    }

    /// Starts a server that publishes the schemas of its kinds.
    ///
    /// # Errors
    /// If it cannot listen on a port.
    pub fn publishing(published: Sources) -> Result<Self, String> {
        Self::with(|settings| settings.kinds.published = published)
    }

    /// Starts a server with other settings.
    ///
    /// # Errors
    /// If it cannot listen on a port.
    pub fn with(change: impl FnOnce(&mut Settings)) -> Result<Self, String> {
        let runtime = Runtime::new().map_err(|error| error.to_string())?;
        let scheme = Arc::new(hubgen_kubernetes::scheme());
        let (address, loops, store) = runtime.block_on(async {
            let store = Embedded::in_memory(Options::default()).map_err(|error| error.to_string())?;
            let store: Arc<dyn Store> = Arc::new(store);
            let mut settings = Settings::new(Kinds::new(Arc::clone(&scheme)), Arc::clone(&store));
            // A server is compared with one that has no controllers beside it.
            settings.loops.controllers = Controllers::none();
            change(&mut settings);
            let server = Server::bind(0, settings).await.map_err(|error| error.to_string())?;
            let (address, loops) = (server.address(), server.loops());
            tokio::spawn(server.run(std::future::pending()));
            Ok::<_, String>((address, loops, store))
        })?;
        Ok(Self { address, scheme, loops, store, runtime })
    }

    /// Where the server is reached.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Waits until the server has done what it does by itself.
    pub fn settle(&self) {
        self.runtime.block_on(self.loops.settled());
    }

    /// Stores an object as it is.
    ///
    /// # Errors
    /// If no kind is registered for it, or it exists.
    pub fn put(&self, object: &Value) -> Result<(), String> {
        let (key, value) = (self.key(object)?, object.to_string().into_bytes());
        self.runtime.block_on(self.store.create(key, value)).map(drop).map_err(|error| error.to_string())
    }

    /// Removes an object, if it exists.
    ///
    /// # Errors
    /// If no kind is registered for it, or the store fails.
    pub fn remove(&self, object: &Value) -> Result<(), String> {
        let key = self.key(object)?;
        self.runtime
            .block_on(async {
                loop {
                    let Some(found) = self.store.get(&key).await? else { return Ok(()) };
                    match self.store.delete(key.clone(), found.mod_revision).await {
                        // The server has changed it in between, as it does with definitions.
                        Err(store::Error::Conflict { .. }) => {}
                        done => return done.map(drop),
                    }
                }
            })
            .map_err(|error: store::Error| error.to_string())
    }

    fn key(&self, object: &Value) -> Result<Vec<u8>, String> {
        let text = |object: &Value, name: &str| object[name].as_str().unwrap_or_default().to_owned();
        let (version, kind) = (text(object, "apiVersion"), text(object, "kind"));
        let entry =
            self.scheme.named(&version, &kind).ok_or_else(|| format!("no kind {kind} at {version}"))?;
        let namespace = text(&object["metadata"], "namespace");
        let slash = if namespace.is_empty() { "" } else { "/" };
        let name = text(&object["metadata"], "name");
        Ok(format!("{}{namespace}{slash}{name}", self.scheme.storage_prefix(entry)).into_bytes())
    }

    /// Sends a request on a new connection.
    ///
    /// # Errors
    /// If there is no answer, or the answer is not HTTP.
    pub fn send(&self, request: &Request) -> Result<Response, String> {
        let Request { method, path, headers, body } = request;
        let context = |error: std::io::Error| format!("{method} {path}: {error}");
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n",
            self.address,
            body.len()
        );
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        let mut stream = TcpStream::connect(self.address).map_err(context)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(context)?;
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).map_err(context)?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).map_err(context)?;
        response(&answer).ok_or_else(|| format!("{method} {path}: the answer is not HTTP"))
    }
}

fn response(answer: &[u8]) -> Option<Response> {
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&answer[..end]).ok()?;
    let warnings = head
        .lines()
        .filter_map(|line| line.split_once(": "))
        .filter(|(name, _)| name.eq_ignore_ascii_case("warning"))
        .map(|(_, value)| value.to_owned());
    Some(Response {
        code: head.split(' ').nth(1)?.parse().ok()?,
        warnings: warnings.collect(),
        body: answer[end + 4..].to_vec(),
    })
}
