//! A client of HTTP that sends one request on a connection, and reads answers in chunks.

use std::net::SocketAddr;

use hubgen_kubernetes::machinery::protobuf::{Envelope, Frames, PartValue, WatchEvent, parts};
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// The largest event.
const LONGEST: usize = 1 << 20;

/// An answer whose body is being read.
pub struct Answer {
    stream: BufReader<TcpStream>,
    pub code: u16,
    /// How long the body is; `None` if it comes in chunks.
    length: Option<usize>,
}

/// Sends a request.
///
/// # Errors
/// If the server is not there, or ends the connection.
pub async fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &str,
    body: &str,
) -> Result<Answer, String> {
    let text = |error: std::io::Error| error.to_string();
    let mut stream = TcpStream::connect(address).await.map_err(text)?;
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.map_err(text)?;
    let mut stream = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).await.map_err(text)? == 0 {
            return Err("the connection ended".to_owned());
        }
    }
    let code = head.split(' ').nth(1).and_then(|code| code.parse().ok()).ok_or("no code")?;
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    Ok(Answer { stream, code, length })
}

impl Answer {
    /// Waits until there is something to read. Nothing is lost if the caller stops waiting.
    pub async fn ready(&mut self) {
        let _ = self.stream.fill_buf().await;
    }

    /// The next chunk; `None` at the end.
    ///
    /// # Errors
    /// If the connection ends before.
    pub async fn chunk(&mut self) -> Result<Option<Vec<u8>>, String> {
        let text = |error: std::io::Error| error.to_string();
        if let Some(length) = self.length.take() {
            let mut body = vec![0; length];
            self.stream.read_exact(&mut body).await.map_err(text)?;
            self.length = Some(0);
            return Ok((length > 0).then_some(body));
        }
        let mut size = String::new();
        if self.stream.read_line(&mut size).await.map_err(text)? == 0 {
            return Err("the connection ended".to_owned());
        }
        let size = usize::from_str_radix(size.trim(), 16).map_err(|error| error.to_string())?;
        let mut chunk = vec![0; size + 2];
        self.stream.read_exact(&mut chunk).await.map_err(text)?;
        chunk.truncate(size);
        Ok((size > 0).then_some(chunk))
    }

    /// The whole body.
    ///
    /// # Errors
    /// If the connection ends before.
    pub async fn body(mut self) -> Result<Vec<u8>, String> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            body.extend(chunk);
        }
        Ok(body)
    }
}

/// Cuts a stream into events.
pub struct Events {
    is_protobuf: bool,
    buffer: Vec<u8>,
    frames: Frames,
}

/// An event of a watch.
#[derive(Debug, Default)]
pub struct Event {
    pub event_type: String,
    pub namespace: String,
    pub name: String,
    pub revision: u64,
    /// The code of a `Status`.
    pub code: u64,
}

#[derive(Deserialize)]
struct InJson {
    #[serde(rename = "type")]
    event_type: String,
    object: Object,
}

#[derive(Deserialize)]
struct Object {
    metadata: Metadata,
    #[serde(default)]
    code: u64,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Metadata {
    name: String,
    namespace: String,
    resource_version: String,
}

impl Events {
    pub fn new(is_protobuf: bool) -> Self {
        Self { is_protobuf, buffer: Vec::new(), frames: Frames::new(LONGEST) }
    }

    /// The events that are whole after another chunk.
    ///
    /// # Errors
    /// If the bytes are no events.
    pub fn push(&mut self, chunk: &[u8]) -> Result<Vec<Event>, String> {
        let mut events = Vec::new();
        if self.is_protobuf {
            self.frames.push(chunk);
            while let Some(frame) = self.frames.next().map_err(|error| error.to_string())? {
                events.push(of_protobuf(frame).map_err(|error| error.to_string())?);
            }
            return Ok(events);
        }
        self.buffer.extend_from_slice(chunk);
        while let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.buffer.drain(..=end).collect();
            let InJson { event_type, object: Object { metadata, code } } =
                serde_json::from_slice(&line).map_err(|error| error.to_string())?;
            let Metadata { name, namespace, resource_version } = metadata;
            let revision = resource_version.parse().unwrap_or_default();
            events.push(Event { event_type, namespace, name, revision, code });
        }
        Ok(events)
    }
}

fn of_protobuf(frame: &[u8]) -> Result<Event, hubgen_kubernetes::machinery::protobuf::Error> {
    let event = WatchEvent::decode(frame)?;
    let envelope = Envelope::decode(event.object)?;
    let mut found = Event { event_type: event.event_type.to_owned(), ..Event::default() };
    for part in parts(envelope.raw) {
        let part = part?;
        match (part.number, part.value) {
            // The metadata of an object.
            (1, PartValue::Bytes(metadata)) if envelope.kind != "Status" => {
                for part in parts(metadata) {
                    let part = part?;
                    let PartValue::Bytes(value) = part.value else { continue };
                    let text = String::from_utf8_lossy(value).into_owned();
                    match part.number {
                        1 => found.name = text,
                        3 => found.namespace = text,
                        6 => found.revision = text.parse().unwrap_or_default(),
                        _ => {}
                    }
                }
            }
            // The code of a `Status`.
            (6, PartValue::Varint(code)) if envelope.kind == "Status" => found.code = code,
            _ => {}
        }
    }
    Ok(found)
}
