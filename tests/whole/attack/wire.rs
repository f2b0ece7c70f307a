//! Sends and receives bytes, which may be malformed.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};

use super::PATIENCE;

/// Used instead of a code if the connection was closed without a response.
pub const CLOSED: u16 = 0;

/// Counts responses by status code.
#[derive(Clone, Debug, Default)]
pub struct Tally(BTreeMap<u16, usize>);

impl Tally {
    /// Counts one response with a code.
    pub fn add(&mut self, code: u16) {
        *self.0.entry(code).or_default() += 1;
    }

    /// Adds the counts of another tally.
    pub fn extend(&mut self, other: &Self) {
        for (code, count) in &other.0 {
            *self.0.entry(*code).or_default() += count;
        }
    }

    /// How many responses had a code.
    pub fn count(&self, code: u16) -> usize {
        self.0.get(&code).copied().unwrap_or_default()
    }

    /// The codes that occurred.
    pub fn codes(&self) -> impl Iterator<Item = u16> {
        self.0.keys().copied()
    }
}

impl FromIterator<u16> for Tally {
    fn from_iter<T: IntoIterator<Item = u16>>(codes: T) -> Self {
        let mut tally = Self::default();
        codes.into_iter().for_each(|code| tally.add(code));
        tally
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (code, count)) in self.0.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{count} × {}", shown(*code))?;
        }
        Ok(())
    }
}

/// The name of a code in reports.
pub fn shown(code: u16) -> String {
    if code == CLOSED { "closed".to_owned() } else { code.to_string() }
}

/// Opens a connection.
///
/// # Errors
/// If the connection cannot be opened.
pub fn connect(address: SocketAddr) -> Result<TcpStream, String> {
    let error = |error: std::io::Error| format!("cannot connect: {error}");
    let stream = TcpStream::connect_timeout(&address, PATIENCE).map_err(error)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(error)?;
    stream.set_write_timeout(Some(PATIENCE)).map_err(error)?;
    Ok(stream)
}

/// Sends bytes on a new connection. Returns the status code of the response.
///
/// # Errors
/// If no response arrives within [`PATIENCE`].
pub fn send(address: SocketAddr, bytes: &[u8]) -> Result<u16, String> {
    let mut stream = connect(address)?;
    write(&mut stream, bytes);
    code(&mut stream)
}

/// Writes as much as the server reads. Errors are ignored, because the server may refuse an incomplete request.
pub fn write(stream: &mut TcpStream, bytes: &[u8]) {
    let _ = stream.write_all(bytes);
}

/// Reads the code of a response that goes on; [`CLOSED`] if there is none.
pub fn first_code(stream: &mut TcpStream) -> u16 {
    let mut start = [0; 12];
    let read = stream.read_exact(&mut start).ok().and_then(|()| str::from_utf8(&start).ok());
    read.and_then(|start| start.strip_prefix("HTTP/1.1 ")?.parse().ok()).unwrap_or(CLOSED)
}

/// Reads the next response until the connection is closed, and returns its status code.
///
/// # Errors
/// If no response arrives within [`PATIENCE`].
pub fn code(stream: &mut TcpStream) -> Result<u16, String> {
    let mut start = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(bytes) if start.len() < 12 => start.extend_from_slice(&buffer[..bytes.min(64)]),
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Err(format!("no complete response within {PATIENCE:?}"));
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // After a reset, the response may be lost.
            Err(_) => break,
        }
    }
    let text = String::from_utf8_lossy(&start);
    let code = text.strip_prefix("HTTP/1.1 ").or_else(|| text.strip_prefix("HTTP/1.0 "));
    Ok(code.and_then(|code| code.get(..3)?.parse().ok()).unwrap_or(CLOSED))
}

/// A well-formed request that closes the connection.
pub fn request(method: &str, path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// A POST request with JSON.
pub fn post(path: &str, body: &str) -> Vec<u8> {
    request("POST", path, "Content-Type: application/json\r\n", body.as_bytes())
}

/// A GET request.
pub fn get(path: &str) -> Vec<u8> {
    request("GET", path, "", b"")
}
