//! What a client may do that only HTTP/2 allows.

use std::collections::BTreeSet;

use hubgen_serve::Limits;

use crate::running::SHORT;
use crate::wire::{Connection, HTTP2, Side};

pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;

const END: u8 = 1;
const END_HEADERS: u8 = 4;

/// A client that sends frames.
pub struct Frames {
    connection: Connection,
    ended: BTreeSet<u32>,
    /// Data of streams that nobody has asked for yet.
    kept: Vec<(u32, Vec<u8>)>,
}

pub struct Frame {
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
    pub payload: Vec<u8>,
}

/// How a connection ended.
#[derive(Default)]
pub struct Rest {
    pub goes_away: bool,
    pub resets: usize,
}

pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap();
    let mut frame = length.to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// `GET` in HPACK, without the table that changes.
fn fields(method: u8, path: &str) -> Vec<u8> {
    let mut fields = vec![method, 0x86, 0x04, u8::try_from(path.len()).unwrap()];
    fields.extend(path.as_bytes());
    fields.extend([0x01, 1, b'a']);
    fields
}

impl Frames {
    /// Begins HTTP/2 with settings.
    pub fn new(mut connection: Connection, settings: &[(u16, u32)]) -> Self {
        let mut payload = Vec::new();
        for (name, value) in settings {
            payload.extend(name.to_be_bytes());
            payload.extend(value.to_be_bytes());
        }
        connection.send([PREFACE, &frame(SETTINGS, 0, 0, &payload)].concat());
        Self { connection, ended: BTreeSet::new(), kept: Vec::new() }
    }

    pub fn into_connection(self) -> Connection {
        self.connection
    }

    pub fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        self.connection.send(frame(kind, flags, stream, payload));
    }

    pub fn get(&mut self, stream: u32, path: &str) {
        self.head(stream, path, true);
    }

    pub fn head(&mut self, stream: u32, path: &str, is_all: bool) {
        let (method, end) = if is_all { (0x82, END) } else { (0x83, 0) };
        self.send(HEADERS, END_HEADERS | end, stream, &fields(method, path));
    }

    pub fn data(&mut self, stream: u32, bytes: &[u8], is_all: bool) {
        self.send(DATA, if is_all { END } else { 0 }, stream, bytes);
    }

    pub fn window(&mut self, stream: u32, bytes: u32) {
        self.send(WINDOW_UPDATE, 0, stream, &bytes.to_be_bytes());
    }

    /// The next frame, after acknowledging what must be.
    #[track_caller]
    pub fn next(&mut self) -> Option<Frame> {
        let mut head = [0; 9];
        let mut known = 0;
        while known < head.len() {
            known += self.connection.read(&mut head[known..])?;
        }
        let [a, b, c, kind, flags, stream @ ..] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        let mut known = 0;
        while known < payload.len() {
            known += self.connection.read(&mut payload[known..])?;
        }
        let stream = u32::from_be_bytes(stream);
        if matches!(kind, SETTINGS | PING) && flags & 1 == 0 {
            let answer: &[u8] = if kind == PING { &payload } else { b"" };
            self.connection.try_send(frame(kind, 1, 0, answer));
        }
        if matches!(kind, DATA | HEADERS) && flags & END != 0 {
            self.ended.insert(stream);
        }
        Some(Frame { kind, flags, stream, payload })
    }

    /// Waits until the server has seen the settings.
    #[track_caller]
    pub fn settled(&mut self) {
        while self.next().is_none_or(|frame| (frame.kind, frame.flags) != (SETTINGS, 1)) {}
    }

    /// The next data of a stream.
    #[track_caller]
    pub fn data_of(&mut self, stream: u32) -> Vec<u8> {
        loop {
            if let Some(at) = self.kept.iter().position(|(of, _)| *of == stream) {
                return self.kept.remove(at).1;
            }
            let frame = self.next().expect("the connection stays open");
            let is_reset = (frame.kind, frame.stream) == (RST_STREAM, stream);
            assert!(!is_reset, "the stream is reset: {:?}", frame.payload);
            if frame.kind == DATA {
                self.kept.push((frame.stream, frame.payload));
            }
        }
    }

    /// The rest of the data of a stream.
    #[track_caller]
    pub fn body_of(&mut self, stream: u32) -> Vec<u8> {
        let mut all = Vec::new();
        while !self.ended.contains(&stream) || self.kept.iter().any(|(of, _)| *of == stream) {
            all.extend(self.data_of(stream));
        }
        all
    }

    /// Waits for the reset of a stream. Returns its code.
    #[track_caller]
    pub fn reset_of(&mut self, stream: u32) -> u32 {
        loop {
            let frame = self.next().expect("the connection stays open");
            if (frame.kind, frame.stream) == (RST_STREAM, stream) {
                return u32::from_be_bytes(frame.payload.try_into().unwrap());
            }
        }
    }

    /// Reads until the server closes the connection.
    #[track_caller]
    pub fn rest(&mut self) -> Rest {
        let mut rest = Rest::default();
        while let Some(frame) = self.next() {
            rest.goes_away |= frame.kind == GOAWAY;
            rest.resets += usize::from(frame.kind == RST_STREAM);
        }
        rest
    }
}

