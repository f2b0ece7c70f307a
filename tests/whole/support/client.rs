//! A small HTTP client for tests. It opens one connection per request and sends bytes unchanged, so it can also send
//! malformed requests.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use serde_json::Value;

/// A client of a server on the loopback interface.
#[derive(Clone, Copy, Debug)]
pub struct Client(pub SocketAddr);

/// A response.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status code.
    pub code: u16,
    /// The head, unchanged.
    pub head: String,
    /// The body as text; invalid UTF-8 is replaced.
    pub body: String,
    /// The bytes of the body, without the chunks in which they came.
    pub bytes: Vec<u8>,
    /// Whether the body came in chunks, and then whether the last one of them did.
    pub chunks: Option<bool>,
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Checks the status code and returns the body as JSON.
    #[track_caller]
    pub fn expect(&self, code: u16) -> Value {
        assert_eq!(self.code, code, "{}", self.body);
        self.json()
    }

    /// The values of a header.
    pub fn header(&self, name: &str) -> Vec<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value).collect()
    }
}

impl Client {
    /// Sends a GET request.
    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    /// Sends a POST request with JSON.
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, &[("Content-Type", "application/json")], body.to_string().as_bytes())
    }

    /// Sends a PUT request with JSON.
    pub fn put(&self, path: &str, body: &Value) -> Answer {
        self.send("PUT", path, &[("Content-Type", "application/json")], body.to_string().as_bytes())
    }

    /// Sends a DELETE request.
    pub fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, &[], b"")
    }

    /// Sends a request.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.0).expect("the server listens");
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.0);
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        stream.write_all(head.as_bytes()).expect("the server reads");
        stream.write_all(body).expect("the server reads");
        Answer::read(&mut stream)
    }

    /// Sends any bytes. They should contain one request that closes the connection.
    pub fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.0).expect("the server listens");
        stream.write_all(request).expect("the server reads");
        Answer::read(&mut stream)
    }
}

impl Answer {
    /// Reads a response until the connection is closed.
    pub fn read(stream: &mut TcpStream) -> Self {
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("the server answers");
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("the answer has a head");
        let (head, bytes) = (&answer[..end], &answer[end + 4..]);
        let head = std::str::from_utf8(head).expect("the head is text");
        let is_chunked = head.to_ascii_lowercase().contains("\r\ntransfer-encoding: chunked");
        let (bytes, chunks) = if is_chunked {
            let (bytes, is_whole) = unchunked(bytes);
            (bytes, Some(is_whole))
        } else {
            (bytes.to_vec(), None)
        };
        let body = String::from_utf8_lossy(&bytes).into_owned();
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("the answer has a code");
        Self { code, head: head.to_owned(), body, bytes, chunks }
    }
}

/// What is in the chunks of a body, and whether the last one is among them.
fn unchunked(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|bytes| bytes == b"\r\n") {
        let size = std::str::from_utf8(&rest[..end]).expect("the size of a chunk is text");
        let size = usize::from_str_radix(size, 16).expect("the size of a chunk is a number");
        if size == 0 {
            return (body, true);
        }
        let chunk = &rest[end + 2..];
        body.extend_from_slice(&chunk[..size.min(chunk.len())]);
        rest = chunk.get(size + 2..).unwrap_or_default();
    }
    (body, false)
}
