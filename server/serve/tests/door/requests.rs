//! What every request gets.

use hubgen_serve::Limits;

use crate::http2_attacks::Frames;
use crate::wire::{HTTP1, HTTP2, Side};

/// The value of a header.
fn header<'a>(answer: &'a str, name: &str) -> &'a str {
    let lines = answer.lines().filter_map(|line| line.split_once(": "));
    lines.filter(|(key, _)| *key == name).map(|(_, value)| value).next().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn a_request_has_an_id_and_a_peer() {
    for way in HTTP1 {
        let side = Side::start(way, Limits::default());
        let ask = |lines: &str| {
            let answer =
                side.sent(format!("GET /who HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{lines}\r\n")).rest();
            let (head, body) = answer.split_once("\r\n\r\n").unwrap();
            let id = header(head, "audit-id").to_owned();
            assert!(body.starts_with(&format!("{id} 127.0.0.1:")) && body.ends_with(" 0"), "{body}");
            id
        };
        assert_eq!(ask("Audit-Id: mine-1\r\n"), "mine-1");
        assert_eq!(ask("").len(), 36);
        assert_eq!(ask("Audit-Id: \"quoted\"\r\n").len(), 36);
    }
    for way in HTTP2 {
        let side = Side::start(way, Limits::default());
        let mut client = Frames::new(side.connect(), &[]);
        client.get(1, "/who");
        let body = String::from_utf8(client.body_of(1)).unwrap();
        assert!(body.contains(" 127.0.0.1:"), "{body}");
    }
}

/// The connection lives on, and so do the other streams.
#[test]
fn a_panic_is_an_answer() {
    for way in HTTP1 {
        let side = Side::start(way, Limits::default());
        let mut client = side.connect();
        for path in ["/panic", "/panic-later"] {
            client.send(format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n"));
            let answer = client.read_while(|all| !all.ends_with('\n') || all.ends_with("\r\n"));
            assert!(answer.starts_with("HTTP/1.1 500 "), "{way:?} {answer}");
            assert!(answer.contains(header(&answer, "audit-id")), "{answer}");
        }
        client.send("GET /ok HTTP/1.1\r\nHost: a\r\n\r\n");
        client.read_until("\r\n\r\nok");
        client.send("GET /panic-body HTTP/1.1\r\nHost: a\r\n\r\n");
        // Too late for another answer: this one has no end.
        assert!(!client.rest().ends_with("0\r\n\r\n"), "{way:?}");
        side.check();
    }
    for way in HTTP2 {
        let side = Side::start(way, Limits::default());
        let mut client = Frames::new(side.connect(), &[]);
        client.get(1, "/stuck");
        client.get(3, "/panic");
        client.get(5, "/panic-later");
        for stream in [3, 5] {
            assert!(client.body_of(stream).starts_with(b"internal error"), "{way:?}");
        }
        // Too late for another answer.
        client.get(7, "/panic-body");
        client.reset_of(7);
        side.running.shared.gate.add_permits(1);
        assert_eq!(client.body_of(1), b"free");
    }
}

/// Several requests sent on one connection without waiting for answers are answered in order.
#[test]
fn pipelined_requests_are_answered_in_order() {
    for way in HTTP1 {
        let side = Side::start(way, Limits::default());
        let asked = "GET /ok HTTP/1.1\r\nHost: a\r\n\r\n".repeat(50);
        let mut client = side.sent(asked + "GET /none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        let answers = client.rest();
        assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 50, "{way:?}");
        assert!(answers.ends_with("nothing here"), "{way:?}");
    }
}
