//! Connections: many, slow, and abandoned.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use super::super::target::{CONFIGMAPS, PLAIN};
use super::super::wire::{self, CLOSED, Tally, code, connect, get, post, send};
use super::super::{Case, cases::at_once, target::Target};

/// All cases. Some wait until a deadline of the server.
pub fn cases() -> Vec<Case> {
    vec![
        Case::new("100 slow heads, a byte each 100 ms", &[CLOSED], |target| {
            dribble(target, 100, "GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
        }),
        Case::new("100 slow bodies, a byte each 100 ms", &[408], |target| {
            dribble(
                target,
                100,
                "POST /api/v1/nodes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\n{",
            )
        }),
        Case::new("100 bodies of 3 MB that stop before their last byte", &[408, 429], |target| {
            // Each of them takes memory for which the others wait.
            let body = "x".repeat(2_999_999);
            at_once(100, |_| {
                let mut stream = connect(target.address())?;
                let head = format!(
                    "POST {CONFIGMAPS} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 3000000\r\n\r\n"
                );
                wire::write(&mut stream, head.as_bytes());
                wire::write(&mut stream, body.as_bytes());
                Ok(Tally::from_iter([code(&mut stream)?]))
            })
        }),
        Case::new("1,000 connections closed for writing after the head", &[200, CLOSED], |target| {
            half_closed(target, 1000, &get(PLAIN))
        }),
        Case::new("1,000 connections closed for writing within the head", &[400, CLOSED], |target| {
            half_closed(target, 1000, b"GET /api HTTP/1.1\r\nHo")
        }),
        Case::new("1,000 connections closed for writing within the body", &[400, CLOSED], |target| {
            half_closed(
                target,
                1000,
                b"POST /api/v1/nodes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{",
            )
        }),
        Case::new("1,000 requests abandoned at once", &[CLOSED], |target| {
            for _ in 0..1000 {
                wire::write(&mut connect(target.address())?, &get("/apis"));
            }
            Ok(Tally::from_iter([CLOSED; 1000]))
        }),
        Case::new("10,000 silent connections at once", &[200], |target| silent(target, 10_000, b"")),
        Case::new("10,000 connections at once with half a head", &[200], |target| {
            silent(target, 10_000, b"GET /api HTTP/1.1\r\nHo")
        }),
        Case::new("10,000 connections, one after the other", &[200], |target| {
            (0..10_000).map(|_| send(target.address(), &get("/healthz"))).collect()
        }),
        Case::new("2,000 connections kept alive after a request", &[200], |target| {
            let mut open = Vec::new();
            for _ in 0..2000 {
                let mut stream = connect(target.address())?;
                wire::write(&mut stream, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
                stream.read_exact(&mut [0; 12]).map_err(|error| error.to_string())?;
                open.push(stream);
            }
            Ok(Tally::from_iter(open.iter().map(|_| 200)))
        }),
        Case::new("10,000 requests in a pipeline", &[200], |target| pipeline(target, 10_000)),
        Case::new("10,000 requests in a pipeline, no answer read", &[CLOSED], |target| {
            let mut stream = connect(target.address())?;
            stream.set_write_timeout(Some(Duration::from_secs(1))).map_err(|error| error.to_string())?;
            for _ in 0..10_000 {
                if stream.write_all(&keep_alive("/apis")).is_err() {
                    break;
                }
            }
            Ok(Tally::from_iter([CLOSED]))
        }),
        Case::new(
            "HTTP/2 without an upgrade, 10,000 streams opened and reset",
            &[CLOSED, 400, 505],
            |target| {
                let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec();
                for stream in 0..10_000_u32 {
                    let id = (2 * stream + 1).to_be_bytes();
                    // HEADERS with END_STREAM, then RST_STREAM.
                    bytes.extend([0, 0, 3, 1, 5]);
                    bytes.extend(id);
                    bytes.extend([0x82, 0x86, 0x84]);
                    bytes.extend([0, 0, 4, 3, 0]);
                    bytes.extend(id);
                    bytes.extend([0, 0, 0, 8]);
                }
                Ok(Tally::from_iter([send(target.address(), &bytes)?]))
            },
        ),
        Case::new("TLS on a plain HTTP port, and random bytes", &[400, 431, CLOSED], |target| {
            let hello = b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03".repeat(100);
            let noise: Vec<u8> =
                (0..1_000_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
            let zeros = vec![0; 1_000_000];
            let lines = b"\r\n".repeat(500_000);
            let all = [hello, noise, zeros, lines];
            all.iter().map(|bytes| send(target.address(), bytes)).collect()
        }),
        Case::new("500 clients that create the same object", &[201, 409, 429], |target| {
            let tally = at_once(50, |_| {
                let object = post(CONFIGMAPS, "{\"metadata\":{\"name\":\"same\"}}");
                (0..10).map(|_| send(target.address(), &object)).collect()
            })?;
            send(target.address(), &wire::request("DELETE", &format!("{CONFIGMAPS}/same"), "", b""))?;
            Ok(tally)
        }),
        Case::new("600 concurrent requests of the maximum size", &[400, 408, 422, 429], |target| {
            let body = format!("{{\"data\":{{\"k\":\"{}\"}}}}", "v".repeat(3_000_000));
            let bytes = post(CONFIGMAPS, &body);
            at_once(100, |_| (0..6).map(|_| send(target.address(), &bytes)).collect())
        }),
    ]
}

fn keep_alive(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes()
}

/// Clients that send one byte at a time, until the server closes the connection.
fn dribble(target: &Target, clients: usize, begun: &str) -> Result<Tally, String> {
    let mut open: Vec<(TcpStream, Option<u16>)> = Vec::new();
    for _ in 0..clients {
        let mut stream = connect(target.address())?;
        wire::write(&mut stream, begun.as_bytes());
        stream.set_nonblocking(true).map_err(|error| error.to_string())?;
        open.push((stream, None));
    }
    let start = Instant::now();
    let mut buffer = [0; 4096];
    while open.iter().any(|(_, answer)| answer.is_none()) {
        if start.elapsed() > 2 * super::super::PATIENCE {
            return Err(format!("slow clients are still served after {:?}", start.elapsed()));
        }
        for (stream, answer) in open.iter_mut().filter(|(_, answer)| answer.is_none()) {
            let _ = stream.write_all(b"x");
            match stream.read(&mut buffer) {
                Ok(bytes) => {
                    let text = String::from_utf8_lossy(&buffer[..bytes]).into_owned();
                    *answer = Some(text.get(9..12).and_then(|code| code.parse().ok()).unwrap_or(CLOSED));
                }
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(_) => *answer = Some(CLOSED),
            }
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(open.iter().filter_map(|(_, answer)| *answer).collect())
}

fn half_closed(target: &Target, count: usize, bytes: &[u8]) -> Result<Tally, String> {
    (0..count)
        .map(|_| {
            let mut stream = connect(target.address())?;
            wire::write(&mut stream, bytes);
            // The server may have closed the connection already.
            let _ = stream.shutdown(Shutdown::Write);
            code(&mut stream)
        })
        .collect()
}

/// Opens many silent connections, then sends a request on a new one.
fn silent(target: &Target, count: usize, bytes: &[u8]) -> Result<Tally, String> {
    let mut open = Vec::with_capacity(count);
    for _ in 0..count {
        let mut stream = connect(target.address())?;
        wire::write(&mut stream, bytes);
        open.push(stream);
    }
    let tally = Tally::from_iter([send(target.address(), &get(PLAIN))?]);
    drop(open);
    Ok(tally)
}

fn pipeline(target: &Target, count: usize) -> Result<Tally, String> {
    let mut stream = connect(target.address())?;
    let mut writer = stream.try_clone().map_err(|error| error.to_string())?;
    let writing = std::thread::spawn(move || {
        let request = keep_alive("/healthz");
        for _ in 1..count {
            wire::write(&mut writer, &request);
        }
        wire::write(&mut writer, &get("/healthz"));
    });
    let mut text = Vec::new();
    stream.read_to_end(&mut text).map_err(|error| error.to_string())?;
    writing.join().map_err(|_| "the writer panicked".to_owned())?;
    let answers = text.windows(13).filter(|bytes| bytes == b"HTTP/1.1 200 ").count();
    if answers < count {
        return Err(format!("{answers} of {count} requests were answered"));
    }
    Ok(Tally::from_iter(std::iter::repeat_n(200, answers)))
}
