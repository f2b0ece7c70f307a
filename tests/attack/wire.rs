//! Bytes to and from the server, as broken as a case wants them.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};

use super::PATIENCE;

/// In the place of a code: the connection was closed without an answer.
pub const CLOSED: u16 = 0;

/// How often which code came.
#[derive(Clone, Debug, Default)]
pub struct Tally(BTreeMap<u16, usize>);

impl Tally {
    /// One more of a code.
    pub fn add(&mut self, code: u16) {
        *self.0.entry(code).or_default() += 1;
    }

    /// All of another one.
    pub fn extend(&mut self, other: &Self) {
        for (code, count) in &other.0 {
            *self.0.entry(*code).or_default() += count;
        }
    }

    /// The codes that came.
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

/// A code as people read it.
pub fn shown(code: u16) -> String {
    if code == CLOSED { "closed".to_owned() } else { code.to_string() }
}

/// A connection.
///
/// # Errors
/// When it cannot be made.
pub fn connect(address: SocketAddr) -> Result<TcpStream, String> {
    let error = |error: std::io::Error| format!("cannot connect: {error}");
    let stream = TcpStream::connect_timeout(&address, PATIENCE).map_err(error)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(error)?;
    stream.set_write_timeout(Some(PATIENCE)).map_err(error)?;
    Ok(stream)
}

/// Sends bytes on a connection of their own, and answers the code of the answer.
///
/// # Errors
/// When nothing comes within [`PATIENCE`].
pub fn send(address: SocketAddr, bytes: &[u8]) -> Result<u16, String> {
    let mut stream = connect(address)?;
    write(&mut stream, bytes);
    code(&mut stream)
}

/// Writes as much as the server takes: it may have refused the request before it is complete.
pub fn write(stream: &mut TcpStream, bytes: &[u8]) {
    let _ = stream.write_all(bytes);
}

/// The code of the next answer, of which the rest is read until the connection is closed.
///
/// # Errors
/// When nothing comes within [`PATIENCE`].
pub fn code(stream: &mut TcpStream) -> Result<u16, String> {
    let mut start = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(bytes) if start.len() < 12 => start.extend_from_slice(&buffer[..bytes.min(64)]),
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Err(format!("no answer, and no end of it, within {PATIENCE:?}"));
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // A reset, after which what was answered may be lost.
            Err(_) => break,
        }
    }
    let text = String::from_utf8_lossy(&start);
    let code = text.strip_prefix("HTTP/1.1 ").or_else(|| text.strip_prefix("HTTP/1.0 "));
    Ok(code.and_then(|code| code.get(..3)?.parse().ok()).unwrap_or(CLOSED))
}

/// A request in the usual form, which closes the connection.
pub fn request(method: &str, path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// A POST of JSON.
pub fn post(path: &str, body: &str) -> Vec<u8> {
    request("POST", path, "Content-Type: application/json\r\n", body.as_bytes())
}

/// A GET.
pub fn get(path: &str) -> Vec<u8> {
    request("GET", path, "", b"")
}