/// CVE-2023-44487.
#[test]
fn streams_that_are_reset_at_once_close_their_connection() {
    for way in HTTP2 {
        let side = Side::start(way, Limits::default());
        let mut client = Frames::new(side.connect(), &[]);
        client.settled();
        let mut bytes = Vec::new();
        for n in 0..10_000 {
            let stream = 2 * n + 1;
            bytes.extend(frame(HEADERS, END_HEADERS | END, stream, &fields(0x82, "/stuck")));
            bytes.extend(frame(RST_STREAM, 0, stream, &8_u32.to_be_bytes()));
        }
        // The server does not take all of it.
        client.connection.try_send(bytes);
        client.rest();
        side.check();
    }
}

/// A head without an end, in frames that say nothing.
#[test]
fn a_head_in_endless_frames_closes_its_connection() {
    for way in HTTP2 {
        let side = Side::start(way, Limits::default());
        let mut client = Frames::new(side.connect(), &[]);
        client.send(HEADERS, END, 1, &fields(0x82, "/ok"));
        let more = frame(9, 0, 1, b"").repeat(1000);
        while client.connection.try_send(&more) {}
        side.check();
    }
}

/// The same head with one field after another, of which HPACK makes a byte each.
#[test]
fn a_large_head_is_refused() {
    for way in HTTP2 {
        let side = Side::start(way, Limits { head_bytes: 16 << 10, ..Limits::default() });
        let mut client = Frames::new(side.connect(), &[]);
        let mut head = fields(0x82, "/ok");
        // A field that goes into the table, and 15,000 references to it.
        head.extend(b"\x40\x01x\x05value");
        head.extend([0xbe; 15_000]);
        client.send(HEADERS, END | END_HEADERS, 1, &head);
        while let Some(frame) = client.next() {
            let is_answer = frame.kind == HEADERS && frame.stream == 1;
            // `:status` is not 200.
            assert!(!is_answer || frame.payload[0] != 0x88, "{way:?}");
            if is_answer || matches!(frame.kind, RST_STREAM | GOAWAY) {
                break;
            }
        }
        side.check();
    }
}

#[test]
fn streams_of_a_connection_are_limited() {
    for way in HTTP2 {
        let side = Side::start(way, Limits { streams: 2, ..Limits::default() });
        let mut client = Frames::new(side.connect(), &[]);
        client.settled();
        for stream in [1, 3, 5] {
            client.get(stream, "/stuck");
        }
        const REFUSED_STREAM: u32 = 7;
        assert_eq!(client.reset_of(5), REFUSED_STREAM, "{way:?}");
        side.running.wait_for_stuck(2);
        side.running.shared.gate.add_permits(2);
        assert_eq!(client.body_of(1), b"free");
        assert_eq!(client.body_of(3), b"free");
        client.get(7, "/ok");
        assert_eq!(client.body_of(7), b"ok");
    }
}

