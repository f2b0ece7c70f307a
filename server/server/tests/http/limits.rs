//! Tests the limits: no client can block the server for others. The tests check results, not
//! durations.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use hubgen_server::{DoorLimits, Limits};
use serde_json::{Value, json};

use crate::client::{Answer, Client};
use crate::gate::Gate;
use crate::harness::{Harness, Setup};

const NOTES: &str = "/api/v1/namespaces/a/notes";
const OTHERS: &str = "/api/v1/namespaces/b/notes";
const SHORT: Duration = Duration::from_millis(300);
/// The timeout of a test.
const PATIENCE: Duration = Duration::from_secs(120);

fn note(name: &str) -> Value {
    json!({"metadata": {"name": name}})
}

/// A note with a text of this many bytes.
fn long_note(name: &str, bytes: usize) -> Value {
    json!({"metadata": {"name": name}, "text": "x".repeat(bytes)})
}

/// Creates a note on another thread.
fn post(client: Client, note: Value) -> JoinHandle<Answer> {
    std::thread::spawn(move || client.post(NOTES, &note))
}

/// Opens a connection and sends some bytes.
fn connect(client: Client, bytes: &str) -> TcpStream {
    let mut stream = TcpStream::connect(client.0).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(bytes.as_bytes()).unwrap();
    stream
}

/// Reads until the server closes the connection; fails if it stays open.
fn rest(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    match stream.read_to_end(&mut text) {
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => panic!("the connection stays open"),
        // A reset also closes the connection.
        _ => String::from_utf8_lossy(&text).into_owned(),
    }
}

fn head(method: &str, path: &str, length: usize) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n")
}

#[test]
fn a_body_has_a_deadline() {
    let server = Setup::new().limits(Limits { body: SHORT, ..Limits::default() }).start();
    for begun in ["", "{\"metadata\": "] {
        let mut stream = connect(server.client, &(head("POST", NOTES, 100) + begun));
        let answer = Answer::read(&mut stream);
        let status = answer.expect(408);
        assert_eq!(status["reason"], "Timeout");
        assert_eq!(status["message"], "the body of the request did not arrive within 300ms");
    }
    assert!(server.stored().1.is_empty());
}

/// Uses many more requests than the runtime has threads.
#[test]
fn stuck_requests_do_not_block_others() {
    let gate = Gate::default();
    let server = Setup::new().admission(gate.chain()).start();
    let stuck: Vec<_> = (0..40).map(|n| post(server.client, note(&format!("stuck-{n}")))).collect();
    gate.wait_for(40);
    assert_eq!(server.client.get("/healthz").body, "ok");
    server.client.post(NOTES, &note("light")).expect(201);
    server.client.get(&format!("{NOTES}/light")).expect(200);
    gate.open();
    for answer in stuck {
        answer.join().unwrap().expect(201);
    }
}

#[test]
fn heavy_requests_do_not_block_light_ones() {
    let gate = Gate::default();
    let limits = Limits { heavy: 1, turn: SHORT, ..Limits::default() };
    let server = Setup::new().limits(limits).admission(gate.chain()).start();
    let stuck = post(server.client, long_note("stuck", 300_000));
    gate.wait_for(1);
    // Heavy requests wait for their turn, but not forever.
    for answer in [
        server.client.post(NOTES, &long_note("heavy", 300_000)),
        server.client.get(NOTES),
        server.client.get(&format!("{NOTES}?limit=501")),
        server.client.delete(NOTES),
    ] {
        too_many(&answer);
    }
    server.client.post(NOTES, &long_note("light", 200_000)).expect(201);
    server.client.get(&format!("{NOTES}?limit=500")).expect(200);
    gate.open();
    stuck.join().unwrap().expect(201);
    assert_eq!(server.client.get(NOTES).expect(200)["items"].as_array().unwrap().len(), 2);
}

