//! A client of watches for tests: reads events as they come.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use crate::client::Client;

/// How long an event may take to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running watch.
pub struct Watch {
    stream: BufReader<TcpStream>,
    /// The head of the answer.
    pub head: String,
    /// What has come and is not read yet.
    buffer: Vec<u8>,
}

impl Watch {
    /// Opens a watch.
    pub fn open(client: Client, path: &str, headers: &[(&str, &str)]) -> Self {
        let mut stream = TcpStream::connect(client.0).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("the system has timeouts");
        let mut request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n", client.0);
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{request}\r\n").as_bytes()).expect("the server reads");
        let mut stream = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(stream.read_line(&mut head).expect("the server answers") > 0, "no head: {head}");
        }
        Self { stream, head, buffer: Vec::new() }
    }

    /// The next event, as type and object; `None` at the end.
    pub fn next(&mut self) -> Option<(String, Value)> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=end).collect();
                let mut event: Value = serde_json::from_slice(&line).expect("an event is JSON");
                let event_type = event["type"].as_str().expect("an event has a type").to_owned();
                return Some((event_type, event["object"].take()));
            }
            if !self.read_chunk() {
                assert!(self.buffer.is_empty(), "the watch ended in the middle of an event");
                return None;
            }
        }
    }

    /// The next events, as type and name.
    pub fn names(&mut self, count: usize) -> Vec<String> {
        let name = |(event_type, object): (String, Value)| {
            let name = object["metadata"]["name"].as_str().unwrap_or("-");
            format!("{event_type} {name}")
        };
        (0..count).map(|_| self.next().map_or_else(|| "END".to_owned(), name)).collect()
    }

    /// The rest of the answer, until it ends.
    pub fn rest(&mut self) -> Vec<u8> {
        while self.read_chunk() {}
        std::mem::take(&mut self.buffer)
    }

    /// At least this many bytes of the answer.
    pub fn bytes(&mut self, count: usize) -> &[u8] {
        while self.buffer.len() < count && self.read_chunk() {}
        &self.buffer
    }

    /// Reads a chunk. Returns whether there was one.
    fn read_chunk(&mut self) -> bool {
        let mut size = String::new();
        self.stream.read_line(&mut size).expect("the server sends a chunk");
        let size = usize::from_str_radix(size.trim(), 16).expect("a chunk begins with its size");
        let mut chunk = vec![0; size + 2];
        self.stream.read_exact(&mut chunk).expect("the server sends the chunk");
        self.buffer.extend_from_slice(&chunk[..size]);
        size > 0
    }
}
