//! Protobuf: any bytes as a message, and objects generated from the bytes.

use hubgen_laws::objects::{Source, generate};
use hubgen_machinery::protobuf::{self, parts};
use prost::Message;

use crate::memory;
use crate::peer::protobuf::{PlainPeer, SpecialPeer};
use crate::shapes::{Object, Older, Plain, Special, survives_protobuf};

/// The first byte selects how the other bytes are used.
pub fn check(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else { return };
    match first % 5 {
        0 => any_bytes::<Plain, PlainPeer>(rest, true),
        1 => any_bytes::<Special, SpecialPeer>(rest, false),
        2 => generated::<Plain, PlainPeer>(rest),
        3 => generated::<Special, SpecialPeer>(rest),
        _ => of_a_newer_server(rest),
    }
}

/// Decodes any bytes with hubgen and with prost. If the type `is_plain`, both must accept the same bytes and decode the
/// same values.
fn any_bytes<T: Object, P: Message + Default + std::fmt::Debug>(bytes: &[u8], is_plain: bool) {
    let is_whole = parts(bytes).all(|part| part.is_ok());
    let ours = memory::decoded(bytes.len(), || protobuf::decode::<T>(bytes));
    let theirs = P::decode(bytes);
    match (&ours, &theirs) {
        (Ok(ours), Ok(theirs)) => {
            assert!(is_whole);
            if is_plain {
                let again = P::decode(&*protobuf::encode(ours)).expect("prost decodes what hubgen encodes");
                assert_eq!(again.encode_to_vec(), theirs.encode_to_vec(), "{ours:?}\nfor\n{theirs:?}");
            }
        }
        (Ok(ours), Err(error)) => {
            // The unused member of a union is skipped unread, even if its text is not UTF-8.
            let is_unread = !is_plain && error.to_string().contains("SpecialPeer.or_");
            // Numbers of more than 64 bits are truncated, as by Go.
            assert!(has_long_number(bytes) || is_unread, "prost: {error}, hubgen decodes {ours:?}");
        }
        (Err(error), Ok(_)) => {
            let is_too_deep = error.message().contains("at most 256 nested");
            // prost does not check the wire type of map entries and reads them as messages.
            let is_map = ["labels", "counts", "blobs", "parts"].contains(&error.path());
            let is_no_entry =
                is_map && error.message().starts_with("expected a message with its length (wire type 2)");
            assert!(!is_plain || is_too_deep || is_no_entry, "{error}, but prost accepts the bytes");
        }
        (Err(_), Err(_)) => {}
    }
    match &ours {
        Ok(object) => {
            survives_protobuf(object);
            kept::<T>(bytes, object);
        }
        Err(error) => assert!(error.offset() <= bytes.len() && !error.message().is_empty(), "{error}"),
    }
}

/// Whether ten consecutive bytes may be a number of more than 64 bits.
pub fn has_long_number(bytes: &[u8]) -> bool {
    bytes.windows(10).any(|ten| ten[..9].iter().all(|byte| *byte >= 0x80) && (2..0x80).contains(&ten[9]))
}

/// Generates an object. It survives being encoded by hubgen, decoded and encoded by prost, and decoded by hubgen.
fn generated<T: Object, P: Message + Default + std::fmt::Debug>(bytes: &[u8]) {
    let object: T = generate(&mut Source::new(bytes, &[]));
    survives_protobuf(&object);
    let ours = protobuf::encode(&object);
    let theirs =
        P::decode(&*ours).unwrap_or_else(|error| panic!("prost: {error} in {object:?}")).encode_to_vec();
    let again: T = protobuf::decode(&theirs).unwrap_or_else(|error| panic!("{error} in prost's {object:?}"));
    assert_eq!(protobuf::encode(&again), ours, "{again:?}\nafter\n{object:?}");
}

/// Unknown fields survive a round trip with the object, and another one.
fn kept<T: Object>(bytes: &[u8], object: &T) {
    let kept = memory::decoded(bytes.len(), || protobuf::decode_keeping::<T>(bytes));
    let (again, unknown) = kept.expect("`decode` accepts the same bytes");
    assert_eq!(protobuf::encode(&again), protobuf::encode(object));
    let written = protobuf::encode_with(object, &unknown);
    assert_eq!(unknown.is_empty(), unknown.count() == 0);
    if unknown.is_empty() {
        assert_eq!(written, protobuf::encode(object));
    }
    let (again, once_more) = protobuf::decode_keeping::<T>(&written).expect("an encoded object");
    assert_eq!(protobuf::encode(&again), protobuf::encode(object));
    assert_eq!(protobuf::encode_with(&again, &once_more), written);
    // Unknown fields of a union's member that another member replaced are dropped.
    assert!(once_more.count() <= unknown.count(), "{once_more:?}\nafter\n{unknown:?}");
}

/// An object with fields that an older program does not know survives a round trip through it, byte for byte.
fn of_a_newer_server(bytes: &[u8]) {
    let newer = protobuf::encode(&generate::<Plain>(&mut Source::new(bytes, &[])));
    let (older, unknown) = protobuf::decode_keeping::<Older>(&newer).expect("an encoded object");
    assert_eq!(protobuf::encode_with(&older, &unknown), newer);
}