/// Checks for upstream's response, with the header on which clients wait.
#[track_caller]
fn too_many(answer: &Answer) {
    let status = answer.expect(429);
    assert_eq!(status["reason"], "TooManyRequests");
    assert_eq!(status["message"], "Too many requests, please try again later.");
    assert_eq!(status["details"]["retryAfterSeconds"], 1);
    assert_eq!(answer.header("retry-after"), ["1"]);
}

#[test]
fn requests_in_flight_are_limited() {
    let gate = Gate::default();
    let limits = Limits { reads: 1, writes: 2, ..Limits::default() };
    let server = Setup::new().limits(limits).admission(gate.chain()).start();
    let stuck = [post(server.client, note("stuck-1")), post(server.client, note("stuck-2"))];
    gate.wait_for(2);
    too_many(&server.client.post(NOTES, &note("third")));
    too_many(&server.client.delete(&format!("{NOTES}/third")));
    // Reads have a separate limit.
    server.client.get(NOTES).expect(200);
    gate.open();
    for answer in stuck {
        answer.join().unwrap().expect(201);
    }
    server.client.post(NOTES, &note("third")).expect(201);
}

/// Clients that send their heads and bodies slowly do not use up the limits of others.
#[test]
fn a_hundred_slow_clients_do_not_block_others() {
    let limits = Limits { reads: 4, writes: 4, light: 4, heavy: 1, ..Limits::default() };
    let server = Setup::new().limits(limits).start();
    let mut slow: Vec<TcpStream> = Vec::new();
    for _ in 0..100 {
        slow.push(connect(server.client, "GET /api/v1/notes HTTP/1.1\r\nHo"));
        slow.push(connect(server.client, &(head("POST", NOTES, 50) + "{\"metadata\": ")));
    }
    for n in 0..20 {
        server.client.post(OTHERS, &note(&format!("n{n}"))).expect(201);
    }
    assert_eq!(server.client.get(OTHERS).expect(200)["items"].as_array().unwrap().len(), 20);
    // None of the slow connections was closed: one can complete its body.
    let last = slow.last_mut().unwrap();
    let rest_of_body = format!("{:<width$}", "{\"name\": \"slow\"}}", width = 50 - "{\"metadata\": ".len());
    last.write_all(rest_of_body.as_bytes()).unwrap();
    let mut code = [0; 12];
    last.read_exact(&mut code).unwrap();
    assert_eq!(&code, b"HTTP/1.1 201");
}

/// The memory for responses is released when a client does not read its response.
#[test]
fn a_client_that_does_not_read_is_disconnected() {
    let limits = Limits {
        door: DoorLimits { stall: SHORT, ..DoorLimits::default() },
        answers_bytes: 1 << 20,
        turn: PATIENCE,
        ..Limits::default()
    };
    let server = Setup::new().limits(limits).start();
    // More than the operating system buffers for a connection.
    for n in 0..12 {
        server.client.post(NOTES, &long_note(&format!("n{n}"), 2_500_000)).expect(201);
    }
    let mut lazy = connect(server.client, &head("GET", NOTES, 0));
    // The response is being sent, and takes all the memory.
    lazy.read_exact(&mut [0; 12]).unwrap();
    let list = server.client.get(NOTES).expect(200);
    assert_eq!(list["items"].as_array().unwrap().len(), 12);
    assert!(rest(&mut lazy).len() < 30_000_000);
}

