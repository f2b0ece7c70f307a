//! Wrappers around a message in storage and on the wire: envelopes, frames and events, also decoded by a Scheme.

use std::sync::LazyLock;

use hubgen_machinery::protobuf::{
    self, Envelope, Frames, MAGIC, Part, PartValue, WatchEvent, parts, write_frame,
};
use hubgen_machinery::reflect::TypeMeta;
use hubgen_machinery::scheme::{KindRow, Scheme};
use prost::Message;

use crate::memory;
use crate::shapes::{Inner, Root, Special, survives_protobuf};

/// Bytes of memory per byte of an envelope, which is borrowed.
const MEMORY: u64 = 1;

/// Bytes of memory per byte of a stream of frames: a buffer that may have grown to twice the size that it needs, and the
/// list of frames that is made here. Four bytes can be a frame.
const FRAME_MEMORY: u64 = 30;

/// The largest frame that is read.
const LIMIT: usize = 300;

pub fn check(data: &[u8]) {
    envelope(data);
    let enveloped = [&MAGIC, data].concat();
    envelope(&enveloped);
    known(data);
    known(&enveloped);
    // The message of a kind.
    known(
        &Envelope { api_version: "example.com/v1", kind: "Root", raw: data, ..Envelope::default() }.encode(),
    );
    frames(data);
    event(data);
    untyped(data, 0);
}

#[derive(Clone, PartialEq, Message)]
struct UnknownPeer {
    #[prost(message, required, tag = "1")]
    type_meta: TypeMetaPeer,
    #[prost(bytes = "vec", required, tag = "2")]
    raw: Vec<u8>,
    #[prost(string, required, tag = "3")]
    content_encoding: String,
    #[prost(string, required, tag = "4")]
    content_type: String,
}

#[derive(Clone, PartialEq, Message)]
struct TypeMetaPeer {
    #[prost(string, required, tag = "1")]
    api_version: String,
    #[prost(string, required, tag = "2")]
    kind: String,
}

fn envelope(bytes: &[u8]) {
    let envelope = memory::bounded(bytes.len(), MEMORY, || Envelope::decode(bytes));
    let theirs = bytes.strip_prefix(&MAGIC).map(UnknownPeer::decode);
    assert_eq!(Envelope::is_one(bytes), theirs.is_some());
    let envelope = match envelope {
        Ok(envelope) => envelope,
        Err(error) => {
            assert!(!matches!(theirs, Some(Ok(_))), "{error}, which prost does not find");
            return assert!(error.offset() <= bytes.len(), "{error}");
        }
    };
    let encoded = envelope.encode();
    assert_eq!(Envelope::decode(&encoded), Ok(envelope));
    match theirs {
        Some(Ok(theirs)) => assert_eq!([&MAGIC, &*theirs.encode_to_vec()].concat(), encoded),
        // Numbers of more than 64 bits are truncated, as by Go.
        Some(Err(error)) => assert!(crate::protobuf::has_long_number(bytes), "prost: {error}"),
        None => panic!("an envelope begins with its four bytes"),
    }
    let is_protobuf = matches!(envelope.content_type, "" | "application/vnd.kubernetes.protobuf");
    let is_open = is_protobuf && envelope.content_encoding.is_empty();
    let mut object = Special::default();
    let within = memory::decoded(bytes.len(), || envelope.decode_into(bytes, &mut object));
    match (within, protobuf::decode::<Special>(envelope.raw)) {
        (Ok(()), Ok(alone)) => {
            assert!(is_open);
            assert_eq!(protobuf::encode(&object), protobuf::encode(&alone));
            let type_meta = TypeMeta { api_version: envelope.api_version, kind: envelope.kind };
            let bytes = protobuf::Writer::scratch(|writer| {
                protobuf::encode_enveloped(&object, Some(type_meta), writer);
            });
            let again = Envelope::decode(&bytes).expect("an encoded envelope");
            assert_eq!((again.api_version, again.kind), (envelope.api_version, envelope.kind));
            assert_eq!(again.raw, protobuf::encode(&object));
        }
        (Err(error), Err(_)) => assert!(error.offset() <= bytes.len()),
        (Err(error), Ok(_)) => assert!(!is_open, "{error}"),
        (Ok(()), Err(error)) => panic!("{error}, but the message was accepted in an envelope"),
    }
}

