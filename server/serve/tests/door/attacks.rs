//! What a client may do to the others, over HTTP/1.1, with and without TLS, and where it makes sense over HTTP/2.

use std::thread;

use hubgen_serve::Limits;
use hubgen_serve::body::BodyLimits;

use crate::handler::Shared;
use crate::http2_attacks::{Frames, PREFACE};
use crate::running::SHORT;
use crate::wire::{ALL, HTTP1, HTTP2, Side};

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n")
}

#[test]
fn a_head_has_a_deadline() {
    for way in HTTP1 {
        let side = Side::start(way, Limits { head: SHORT, ..Limits::default() });
        for begun in ["G", "GET /ok HTTP/1.1\r\nHost: a\r\n", "\r\n", "PRI * HT"] {
            assert_eq!(side.sent(begun).rest(), "", "{way:?} {begun:?}");
        }
        side.check();
    }
}

/// Further bytes of a head do not extend its deadline.
#[test]
fn a_head_has_one_deadline() {
    for way in ALL {
        let side = Side::start(way, Limits { head: SHORT, ..Limits::default() });
        let mut connection = side.connect();
        // CONTINUATION frames, an empty one at a time, after a head that has begun.
        let begun = [PREFACE, b"\0\0\0\x04\0\0\0\0\0", b"\0\0\x01\x01\x01\0\0\0\x01\x82"].concat();
        let begin = if way.is_http2 { begun } else { b"GET /ok HTTP/1.1\r\nHost: a\r\nX: ".to_vec() };
        connection.send(begin);
        let more: &[u8] = if way.is_http2 { b"\0\0\x01\x09\0\0\0\0\x01\x86" } else { b"x" };
        while connection.try_send(more) {
            thread::sleep(SHORT / 20);
        }
        side.check();
    }
}

/// A connection without a request, before the first one and after one.
#[test]
fn an_idle_connection_has_a_deadline() {
    for way in ALL {
        let side = Side::start(way, Limits { idle: SHORT, ..Limits::default() });
        assert_eq!(side.connect().rest(), "", "{way:?}");
        if way.is_http2 {
            let mut client = Frames::new(side.connect(), &[]);
            client.get(1, "/ok");
            assert_eq!(client.body_of(1), b"ok");
            assert!(client.rest().goes_away, "an idle client is told before its connection ends");
        } else {
            assert!(side.sent(get("/ok")).rest().ends_with("\r\n\r\nok"), "{way:?}");
        }
    }
}

#[test]
fn a_handshake_has_a_deadline() {
    let [_, way] = HTTP1;
    let side = Side::start(way, Limits { handshake: SHORT, ..Limits::default() });
    for begun in [&b""[..], b"\x16", b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03"] {
        use std::io::{Read, Write};
        let mut stream = side.tcp();
        stream.write_all(begun).unwrap();
        let mut rest = Vec::new();
        let read = stream.read_to_end(&mut rest);
        let is_open = read.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock);
        assert!(!is_open, "the connection stays open after {begun:?}");
    }
    side.check();
}

#[test]
fn a_body_has_a_deadline() {
    for way in ALL {
        let time = SHORT;
        let shared = Shared { bodies: BodyLimits { time, ..Shared::default().bodies }, ..Shared::default() };
        let side = Side::start_with(way, Limits::default(), shared);
        if way.is_http2 {
            let mut client = Frames::new(side.connect(), &[]);
            client.head(1, "/body", false);
            client.data(1, b"{", false);
            let body = client.body_of(1);
            assert!(body.starts_with(b"the body took longer"), "{way:?}");
        } else {
            let mut slow = side.sent("POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{");
            assert!(slow.read_until("300ms").starts_with("HTTP/1.1 408 "), "{way:?}");
        }
        side.check();
    }
}

/// Its answer does not fit into the buffers of the system, so that the server must wait for it.
#[test]
fn a_client_that_does_not_read_loses_its_connection() {
    for way in ALL {
        let side = Side::start(way, Limits { stall: SHORT, connections: 1, ..Limits::default() });
        let mut lazy = if way.is_http2 {
            // Room for all of the answer, but nobody reads it.
            let mut client = Frames::new(side.connect(), &[(4, 0x7fff_ffff)]);
            client.window(0, 0x7fff_0000);
            client.get(1, "/big");
            client.into_connection()
        } else {
            side.sent(get("/big"))
        };
        // Before, it would be closed for the next one because it waits.
        side.running.wait_for_stuck(1);
        // There is room for one connection only, so this waits until the other is closed.
        side.check();
        assert!(lazy.rest().len() < 32 << 20, "{way:?}");
    }
}

