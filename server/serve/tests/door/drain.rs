//! The end of a server.

use std::net::TcpStream;

use hubgen_serve::Limits;

use crate::http2_attacks::Frames;
use crate::running::{PATIENCE, SHORT};
use crate::wire::{ALL, Side};

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n")
}

/// A long answer sees the drain and ends; idle connections end at once; nobody new is let in.
#[test]
fn requests_finish_and_connections_end() {
    for way in ALL {
        let mut side = Side::start(way, Limits { grace: PATIENCE, ..Limits::default() });
        let mut idle = side.connect();
        if way.is_http2 {
            let mut busy = Frames::new(side.connect(), &[]);
            busy.get(1, "/drain");
            busy.get(3, "/stuck");
            side.running.wait_for_stuck(2);
            side.running.begin_to_stop();
            assert_eq!(busy.body_of(1), b"drained", "{way:?}");
            side.running.shared.gate.add_permits(1);
            assert_eq!(busy.body_of(3), b"free", "{way:?}");
            busy.rest();
        } else {
            let mut busy = side.sent(get("/drain"));
            side.running.wait_for_stuck(1);
            side.running.begin_to_stop();
            assert!(busy.rest().ends_with("drained"), "{way:?}");
        }
        assert_eq!(idle.rest(), "", "{way:?}");
        side.running.wait();
        assert!(TcpStream::connect(side.running.address).is_err(), "{way:?}");
    }
}

#[test]
fn requests_that_are_stuck_are_abandoned() {
    for way in ALL {
        let mut side = Side::start(way, Limits { grace: SHORT, ..Limits::default() });
        let mut stuck = side.connect();
        if way.is_http2 {
            let mut client = Frames::new(stuck, &[]);
            client.get(1, "/stuck");
            stuck = client.into_connection();
        } else {
            stuck.send(get("/stuck"));
        }
        side.running.wait_for_stuck(1);
        side.running.wait();
        assert!(!stuck.rest().contains("free"), "{way:?}");
    }
}
