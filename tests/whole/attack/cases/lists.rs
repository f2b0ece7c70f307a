//! Lists with many objects.

use std::io::{Read, Write};
use std::net::SocketAddr;

use serde_json::Value;

use super::super::cases::at_once;
use super::super::target::{CONFIGMAPS, Target};
use super::super::wire::{self, CLOSED, Tally, connect, get, send};
use super::super::{Case, PATIENCE};

/// Creates objects on a few connections that stay open.
///
/// # Errors
/// If an object is not created.
pub fn populate(address: SocketAddr, objects: usize) -> Result<(), String> {
    const CLIENTS: usize = 64;
    at_once(CLIENTS, |client| {
        let mut stream = connect(address)?;
        let mut buffer = [0; 4096];
        for n in (client..objects).step_by(CLIENTS) {
            let value = "v".repeat(200);
            let body = format!(
                "{{\"metadata\":{{\"name\":\"o{n}\",\"labels\":{{\"n\":\"{}\"}}}},\"data\":{{\"k\":\"{value}\"}}}}",
                n % 100
            );
            let head = format!(
                "POST {CONFIGMAPS} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all((head + &body).as_bytes()).map_err(|error| error.to_string())?;
            // The response is smaller than the buffer, and ends with this line.
            let mut answer = Vec::new();
            while !answer.ends_with(b"}\n") {
                let bytes = stream.read(&mut buffer).map_err(|error| error.to_string())?;
                if bytes == 0 {
                    return Err("the server closed the connection".to_owned());
                }
                answer.extend_from_slice(&buffer[..bytes]);
            }
            if !answer.starts_with(b"HTTP/1.1 201") {
                return Err(String::from_utf8_lossy(&answer).into_owned());
            }
        }
        Ok(Tally::default())
    })?;
    Ok(())
}

/// All cases, for a server with this many objects.
pub fn cases(objects: usize) -> Vec<Case> {
    vec![
        Case::new(format!("a list of {objects} objects, ten clients at once"), &[200], |target| {
            at_once(10, |_| Ok([send(target.address(), &get(CONFIGMAPS))?].into_iter().collect()))
        }),
        Case::new(format!("a list of {objects} objects, pretty, four clients at once"), &[200], |target| {
            at_once(4, |_| {
                Ok([send(target.address(), &get(&format!("{CONFIGMAPS}?pretty=1")))?].into_iter().collect())
            })
        }),
        Case::new(
            format!("a list of {objects} objects, 100 clients that do not read it"),
            &[CLOSED, 429],
            never_read,
        ),
        Case::new(format!("a list of {objects} objects, abandoned 200 times"), &[CLOSED], |target| {
            for _ in 0..200 {
                wire::write(&mut connect(target.address())?, &get(CONFIGMAPS));
            }
            Ok(Tally::from_iter([CLOSED; 200]))
        }),
        Case::new(format!("a list of {objects} objects, none selected"), &[200], |target| {
            let paths = [
                "labelSelector=n=none",
                "labelSelector=!n&limit=1",
                "fieldSelector=metadata.name=none&limit=1",
            ];
            paths.iter().map(|query| send(target.address(), &get(&format!("{CONFIGMAPS}?{query}")))).collect()
        }),
        Case::new("300 parts of one object each", &[200], |target| {
            let mut tally = Tally::default();
            let mut token = String::new();
            for _ in 0..300 {
                let body = body(target, &format!("{CONFIGMAPS}?limit=1&continue={token}"))?;
                token = body["metadata"]["continue"].as_str().ok_or("a part has no token")?.to_owned();
                tally.add(200);
            }
            Ok(tally)
        }),
        Case::new("a list in parts of 500, to its end", &[200], move |target| {
            let (mut token, mut found) = (String::new(), 0);
            let mut tally = Tally::default();
            loop {
                let body = body(target, &format!("{CONFIGMAPS}?limit=500&continue={token}"))?;
                found += body["items"].as_array().map_or(0, Vec::len);
                tally.add(200);
                match body["metadata"]["continue"].as_str() {
                    Some(next) => token = next.to_owned(),
                    None => break,
                }
            }
            // The plain object and the certificates of the namespace are also in the list.
            if found == objects + 2 {
                Ok(tally)
            } else {
                Err(format!("expected {} objects, found {found}", objects + 2))
            }
        }),
    ]
}

fn body(target: &Target, path: &str) -> Result<Value, String> {
    let mut stream = connect(target.address())?;
    wire::write(&mut stream, &get(path));
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    let start = bytes
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .ok_or("the response has no complete head")?;
    serde_json::from_slice(&bytes[start + 4..]).map_err(|error| error.to_string())
}

/// Clients that send a request and do not read the response until the server closes the connection.
fn never_read(target: &Target) -> Result<Tally, String> {
    let mut open = Vec::new();
    for _ in 0..100 {
        let mut stream = connect(target.address())?;
        wire::write(&mut stream, &get(CONFIGMAPS));
        open.push(stream);
    }
    // Longer than a response may wait.
    std::thread::sleep(PATIENCE * 3 / 4);
    let mut tally = Tally::default();
    let mut buffer = vec![0; 1 << 20];
    for stream in &mut open {
        let mut read = Vec::new();
        // The bytes in transit are read here. They are less than the list.
        while let Ok(bytes @ 1..) = stream.read(&mut buffer) {
            if read.len() < 12 {
                read.extend_from_slice(&buffer[..bytes]);
            }
        }
        tally.add(if read.starts_with(b"HTTP/1.1 429") { 429 } else { CLOSED });
    }
    Ok(tally)
}