/// An answer may be quiet for any time, however short the deadlines are.
#[test]
fn an_answer_may_be_quiet() {
    for way in ALL {
        let limits = Limits { stall: SHORT, idle: SHORT, head: SHORT, ..Limits::default() };
        let side = Side::start(way, limits);
        if way.is_http2 {
            let mut client = Frames::new(side.connect(), &[]);
            client.get(1, "/quiet");
            assert_eq!(client.data_of(1), b"first ");
            thread::sleep(SHORT * 6);
            side.running.shared.gate.add_permits(2);
            assert_eq!(client.body_of(1), b"last");
        } else {
            let mut client = side.sent(get("/quiet"));
            client.read_until("first \r\n");
            thread::sleep(SHORT * 6);
            side.running.shared.gate.add_permits(2);
            client.read_until("last\r\n0\r\n\r\n");
        }
    }
}

/// So may the time before it.
#[test]
fn a_request_may_take_long() {
    for way in ALL {
        let limits = Limits { stall: SHORT, idle: SHORT, head: SHORT, ..Limits::default() };
        let side = Side::start(way, limits);
        let client = thread::scope(|scope| {
            let client = scope.spawn(|| {
                if way.is_http2 {
                    let mut client = Frames::new(side.connect(), &[]);
                    client.get(1, "/stuck");
                    return String::from_utf8(client.body_of(1)).unwrap();
                }
                side.sent(get("/stuck")).read_until("free")
            });
            side.running.wait_for_stuck(1);
            thread::sleep(SHORT * 6);
            side.running.shared.gate.add_permits(1);
            client.join().unwrap()
        });
        assert!(client.ends_with("free"), "{way:?}");
    }
}

/// The connection that has waited longest is closed for a new one.
#[test]
fn connections_are_limited() {
    for way in HTTP1 {
        let side = Side::start(way, Limits { connections: 3, ..Limits::default() });
        // Each has an answer before the next one connects, so that they wait in this order.
        let wait = |_| {
            let mut connection = side.sent(get("/ok"));
            connection.read_until("\r\n\r\nok");
            connection.send("GET ");
            connection
        };
        let mut waiting: Vec<_> = (0..3).map(wait).collect();
        side.check();
        assert_eq!(waiting[0].rest(), "", "{way:?}");
        // The other connections are still served.
        waiting[2].send("/ok HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        assert!(waiting[2].rest().ends_with("ok"), "{way:?}");
    }
    for way in HTTP2 {
        let side = Side::start(way, Limits { connections: 2, ..Limits::default() });
        let mut first = Frames::new(side.connect(), &[]);
        first.settled();
        let mut second = Frames::new(side.connect(), &[]);
        second.settled();
        side.check();
        first.rest();
        second.get(1, "/ok");
        assert_eq!(second.body_of(1), b"ok", "{way:?}");
    }
}

/// If every connection has a running request, a new connection waits.
#[test]
fn busy_connections_are_not_closed_for_others() {
    for way in ALL {
        let side = Side::start(way, Limits { connections: 1, ..Limits::default() });
        thread::scope(|scope| {
            let stuck = scope.spawn(|| {
                if way.is_http2 {
                    let mut client = Frames::new(side.connect(), &[]);
                    client.get(1, "/stuck");
                    return client.body_of(1);
                }
                side.sent(get("/stuck")).read_until("free").into_bytes()
            });
            side.running.wait_for_stuck(1);
            let next = scope.spawn(|| side.check());
            side.running.shared.gate.add_permits(1);
            assert!(stuck.join().unwrap().ends_with(b"free"));
            next.join().unwrap();
        });
    }
}

#[test]
fn the_size_of_a_head_is_limited() {
    for way in HTTP1 {
        let side = Side::start(way, Limits { head_bytes: 16 << 10, ..Limits::default() });
        let long = |size: usize| {
            let path = "x".repeat(size);
            side.sent(format!("GET /{path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")).rest()
        };
        assert!(long(15 << 10).starts_with("HTTP/1.1 404 "), "{way:?}");
        assert!(long(17 << 10).starts_with("HTTP/1.1 431 "), "{way:?}");
        let many = "X: y\r\n".repeat(1000);
        let answer = side.sent(format!("GET /ok HTTP/1.1\r\nHost: a\r\n{many}\r\n")).rest();
        assert!(answer.starts_with("HTTP/1.1 431 "), "{way:?}");
        side.check();
    }
}

/// What is neither HTTP nor TLS.
#[test]
fn noise_closes_its_connection_only() {
    for way in HTTP1 {
        let side = Side::start(way, Limits { head: SHORT, handshake: SHORT, ..Limits::default() });
        let noise: Vec<u8> = (0..100_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for bytes in [b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03".repeat(100), noise, vec![0; 100_000]] {
            use std::io::Write;
            let mut stream = side.tcp();
            // The server may not take all of it.
            let _ = stream.write_all(&bytes);
            let mut connection = side.connect();
            connection.try_send(&bytes);
            let answer = connection.rest();
            assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{way:?} {answer}");
        }
        side.check();
    }
}

#[test]
fn connections_that_are_closed_for_writing_end() {
    for way in ALL {
        let side = Side::start(way, Limits::default());
        for begun in
            ["", "GET /ok HTTP/1.1\r\nHo", "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"]
        {
            let mut connection = side.connect();
            connection.try_send(begun);
            connection.close_for_writing();
            connection.rest();
        }
        side.check();
    }
}