/// A client that takes no more of one answer loses it, and nothing else.
#[test]
fn a_stream_that_is_not_read_is_reset_alone() {
    for way in HTTP2 {
        let side = Side::start(way, Limits { stall: SHORT, ..Limits::default() });
        // The client reads whatever comes, and makes no room for more.
        let mut client = Frames::new(side.connect(), &[]);
        client.get(1, "/quiet");
        assert_eq!(client.data_of(1), b"first ");
        client.window(0, 1 << 20);
        client.get(3, "/big");
        client.reset_of(3);
        side.running.shared.gate.add_permits(2);
        assert_eq!(client.body_of(1), b"last", "{way:?}");
        client.get(5, "/ok");
        assert_eq!(client.body_of(5), b"ok");
    }
}

/// Nor does one wait for ever that makes room for nothing from the beginning.
#[test]
fn a_stream_without_a_window_is_reset() {
    for way in HTTP2 {
        let side = Side::start(way, Limits { stall: SHORT, ..Limits::default() });
        let mut client = Frames::new(side.connect(), &[(4, 0)]);
        client.settled();
        client.get(1, "/ok");
        client.reset_of(1);
        client.get(3, "/big");
        client.reset_of(3);
        side.check();
    }
}

/// Pings are no requests.
#[test]
fn pings_do_not_keep_a_connection() {
    for way in HTTP2 {
        let side = Side::start(way, Limits { idle: SHORT, ..Limits::default() });
        let mut client = Frames::new(side.connect(), &[]);
        client.settled();
        let ping = frame(PING, 0, 0, &[1; 8]);
        while client.connection.try_send(&ping) {
            std::thread::sleep(SHORT / 20);
        }
        side.check();
    }
}

/// A client that is gone without a word does not answer to pings.
#[test]
fn a_client_that_is_gone_is_noticed() {
    for way in HTTP2 {
        let side = Side::start(way, Limits { ping: SHORT, connections: 1, ..Limits::default() });
        let mut gone = Frames::new(side.connect(), &[]);
        gone.get(1, "/stuck");
        side.running.wait_for_stuck(1);
        // There is room for one connection only, and a running request is not closed for another.
        side.check();
        drop(gone);
    }
}

/// Requests count on all connections together.
#[test]
fn requests_are_limited() {
    for way in HTTP2 {
        let side = Side::start(way, Limits { requests: 2, ..Limits::default() });
        let mut client = Frames::new(side.connect(), &[]);
        client.get(1, "/stuck");
        client.get(3, "/stuck");
        side.running.wait_for_stuck(2);
        let mut other = Frames::new(side.connect(), &[]);
        other.get(1, "/ok");
        assert_eq!(other.body_of(1), b"Too many requests, please try again later.\n");
        side.running.shared.gate.add_permits(2);
        assert_eq!(client.body_of(1), b"free");
        assert_eq!(client.body_of(3), b"free");
        other.get(3, "/ok");
        assert_eq!(other.body_of(3), b"ok", "{way:?}");
    }
}

/// An answer larger than all windows arrives, as long as its client reads it.
#[test]
fn a_large_answer_arrives() {
    for way in HTTP2 {
        let side = Side::start(way, Limits { stall: SHORT * 10, ..Limits::default() });
        let mut client = Frames::new(side.connect(), &[]);
        client.get(1, "/big");
        let mut length = 0;
        while !client.ended.contains(&1) {
            let data = client.data_of(1);
            length += data.len();
            if !data.is_empty() && !client.ended.contains(&1) {
                let count = u32::try_from(data.len()).unwrap();
                client.window(0, count);
                client.window(1, count);
            }
        }
        assert_eq!(length, 32 << 20, "{way:?}");
    }
}