/// A response counts until the client has read it.
#[test]
fn unread_responses_are_bounded() {
    let limits = Limits { answers_bytes: 1 << 20, turn: SHORT, ..Limits::default() };
    let server = Setup::new().limits(limits).start();
    for n in 0..12 {
        server.client.post(NOTES, &long_note(&format!("n{n}"), 2_500_000)).expect(201);
    }
    let request = format!("GET {NOTES} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let mut lazy = connect(server.client, &request);
    lazy.read_exact(&mut [0; 12]).unwrap();
    too_many(&server.client.get(NOTES));
    // Small responses need no memory permit.
    server.client.get("/api").expect(200);
    assert!(rest(&mut lazy).len() > 30_000_000);
    server.client.get(NOTES).expect(200);
}

/// The total memory of concurrently received bodies is bounded.
#[test]
fn bodies_wait_for_memory() {
    let limits = Limits { body: SHORT, bodies_bytes: 200_000, ..Limits::default() };
    let server = Setup::new().limits(limits).start();
    let mut slow = connect(server.client, &(head("POST", NOTES, 150_000) + &" ".repeat(100_000)));
    let (sender, receiver) = mpsc::channel();
    let client = server.client;
    std::thread::spawn(move || {
        // Small bodies need no memory permit; large ones may have to be sent again.
        sender.send(client.post(NOTES, &long_note("small", 60_000))).unwrap();
        loop {
            let answer = client.post(NOTES, &long_note("large", 100_000));
            if answer.code != 408 {
                sender.send(answer).unwrap();
                break;
            }
        }
    });
    receiver.recv_timeout(PATIENCE).unwrap().expect(201);
    Answer::read(&mut slow).expect(408);
    receiver.recv_timeout(PATIENCE).unwrap().expect(201);
}

/// The work of a disconnected client ends at the next opportunity.
#[test]
fn work_for_a_disconnected_client_ends() {
    let gate = Gate::default();
    let limits = Limits { writes: 1, heavy: 1, turn: PATIENCE, ..Limits::default() };
    let server = Setup::new().limits(limits).admission(gate.chain()).start();
    let before: Vec<String> = (0..3).map(|n| format!("stuck-{n}")).collect();
    for name in &before {
        let object = format!(
            "{{\"apiVersion\":\"v1\",\"kind\":\"Note\",\"metadata\":{{\"name\":\"{name}\",\"namespace\":\"a\"}}}}"
        );
        server.put(&format!("/registry/notes/a/{name}"), &object);
    }
    let gone = connect(server.client, &head("DELETE", NOTES, 0));
    gate.wait_for(1);
    drop(gone);
    // When the server notices the disconnection, it releases the permit of the request.
    while server.client.post(OTHERS, &note("n")).code == 429 {
        std::thread::sleep(Duration::from_millis(10));
    }
    gate.open();
    // The turn comes when the other work has ended.
    server.client.delete(OTHERS).expect(200);
    let left = server.stored().1.len();
    assert!(left >= 2, "expected at least 2 of 3 objects, found {left}");
}

/// The frames of one request, and those of its answer as they come.
#[test]
fn http_2_is_served() {
    let server = Harness::new();
    let settings = "\0\0\0\u{4}\0\0\0\0\0";
    // GET http://localhost/healthz, in HPACK.
    let fields = b"\x82\x86\x04\x08/healthz\x01\x09localhost";
    let mut stream = connect(server.client, &format!("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n{settings}"));
    let length = u8::try_from(fields.len()).unwrap();
    stream.write_all(&[&[0, 0, length, 1, 5, 0, 0, 0, 1], &fields[..]].concat()).unwrap();
    let (mut all, mut buffer) = (Vec::new(), [0; 1000]);
    // DATA of two bytes on stream 1.
    while !all.windows(11).any(|bytes| bytes == b"\0\0\x02\0\0\0\0\0\x01ok") {
        let count = stream.read(&mut buffer).unwrap();
        assert!(count > 0, "{}", String::from_utf8_lossy(&all));
        all.extend_from_slice(&buffer[..count]);
    }
}

/// The server stops while work is running, and still answers other requests until then.
#[test]
fn stuck_requests_do_not_block_shutdown() {
    let gate = Gate::default();
    let door = DoorLimits { grace: SHORT, ..DoorLimits::default() };
    let limits = Limits { door, ..Limits::default() };
    let server = Setup::new().limits(limits).admission(gate.chain()).start();
    let mut idle = connect(server.client, "");
    let body = note("stuck").to_string();
    let stuck = connect(server.client, &(head("POST", NOTES, body.len()) + &body));
    gate.wait_for(1);
    let client = server.client;
    server.stop();
    assert_eq!(rest(&mut idle), "");
    assert!(TcpStream::connect(client.0).is_err(), "the server must not accept connections");
    drop(stuck);
    gate.open();
}