/// An object of a kind that a Scheme knows survives a round trip, with the embedded objects in it.
fn known(bytes: &[u8]) {
    static SCHEME: LazyLock<Scheme> = LazyLock::new(|| {
        let mut scheme = Scheme::new();
        scheme.register(const { &[KindRow::of::<Root>()] });
        scheme
    });
    let object = match memory::decoded(bytes.len(), || SCHEME.decode_protobuf(bytes)) {
        Ok(object) => object,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let encoded = SCHEME.encode_protobuf(&object);
    let again = SCHEME.decode_protobuf(&encoded).unwrap_or_else(|error| panic!("{error} in {encoded:02x?}"));
    assert_eq!(again.encode_protobuf(), object.encode_protobuf());
    assert_eq!(SCHEME.encode_protobuf(&again), encoded);
    assert_eq!(again.encode(), object.encode());
}

/// The frames are the same if the stream arrives in one piece or byte by byte. They survive a round trip.
fn frames(data: &[u8]) {
    let whole = memory::bounded(data.len(), FRAME_MEMORY, || {
        let mut frames = Frames::new(LIMIT);
        frames.push(data);
        drain(&mut frames)
    });
    let mut pieces = Frames::new(LIMIT);
    let mut found = Vec::new();
    for byte in data {
        pieces.push(&[*byte]);
        let (more, end) = drain(&mut pieces);
        found.extend(more);
        if end.is_err() {
            break;
        }
    }
    assert_eq!(found, whole.0);
    let is_whole = whole.1.is_ok();
    if is_whole {
        assert_eq!(
            pieces.finish().is_ok(),
            found.iter().map(|frame| frame.len() + 4).sum::<usize>() == data.len()
        );
    }
    let mut written = Vec::new();
    found.iter().for_each(|frame| write_frame(&mut written, frame).expect("a short frame"));
    assert!(data.starts_with(&written));
}

/// The complete frames, and the error after them, if any.
fn drain(frames: &mut Frames) -> (Vec<Vec<u8>>, Result<(), protobuf::Error>) {
    let mut found = Vec::new();
    loop {
        match frames.next() {
            Ok(Some(frame)) => found.push(frame.to_vec()),
            Ok(None) => return (found, Ok(())),
            Err(error) => return (found, Err(error)),
        }
    }
}

fn event(data: &[u8]) {
    match WatchEvent::decode(data) {
        Ok(event) => {
            let encoded = event.encode();
            assert_eq!(WatchEvent::decode(&encoded), Ok(event));
            let enveloped = Envelope { raw: &encoded, ..Envelope::default() }.encode();
            assert_eq!(WatchEvent::decode(&enveloped), Ok(event));
        }
        Err(error) => assert!(error.offset() <= data.len(), "{error}"),
    }
}

/// Without a type, the parts of a message are inside its bytes, one after the other, without a gap.
fn untyped(bytes: &[u8], depth: u32) {
    let mut end = 0;
    let mut is_whole = true;
    for part in parts(bytes) {
        let Part { offset, number, value, end: after } = match part {
            Ok(part) => part,
            Err(error) => {
                assert!(error.offset() <= bytes.len() && error.offset() >= end, "{error}");
                is_whole = false;
                break;
            }
        };
        assert!(offset == end && number > 0 && after > offset && after <= bytes.len());
        end = after;
        if let PartValue::Bytes(inner) | PartValue::Group(inner) = value {
            assert!(inner.len() < after - offset);
            if depth < 8 {
                untyped(inner, depth + 1);
            }
        }
    }
    assert!(!is_whole || end == bytes.len());
    // prost accepts the same bytes for a type without fields.
    let nothing = NothingPeer::decode(bytes);
    assert!(
        nothing.is_ok() == is_whole || (is_whole && crate::protobuf::has_long_number(bytes)),
        "{nothing:?}"
    );
    if let Ok(inner) = protobuf::decode::<Inner>(bytes) {
        assert!(is_whole);
        survives_protobuf(&inner);
    }
}

#[derive(Clone, PartialEq, Message)]
struct NothingPeer {}
